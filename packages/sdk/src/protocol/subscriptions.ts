/** Change notices as data: what can change, and the filter that a `subscriptions/listen` request carries. */

import { isObject } from '../jsonrpc/message.ts'
import { requireName } from '../jsonrpc/nearest.ts'

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

const LIST_CHANGES = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged'] as const

/** Throws at a member that differs from those of the protocol by a slip; others may be an extension's. */
export function requireFilter(filter: SubscriptionFilter): void {
  for (const name of Object.keys(filter)) {
    requireName('change to subscribe to', name, [...LIST_CHANGES, 'resourceSubscriptions'], { onlySlips: true })
  }
}

/** Reads a filter from the wire; what is not understood is left out, as the acknowledgement then shows. */
export function readFilter(value: unknown): SubscriptionFilter | undefined {
  if (!isObject(value)) return undefined
  const filter: SubscriptionFilter = {}
  for (const name of LIST_CHANGES) if (value[name] === true) filter[name] = true
  const uris = value.resourceSubscriptions
  if (Array.isArray(uris)) filter.resourceSubscriptions = uris.filter((uri) => typeof uri === 'string')
  return filter
}
