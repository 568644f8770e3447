/** Logging on a server: `logging/setLevel` of the older revisions, and messages that belong to no request. */

import type { JsonObject } from '../../jsonrpc/message.ts'
import { isLogLevel, type LogLevel, passesLevel } from '../../protocol/logging.ts'
import type { LegacySession } from '../../session/legacy-session.ts'
import { defineMethod, invalidParam } from '../call/method.ts'
import { defineFeature, type Feature } from '../feature.ts'

export const LOGGING = defineFeature('logging', ({ logs }): Feature => {
  const setLevel = defineMethod<object>({
    method: 'logging/setLevel',
    served: () => logs,
    run: (call) => {
      const { level } = call.params
      if (!isLogLevel(level)) throw invalidParam('level', 'is not a log level')
      if (call.session !== undefined) call.session.logLevel = level
      return {}
    },
    write: () => ({}),
  })
  return { capability: () => (logs ? { logging: {} } : {}), methods: () => [setLevel] }
})

/** The parameters of a log message as JSON can carry them: what it would leave out is put into words. */
export function logParams(level: LogLevel, data: unknown, logger: string | undefined): JsonObject {
  const params = logger === undefined ? { level } : { level, logger }
  try {
    if (JSON.stringify(data) !== undefined) return { ...params, data }
  } catch {
    // A log line that cannot be serialized must not fail whoever wrote it.
  }
  return { ...params, data: String(data) }
}

/** Tells sessions whose level allows. */
export function logToSessions(sessions: Iterable<LegacySession>, level: LogLevel, params: JsonObject): void {
  const text = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params })
  for (const session of sessions) {
    if (session.logLevel !== undefined && passesLevel(level, session.logLevel)) session.post(text, 'log')
  }
}
