/** Why a server that was named directly cannot be reached, in the same words as the host has for its own. */

import { defineServer, type ServerTarget } from '@portico/host/config'
import { nearestName } from '@portico/host/text'
import { explainFailure } from '@portico/host/upstream'
import { CliError } from '../../exit-codes.ts'
import { byOption, toRemedy } from '../remedy.ts'
import type { Io } from '../terminal/io.ts'
import type { TargetOptions } from './open-target.ts'
import { labelOf, type TargetKind } from './target-kind.ts'

export async function toUnreachable(
  error: unknown,
  target: TargetKind,
  io: Pick<Io, 'takes' | 'interactive'>,
  { headers = {}, connect }: Pick<TargetOptions, 'headers' | 'connect'> = {},
): Promise<CliError> {
  const refusal = findRefusal(error)
  if (refusal !== undefined) return refusal
  const plain = toConfig(target)
  const startMs = connect?.timeouts?.connectMs
  const config = defineServer(labelOf(target), 'headers' in plain ? { ...plain, headers } : plain, {
    ...(startMs !== undefined && { startMs }),
  })
  const { state, reason, remedy } = explainFailure(error, { config })
  if (/^The token /.test(reason)) return new CliError('denied', reason, refusedToken(io), error)
  const exit = state === 'needs-sign-in' ? 'denied' : 'unreachable'
  const hint =
    target.kind === 'url' && state === 'needs-sign-in'
      ? howToSignIn(io)
      : [await meantServer(target, reason), toTyped(remedy, startMs === undefined ? undefined : '--timeout <seconds>')]
          .filter((one) => one !== undefined)
          .join(' ')
  return new CliError(exit, `${labelOf(target)}: ${reason}`, hint, error)
}

/** A remedy of the host speaks of its file; here the option that does it is named, where the command has one. */
function toTyped(remedy: string, startOption: string | undefined): string {
  const typed = remedy.replace(/ as the command in .*$/s, '.')
  return startOption === undefined
    ? typed.replace(/(?:; |, or )give it more time with `startMs`[^.]*/, '')
    : typed.replace('`startMs`', `\`${startOption}\``)
}

/** A program that is not there may be a ready-made server whose name was mistyped. */
async function meantServer(target: TargetKind, reason: string): Promise<string | undefined> {
  if (target.kind !== 'command' || !/was not found/.test(reason)) return undefined
  const { SERVER_NAMES } = await import('@portico/servers')
  const near = nearestName(target.command, SERVER_NAMES)
  return near === undefined ? undefined : `Did you mean "${near}"?`
}

/** What to do where a server wants to be signed in to, and nobody is. */
export function howToSignIn(io: Pick<Io, 'takes' | 'interactive'>): string | undefined {
  return toRemedy(
    io.interactive ? 'run this again to sign in' : 'run this in a terminal to sign in',
    byOption('header', io, (flag) => `give a token: ${flag} 'Authorization: Bearer …'`),
  )
}

function refusedToken(io: Pick<Io, 'takes'>): string | undefined {
  return toRemedy(
    byOption('header', io, (flag) => `give a valid one: ${flag} 'Authorization: Bearer …'`),
    'leave it out and sign in',
  )
}

function findRefusal(error: unknown): CliError | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth++) {
    if (one instanceof CliError) return one
  }
  return undefined
}

export function toConfig(target: TargetKind): ServerTarget {
  switch (target.kind) {
    case 'url':
      return { kind: /^wss?:/i.test(target.url) ? 'websocket' : 'http', url: target.url, headers: {} }
    case 'command':
      return { kind: 'stdio', command: target.command, args: target.args, env: {} }
    case 'file':
      return { kind: 'in-process', module: target.file, options: {} }
    case 'name':
      return { kind: 'in-process', module: target.name, options: {} }
  }
}
