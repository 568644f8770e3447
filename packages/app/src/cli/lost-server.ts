/** What went wrong while a server was used, with its name: what it said last where it ended, and remedies that can be typed. */

import { defineServer } from '@portico/host/config'
import { explainFailure } from '@portico/host/upstream'
import { PorticoError, RpcError } from '@portico/sdk/client'
import { CliError } from '../exit-codes.ts'
import { toCliError } from './failure.ts'
import type { OpenTarget } from './target/open-target.ts'
import { type TargetKind, wordOf } from './target/target-kind.ts'
import { toConfig } from './target/unreachable.ts'
import type { Io } from './terminal/io.ts'

export async function withServer(
  error: unknown,
  target: TargetKind,
  { label, client }: OpenTarget,
  { io, acts }: UseSetting,
): Promise<CliError> {
  const word = wordOf(target)
  const chain = chainOf(error)
  const done = acts ? sayDelivery(chain) : undefined
  if (chain.some((one) => one instanceof PorticoError && one.code === 'closed')) {
    const stderr = client.process?.stderrTail() ?? ''
    const { reason } = explainFailure(error, { config: defineServer(label, toConfig(target)), stderr })
    const message = chain.some(isBrokenOff)
      ? `${label} ended the connection in the middle of it`
      : `${label} ended in the middle of it: ${reason}`
    return new CliError('unreachable', message, joined(done, `\`portico doctor ${word}\` looks closer.`), error)
  }
  const { exit, message, remedy } = toCliError(error, io)
  return new CliError(exit, message, joined(done, remedy?.replaceAll('<server>', word)), error)
}

interface UseSetting {
  readonly io: Io
  /** It may have changed something. */
  readonly acts: boolean
}

/** Whether what was asked can have been done, where the error knows. An answer of the server itself says that better. */
function sayDelivery(chain: readonly unknown[]): string | undefined {
  const cut = chain.find(
    (one): one is PorticoError =>
      one instanceof PorticoError && CUT_OFF.has(one.code) && one.delivery !== undefined && !(one instanceof RpcError),
  )
  if (cut === undefined) return undefined
  return cut.delivery === 'unknown'
    ? 'It may have been done: look before you repeat it.'
    : 'It was not sent: nothing was done.'
}

const CUT_OFF: ReadonlySet<PorticoError['code']> = new Set(['closed', 'connect-failed', 'http-status', 'timeout'])

/** A connection that was there and was taken away. */
function isBrokenOff(error: unknown): boolean {
  return /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(String((error as { readonly code?: unknown }).code))
}

function joined(...sentences: readonly (string | undefined)[]): string | undefined {
  return sentences.filter((one) => one !== undefined).join(' ') || undefined
}

function chainOf(error: unknown): Error[] {
  const chain: Error[] = []
  for (let one = error; one instanceof Error && chain.length < 8; one = one.cause) chain.push(one)
  return chain
}
