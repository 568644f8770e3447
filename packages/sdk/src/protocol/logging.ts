/** Log levels and messages as data. A session's level (older revisions) or a request's (`_meta`, newest) filters them. */

import { requireName } from '../jsonrpc/nearest.ts'

const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const

/** How much a log message matters, from `debug` to `emergency`. */
export type LogLevel = (typeof LOG_LEVELS)[number]

/** A log message from a server. */
export interface LogMessage {
  level: LogLevel
  logger?: string
  data: unknown
}

export function isLogLevel(value: unknown): value is LogLevel {
  return typeof value === 'string' && (LOG_LEVELS as readonly string[]).includes(value)
}

/** Throws at a level that there is not: nothing would ever pass it, or everything. */
export function requireLogLevel(level: LogLevel): void {
  if (!isLogLevel(level)) requireName('log level', level, LOG_LEVELS)
}

/** Whether a message of `level` passes a threshold. */
export function passesLevel(level: LogLevel, threshold: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold)
}
