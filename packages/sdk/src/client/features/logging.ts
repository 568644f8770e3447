/** Log messages from the client's side: what counts as one. Which level is asked for is settled in `client.ts`. */

import type { JsonObject } from '../../jsonrpc/message.ts'
import { isLogLevel, type LogMessage } from '../../protocol/logging.ts'

export function readLogMessage(params: JsonObject | undefined): LogMessage | undefined {
  const { level, logger, data } = params ?? {}
  if (!isLogLevel(level)) return undefined
  return { level, data, ...(typeof logger === 'string' && { logger }) }
}
