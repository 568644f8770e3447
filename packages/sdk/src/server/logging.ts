/** Logging on a server: `logging/setLevel` of the older revisions. Messages themselves go out by `ctx.log`. */

import { isLogLevel } from '../protocol/logging.ts'
import { defineMethod, invalidParam, type ServerMethod } from './method.ts'

export function createLoggingMethods(enabled: boolean): ServerMethod[] {
  return [
    defineMethod<object>({
      method: 'logging/setLevel',
      served: () => enabled,
      run: (call) => {
        const { level } = call.params
        if (!isLogLevel(level)) throw invalidParam('level', 'is not a log level')
        if (call.session !== undefined) call.session.logLevel = level
        return {}
      },
      write: () => ({}),
    }),
  ]
}
