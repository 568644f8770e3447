/** Everything that the methods of the workbench work with. Put together by `workbench.ts`, one for each program. */

import type { Host } from '@portico/host'
import type { ServerConfig } from '@portico/host/config'
import type { ApiEvent, ApiMethod, ApiResult, AppInfo } from './api-types/api.ts'
import type { Chats } from './chat/chats.ts'
import type { AddedModels } from './chat/workbench-models.ts'
import type { History } from './history.ts'
import type { OwnRules } from './own-rules.ts'
import type { ResourceWatches } from './resource-watches.ts'
import type { Runs } from './runs.ts'
import type { SavedJson } from './saved-json.ts'
import type { ImportPlaces } from './servers/importable.ts'
import type { OwnFile } from './servers/own-file.ts'
import type { ServerCards } from './servers/server-cards.ts'
import type { ServerLogs } from './servers/server-logs.ts'
import type { SignInPages } from './servers/sign-in-pages.ts'
import type { MessageLog } from './timeline/message-log.ts'
import type { Recordings } from './timeline/recordings.ts'

export interface WorkbenchServices {
  readonly host: Host
  readonly info: AppInfo
  readonly env: { readonly [name: string]: string | undefined }
  readonly places: ImportPlaces
  readonly registryUrl: string
  /** Servers that no file holds: built in, given by the program, replayed. The host reads this very list when it reloads. */
  readonly ownServers: ServerConfig[]
  /** The names of those of them that are switched off. */
  readonly disabled: SavedJson<readonly string[]>
  readonly ownFile: OwnFile
  readonly cards: ServerCards
  readonly logs: ServerLogs
  readonly signInPages: SignInPages
  readonly runs: Runs
  readonly history: History
  readonly watches: ResourceWatches
  readonly chats: Chats
  readonly models: AddedModels
  readonly messages: MessageLog
  readonly recordings: Recordings
  readonly rules: OwnRules
  emit(event: ApiEvent): void
}

/** One method: params are as the page sent them, and are looked at before anything else. */
type Handler<M extends ApiMethod> = (params: unknown, signal: AbortSignal) => Promise<ApiResult<M>> | ApiResult<M>

export type Handlers = { readonly [M in ApiMethod]: Handler<M> }

/** The methods whose names begin so. */
export type HandlersOf<Prefix extends string> = Pick<Handlers, Extract<ApiMethod, `${Prefix}${string}`>>
