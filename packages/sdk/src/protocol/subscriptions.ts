/** Change notices as data: what can change, and the filter that a `subscriptions/listen` request carries. */

import { isObject } from '../jsonrpc/message.ts'

/** What can change about a server: one of its lists, one resource's contents, or something an extension defines. */
export type Change =
  | { kind: 'tools' }
  | { kind: 'prompts' }
  | { kind: 'resources' }
  | { kind: 'resource'; uri: string }
  | { kind: 'extension'; filter: string; method: string; params: { [key: string]: unknown } }

/** Which changes somebody wants to hear of. */
export interface SubscriptionFilter {
  toolsListChanged?: boolean
  promptsListChanged?: boolean
  resourcesListChanged?: boolean
  resourceSubscriptions?: string[]
  /** Filters that extensions add. */
  [extension: string]: unknown
}

/** Reads a filter from the wire; what is not understood is left out, as the acknowledgement then shows. */
export function readFilter(value: unknown): SubscriptionFilter | undefined {
  if (!isObject(value)) return undefined
  const filter: SubscriptionFilter = {}
  if (value.toolsListChanged === true) filter.toolsListChanged = true
  if (value.promptsListChanged === true) filter.promptsListChanged = true
  if (value.resourcesListChanged === true) filter.resourcesListChanged = true
  const uris = value.resourceSubscriptions
  if (Array.isArray(uris)) filter.resourceSubscriptions = uris.filter((uri) => typeof uri === 'string')
  return filter
}
