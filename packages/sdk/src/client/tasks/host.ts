/** What following a task needs of the client around it. */

import type { JsonObject } from '../../jsonrpc/message.ts'
import type { RequestTimes, RoundResult } from '../asking/rounds.ts'
import type { Connection } from '../connection.ts'
import type { Emitter } from '../events.ts'
import type { Subscriptions } from '../features/subscriptions.ts'
import type { ToolCall, ToolHost } from '../features/tools.ts'
import type { ClientLimits, ClientTimeouts, RequestOptions } from '../options.ts'
import type { Reconnector } from '../reconnector.ts'
import type { Requests } from '../requests.ts'

export interface TaskHost extends ToolHost {
  readonly requests: Requests
  readonly reconnector: Reconnector
  readonly subscriptions: Subscriptions
  readonly emitter: Emitter
  readonly timeouts: ClientTimeouts
  readonly limits: ClientLimits
  /** The connection in use or, between two, the last one. */
  readonly connection: Connection
  toolCall(name: string, args: JsonObject, options: RequestOptions): ToolCall
  ask(method: string, params: JsonObject, times: RequestTimes, options: RequestOptions): Promise<RoundResult>
  readonly taskNotices: Set<(params: JsonObject) => void>
}
