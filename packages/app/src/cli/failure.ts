/** Any error as one clear line with an exit code and what to do. Stack traces are for `PORTICO_DEBUG=1`. */

import { HostError, type HostErrorCode } from '@portico/host/errors'
import { type ErrorCode, PorticoError, RpcError } from '@portico/sdk/client'
import { CliError, type ExitName } from '../exit-codes.ts'
import { byOption, toRemedy } from './remedy.ts'
import type { Io } from './terminal/io.ts'

const SDK_EXITS: { readonly [Code in ErrorCode]?: ExitName } = {
  timeout: 'timeout',
  aborted: 'interrupted',
  closed: 'unreachable',
  'connect-failed': 'unreachable',
  'unsupported-version': 'unreachable',
  'http-status': 'unreachable',
  'not-found': 'not-found',
  'auth-failed': 'denied',
  'invalid-arguments': 'usage',
}

const SDK_REMEDIES: { readonly [Code in ErrorCode]?: string } = {
  closed: 'The server ended in the middle of it. `portico doctor <server>` looks closer.',
  'capability-missing': 'The server does not offer this. `portico list <server>` shows what it has.',
}

const HOST_EXITS: { readonly [Code in HostErrorCode]?: ExitName } = {
  denied: 'denied',
  quarantined: 'denied',
  unavailable: 'unreachable',
  'unknown-server': 'not-found',
  'unknown-item': 'not-found',
  'invalid-config': 'config',
  'untrusted-config': 'denied',
  'secret-missing': 'config',
  'no-model': 'config',
}

const HOST_REMEDIES: { readonly [Code in HostErrorCode]?: string } = {
  quarantined: 'Read what changed, then approve it: `portico servers approve <server>`.',
  'no-model':
    'Add one: `portico models add <name> --url <url> --model <model>`. `portico models` lists those there are.',
  'unknown-server': '`portico servers` lists the servers that are configured.',
}

/** As every revision before 2026-07-28 has it; the newest says that the parameters are not valid. */
const RESOURCE_NOT_FOUND = -32002

/** `io` knows the command that was typed, so that no remedy names an option that it does not take. */
export function toCliError(error: unknown, io: Pick<Io, 'takes' | 'interactive'>): CliError {
  if (error instanceof CliError) return error
  if (error instanceof HostError) return fromHost(error, io)
  if (error instanceof RpcError && error.rpcCode === RESOURCE_NOT_FOUND)
    return new CliError(
      'not-found',
      firstLine(error.message),
      '`portico list <server> resources` shows what there is.',
      error,
    )
  if (error instanceof PorticoError)
    return new CliError(exitOf(error, io), firstLine(error.message), remedyOf(error, io), error)
  const { code, path } = error as NodeJS.ErrnoException
  if (code === 'ENOENT')
    return new CliError('not-found', `There is no file ${path ?? ''}`.trim(), 'Check its path.', error)
  if (code === 'EACCES' || code === 'EPERM')
    return new CliError('failed', `${path ?? 'A file'} may not be read or written`, 'Check its permissions.', error)
  const message = error instanceof Error ? error.message : String(error)
  return new CliError('failed', firstLine(message), 'Set PORTICO_DEBUG=1 to see where it happened.', error)
}

function exitOf(error: PorticoError, io: Pick<Io, 'interactive'>): ExitName {
  return askedInVain(error, io) ? 'denied' : (SDK_EXITS[error.code] ?? 'failed')
}

function askedInVain({ data }: PorticoError, io: Pick<Io, 'interactive'>): boolean {
  const { requiredCapabilities } = (data ?? {}) as { requiredCapabilities?: { elicitation?: unknown } }
  return requiredCapabilities?.elicitation !== undefined && !io.interactive
}

function remedyOf(error: PorticoError, io: Pick<Io, 'takes' | 'interactive'>): string | undefined {
  const { code } = error
  if (askedInVain(error, io)) return 'It asks a person something before it goes on: run it in a terminal to be asked.'
  const { retryAfterMs } = (error.data ?? {}) as { retryAfterMs?: unknown }
  if (code === 'http-status' && typeof retryAfterMs === 'number')
    return `Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s.`
  if (code !== 'timeout') return SDK_REMEDIES[code]
  return toRemedy(byOption('timeout', io, (flag) => `give it more time with \`${flag} <seconds>\``))
}

/** A server that nobody allowed to connect, or that wants a sign-in, is out of reach because of a no. */
function fromHost(error: HostError, io: Pick<Io, 'takes' | 'interactive'>): CliError {
  const refusal = chainOf(error).find((one): one is HostError => one instanceof HostError && one.code === 'denied')
  const { remedy, state } = (error.data ?? {}) as { remedy?: unknown; state?: unknown }
  if (refusal !== undefined) return new CliError('denied', firstLine(refusal.message), afterRefusal(refusal, io), error)
  const exit = state === 'needs-sign-in' ? 'denied' : (HOST_EXITS[error.code] ?? 'failed')
  return new CliError(
    exit,
    firstLine(error.message),
    typeof remedy === 'string' ? remedy : HOST_REMEDIES[error.code],
    error,
  )
}

/** Who said no decides what can be done: the person at this terminal has just been asked. */
function afterRefusal({ data }: HostError, io: Pick<Io, 'takes' | 'interactive'>): string | undefined {
  const { by, server } = (data ?? {}) as { by?: unknown; server?: unknown }
  if (by === 'rule') return 'See which rule says so: `portico policy --help`.'
  if (by === 'person') return 'Nothing was done. Run it again to be asked again.'
  const isAsked = io.takes('yes')
  const elsewhere = `allow it in a terminal (\`portico list ${typeof server === 'string' ? server : '<server>'}\` asks)`
  return toRemedy(
    isAsked ? (io.interactive ? undefined : 'run it in a terminal to be asked') : elsewhere,
    byOption('yes', io, (flag) => `give \`${flag}\` for this one time`),
    'write a rule (`portico policy --help`)',
  )
}

function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let one = error; one instanceof Error && chain.length < 8; one = one.cause) chain.push(one)
  return chain
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? message
}
