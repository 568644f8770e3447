/** `items.*`, `tools.*`, `resources.*`, `prompts.*`, `complete`, `runs.*`, `history.*`: what servers offer, used by hand. */

import type { CatalogueItem, ItemKind } from '@portico/host/upstream'
import type {
  CallToolResult,
  CompleteParams,
  CompleteResult,
  GetPromptResult,
  JsonObject,
  ReadResourceResult,
} from '@portico/sdk/client'
import type { Method } from './method.ts'

export interface ItemsApi {
  'items.list': Method<
    {
      readonly query?: string
      readonly kind?: ItemKind
      readonly server?: string
      /** Of the servers of this project alone. */
      readonly project?: string
      readonly cursor?: string
    },
    {
      readonly items: readonly CatalogueItem[]
      readonly total: number
      readonly next?: string
      readonly missing: readonly { readonly server: string; readonly reason: string }[]
    }
  >
  'items.approve': Method<{ readonly server: string; readonly item: string; readonly kind: ItemKind }>

  /** `run` names the run for progress, logs and cancelling. */
  'tools.call': Method<
    { readonly name: string; readonly arguments: JsonObject; readonly run: string },
    { readonly result: CallToolResult; readonly durationMs: number }
  >
  'resources.read': Method<
    { readonly uri: string; readonly server?: string; readonly run: string },
    { readonly result: ReadResourceResult; readonly durationMs: number }
  >
  'resources.subscribe': Method<{ readonly uri: string; readonly server: string; readonly on: boolean }>
  'prompts.get': Method<
    { readonly name: string; readonly arguments: { readonly [name: string]: string }; readonly run: string },
    { readonly result: GetPromptResult; readonly durationMs: number }
  >
  complete: Method<{ readonly server: string; readonly params: CompleteParams }, CompleteResult>
  'runs.cancel': Method<{ readonly run: string }>
  'history.list': Method<{}, { readonly entries: readonly HistoryEntry[] }>
  'history.clear': Method<{}>
}

export interface HistoryEntry {
  readonly run: string
  readonly at: number
  readonly kind: 'tool' | 'resource' | 'prompt'
  readonly server: string
  readonly name: string
  readonly arguments: JsonObject
  readonly status: 'ok' | 'error' | 'cancelled'
  readonly durationMs: number
  readonly result?: JsonObject
  readonly error?: string
}
