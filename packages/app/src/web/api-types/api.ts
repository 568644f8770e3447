/**
 * What the workbench page and the program behind it say to each other: requests (`POST /api/<method>`, JSON both ways)
 * and events (one stream, `GET /api/events`). Types alone, so that the page can import them, by topic in the files
 * beside this one; `api-handlers/` answers them.
 */

import type { ConfigProblem } from '@portico/host/config'
import type { ChatApi, ChatEvent } from './chat.ts'
import type { InboxApi, ShownQuestion } from './inbox.ts'
import type { HistoryEntry, ItemsApi } from './items.ts'
import type { Method } from './method.ts'
import type { PolicyApi } from './policy.ts'
import type { ServerCard, ServersApi } from './servers.ts'
import type { TaskRow, TasksApi } from './tasks.ts'
import type { TimelineApi } from './timeline.ts'

export type * from './chat.ts'
export type * from './inbox.ts'
export type * from './items.ts'
export type * from './policy.ts'
export type * from './servers.ts'
export type * from './tasks.ts'
export type * from './timeline.ts'

/** Every request, by name. A refusal is an HTTP status with `ApiFailure` as its body. */
export interface Api extends ServersApi, ItemsApi, InboxApi, ChatApi, TasksApi, TimelineApi, PolicyApi {
  'app.info': Method<{}, AppInfo>
}

export type ApiMethod = keyof Api
export type ApiParams<M extends ApiMethod> = Api[M]['params']
export type ApiResult<M extends ApiMethod> = Api[M]['result']

export interface ApiFailure {
  readonly code: string
  /** In one line, for people. */
  readonly message: string
  readonly remedy?: string
  readonly data?: unknown
}

export type ApiEvent =
  | { readonly type: 'server'; readonly server: ServerCard }
  | { readonly type: 'server-removed'; readonly server: string }
  /** A step of signing in: there is a page to open, or it is over. */
  | { readonly type: 'sign-in'; readonly server: string }
  | { readonly type: 'items-changed' }
  | { readonly type: 'problems'; readonly problems: readonly ConfigProblem[] }
  | {
      readonly type: 'progress'
      readonly run: string
      readonly progress: number
      readonly total?: number
      readonly message?: string
    }
  | {
      readonly type: 'log'
      readonly run?: string
      readonly server: string
      readonly level: string
      readonly text: string
    }
  | { readonly type: 'resource-changed'; readonly server: string; readonly uri: string }
  | { readonly type: 'history'; readonly entry: HistoryEntry }
  | { readonly type: 'question'; readonly question: ShownQuestion }
  | { readonly type: 'question-gone'; readonly id: string }
  | { readonly type: 'task'; readonly task: TaskRow }
  | { readonly type: 'task-gone'; readonly label: string }
  | { readonly type: 'chat'; readonly chat: string; readonly event: ChatEvent }
  /** At most a few a second: there may be thousands of messages. */
  | { readonly type: 'timeline'; readonly total: number; readonly newest: number }

export interface AppInfo {
  readonly version: string
  readonly node: string
  readonly stateDir: string
  readonly configFile: string
  readonly workspace?: string
}
