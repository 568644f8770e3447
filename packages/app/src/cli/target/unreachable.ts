/** Why a server that was named directly cannot be reached, in the same words as the host has for its own. */

import { defineServer, type ServerTarget } from '@portico/host/config'
import { explainFailure } from '@portico/host/upstream'
import { CliError } from '../../exit-codes.ts'
import { byOption, toRemedy } from '../remedy.ts'
import type { Io } from '../terminal/io.ts'
import { labelOf, type TargetKind } from './target-kind.ts'

export async function toUnreachable(
  error: unknown,
  target: TargetKind,
  io: Pick<Io, 'takes' | 'interactive'>,
  headers: { readonly [name: string]: string } = {},
): Promise<CliError> {
  const refusal = findRefusal(error)
  if (refusal !== undefined) return refusal
  const plain = toConfig(target)
  const config = defineServer(labelOf(target), 'headers' in plain ? { ...plain, headers } : plain)
  const { state, reason, remedy } = explainFailure(error, { config })
  if (/^The token /.test(reason)) return new CliError('denied', reason, refusedToken(io), error)
  const exit = state === 'needs-sign-in' ? 'denied' : 'unreachable'
  const hint =
    target.kind === 'url' && state === 'needs-sign-in'
      ? howToSignIn(io)
      : remedy.replace(/ as the command in .*$/s, '.')
  return new CliError(exit, `${labelOf(target)}: ${reason}`, hint, error)
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
