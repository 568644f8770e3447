/** Any error as one clear line with an exit code and what to do. Stack traces are for `PORTICO_DEBUG=1`. */

import { HostError, type HostErrorCode } from '@portico/host/errors'
import { type ErrorCode, PorticoError } from '@portico/sdk/client'
import { CliError, type ExitName } from './exit-codes.ts'

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

const HOST_EXITS: { readonly [Code in HostErrorCode]?: ExitName } = {
  denied: 'denied',
  quarantined: 'denied',
  unavailable: 'unreachable',
  'unknown-server': 'not-found',
  'unknown-item': 'not-found',
  'invalid-config': 'config',
  'untrusted-config': 'denied',
  'secret-missing': 'config',
}

export function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  if (error instanceof HostError) {
    return new CliError(HOST_EXITS[error.code] ?? 'failed', firstLine(error.message), remedyOf(error.data), error)
  }
  if (error instanceof PorticoError)
    return new CliError(SDK_EXITS[error.code] ?? 'failed', firstLine(error.message), undefined, error)
  const { code, path } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return new CliError('not-found', `There is no file ${path ?? ''}`.trim(), undefined, error)
  const message = error instanceof Error ? error.message : String(error)
  return new CliError('failed', firstLine(message), 'Set PORTICO_DEBUG=1 to see where it happened.', error)
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? message
}

function remedyOf(data: unknown): string | undefined {
  const remedy = (data as { remedy?: unknown } | undefined)?.remedy
  return typeof remedy === 'string' ? remedy : undefined
}
