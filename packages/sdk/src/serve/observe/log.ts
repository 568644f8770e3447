/**
 * Structured logs: one JSON object a line, for programs to read. What goes in is chosen, not filtered out: names, times,
 * codes and references, never arguments, results, headers, tokens or session ids. `logRequests` puts it on a server.
 */

import { PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { tellObserver } from '../../jsonrpc/observer.ts'
import type { Observation } from '../../server/call/middleware.ts'
import type { ServerOptions } from '../../server/options.ts'
import type { Server } from '../../server/server.ts'
import { withoutSecrets } from './log-secrets.ts'
import { clientMethods } from './telemetry-methods.ts'

/** How much a line of the operator's log matters. */
export type LogSeverity = 'debug' | 'info' | 'warn' | 'error'

/** Where log lines go, and from which severity on. */
export interface LoggerOptions {
  /** Where lines go, each without its line break. Standard error unless given: standard output belongs to stdio servers. */
  readonly write?: (line: string) => void
  /** Nothing below this is written. `info` unless given. */
  readonly level?: LogSeverity
  /** On every line: the service, the region, the version. */
  readonly fields?: { readonly [name: string]: string | number | boolean }
}

/** Writes lines of the operator's log. */
export interface Logger {
  log(level: LogSeverity, message: string, fields?: { readonly [name: string]: unknown }): void
}

const LEVELS: readonly LogSeverity[] = ['debug', 'info', 'warn', 'error']

/**
 * Makes a logger that writes one JSON object a line, with the fields as they are given. What `logRequests` and
 * `logHooks` write is free of secrets.
 *
 * @example
 * ```ts
 * import { createLogger } from '@portico/sdk/telemetry'
 *
 * const logger = createLogger({ level: 'debug', fields: { service: 'orders' } })
 * logger.log('info', 'started', { port: 3000 })
 * ```
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const { write = (line: string) => console.error(line), level: least = 'info', fields: always } = options
  const threshold = LEVELS.indexOf(least)
  return {
    log(level, message, fields) {
      if (LEVELS.indexOf(level) < threshold) return
      tellObserver(() => write(toLine({ time: new Date().toISOString(), level, message, ...always, ...fields })))
    },
  }
}

/**
 * Writes a line for every request that the server has answered. Who asked is left out unless `principal` is true.
 *
 * @example
 * ```ts
 * import { createLogger, logRequests } from '@portico/sdk/telemetry'
 *
 * logRequests(server, createLogger(), { principal: true })
 * ```
 */
export function logRequests(server: Server, logger: Logger, options: { readonly principal?: boolean } = {}): void {
  const observer = (observation: Observation): void => {
    const { method, params, ctx, durationMs, error } = observation
    logger.log(error === undefined ? 'info' : 'warn', 'request', {
      method,
      ...subjectOf(params),
      version: ctx.version,
      durationMs: Math.round(durationMs * 1000) / 1000,
      ...(ctx.client.info?.name !== undefined && { client: ctx.client.info.name.slice(0, 128) }),
      ...(options.principal === true && ctx.principal !== undefined && { principal: ctx.principal.id }),
      ...(error !== undefined && { error: codeOf(error) }),
    })
  }
  for (const method of clientMethods()) server.on(method, observer)
}

/**
 * Gives `createServer` hooks that write unexpected errors and slow handlers to the log.
 *
 * @example
 * ```ts
 * import { createLogger, logHooks } from '@portico/sdk/telemetry'
 * import { createServer } from '@portico/sdk/server'
 *
 * const orders = createServer({ name: 'orders', version: '1.0.0', ...logHooks(createLogger()) })
 * ```
 */
export function logHooks(logger: Logger): Required<Pick<ServerOptions, 'onError' | 'onSlow'>> {
  return {
    onError: (error, { where, reference }) => {
      const known = error instanceof Error
      logger.log('error', 'failure', {
        where,
        reference,
        error: known ? error.name : typeof error,
        ...(error instanceof PorticoError && { code: error.code }),
        text: withoutSecrets(known ? error.message : String(error)),
        ...(known && error.stack !== undefined && { stack: withoutSecrets(error.stack) }),
      })
    },
    onSlow: (report) => logger.log('warn', 'slow', { ...report }),
  }
}

/** What the request was about. A URI goes in without its query, which is where secrets hide. */
function subjectOf(params: { readonly [key: string]: unknown }): { name?: string; uri?: string } {
  if (typeof params.name === 'string') return { name: params.name.slice(0, 128) }
  if (typeof params.uri !== 'string') return {}
  return { uri: withoutSecrets(params.uri.split(/[?#]/, 1)[0] ?? '').slice(0, 256) }
}

function codeOf(error: unknown): string | number {
  if (error instanceof RpcError) return error.rpcCode
  return error instanceof PorticoError ? error.code : 'internal'
}

function toLine(record: { readonly [name: string]: unknown }): string {
  try {
    return JSON.stringify(record)
  } catch {
    const { time, level, message } = record
    return JSON.stringify({ time, level, message, unserializable: true })
  }
}
