/**
 * Every method and notification of MCP as one table: who may send it, in which revisions, and what the layers above need
 * to know of it before they look at its parameters. The revisions take their sets of methods from here; `headers.ts` takes
 * the source of `Mcp-Name`. Methods of extensions are registered elsewhere and are not in it.
 */

import type { ClientCapabilities, ServerCapabilities } from './capabilities.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from './revision.ts'

export type Side = 'client' | 'server'

export interface Method {
  readonly kind: 'request' | 'notification'
  readonly from: Side | 'both'
  readonly revisions: readonly ProtocolVersion[]
  /** The sender in the modern revisions, where it differs. */
  readonly modernFrom?: Side
  /** A modern result may be `input_required`: the handler may ask the client for input. */
  readonly asks?: true
  /** The receiver's capability that a request needs, or the sender's capability that a notification belongs to. */
  readonly capability?: keyof ServerCapabilities | keyof ClientCapabilities
  /** The parameter that `Mcp-Name` mirrors. */
  readonly nameFrom?: 'name' | 'uri'
}

export interface MethodSets {
  readonly clientRequests: ReadonlySet<string>
  readonly clientNotifications: ReadonlySet<string>
  /** In the modern revisions these travel as input requests inside results, never as messages of their own. */
  readonly serverRequests: ReadonlySet<string>
  readonly serverNotifications: ReadonlySet<string>
}

const ALL = PROTOCOL_VERSIONS
const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
const MODERN = ['2026-07-28'] as const
const FROM_2025_06 = ['2025-06-18', '2025-11-25', '2026-07-28'] as const

export const METHODS = {
  initialize: { kind: 'request', from: 'client', revisions: LEGACY },
  'server/discover': { kind: 'request', from: 'client', revisions: MODERN },
  ping: { kind: 'request', from: 'both', revisions: LEGACY },
  'tools/list': { kind: 'request', from: 'client', revisions: ALL, capability: 'tools' },
  'tools/call': {
    kind: 'request',
    from: 'client',
    revisions: ALL,
    asks: true,
    capability: 'tools',
    nameFrom: 'name',
  },
  'resources/list': { kind: 'request', from: 'client', revisions: ALL, capability: 'resources' },
  'resources/templates/list': { kind: 'request', from: 'client', revisions: ALL, capability: 'resources' },
  'resources/read': {
    kind: 'request',
    from: 'client',
    revisions: ALL,
    asks: true,
    capability: 'resources',
    nameFrom: 'uri',
  },
  'resources/subscribe': { kind: 'request', from: 'client', revisions: LEGACY, capability: 'resources' },
  'resources/unsubscribe': { kind: 'request', from: 'client', revisions: LEGACY, capability: 'resources' },
  'prompts/list': { kind: 'request', from: 'client', revisions: ALL, capability: 'prompts' },
  'prompts/get': {
    kind: 'request',
    from: 'client',
    revisions: ALL,
    asks: true,
    capability: 'prompts',
    nameFrom: 'name',
  },
  'completion/complete': { kind: 'request', from: 'client', revisions: ALL, capability: 'completions' },
  'logging/setLevel': { kind: 'request', from: 'client', revisions: LEGACY, capability: 'logging' },
  'subscriptions/listen': { kind: 'request', from: 'client', revisions: MODERN },

  'sampling/createMessage': { kind: 'request', from: 'server', revisions: ALL, capability: 'sampling' },
  'roots/list': { kind: 'request', from: 'server', revisions: ALL, capability: 'roots' },
  'elicitation/create': { kind: 'request', from: 'server', revisions: FROM_2025_06, capability: 'elicitation' },

  'notifications/initialized': { kind: 'notification', from: 'client', revisions: LEGACY },
  'notifications/cancelled': { kind: 'notification', from: 'both', revisions: ALL },
  // A modern client has no requests to report progress on (2026-07-28, schema, `ClientNotification`).
  'notifications/progress': { kind: 'notification', from: 'both', modernFrom: 'server', revisions: ALL },
  'notifications/roots/list_changed': { kind: 'notification', from: 'client', revisions: LEGACY, capability: 'roots' },
  'notifications/message': { kind: 'notification', from: 'server', revisions: ALL, capability: 'logging' },
  'notifications/tools/list_changed': { kind: 'notification', from: 'server', revisions: ALL, capability: 'tools' },
  'notifications/resources/list_changed': {
    kind: 'notification',
    from: 'server',
    revisions: ALL,
    capability: 'resources',
  },
  'notifications/resources/updated': { kind: 'notification', from: 'server', revisions: ALL, capability: 'resources' },
  'notifications/prompts/list_changed': { kind: 'notification', from: 'server', revisions: ALL, capability: 'prompts' },
  'notifications/elicitation/complete': { kind: 'notification', from: 'server', revisions: ['2025-11-25'] },
  'notifications/subscriptions/acknowledged': { kind: 'notification', from: 'server', revisions: MODERN },
} as const satisfies { readonly [method: string]: Method }

export type MethodName = keyof typeof METHODS

/** The row of a method named by a peer; names such as `constructor` have none (sec-25). */
export function methodOf(method: string): Method | undefined {
  // `hasOwn` has just shown that the name is one of the table's own keys.
  return Object.hasOwn(METHODS, method) ? METHODS[method as MethodName] : undefined
}

/** The four sets of methods of a revision. Called once for each, when its module is loaded. */
export function methodSets(version: ProtocolVersion): MethodSets {
  const modern = MODERN.some((known) => known === version)
  const pick = (side: Side, kind: Method['kind']): ReadonlySet<string> => {
    const rows: [string, Method][] = Object.entries(METHODS)
    const names = rows
      .filter(([, row]) => row.kind === kind && row.revisions.includes(version))
      .filter(([, row]) => {
        const from = (modern ? row.modernFrom : undefined) ?? row.from
        return from === 'both' || from === side
      })
      .map(([name]) => name)
    return new Set(names)
  }
  return {
    clientRequests: pick('client', 'request'),
    clientNotifications: pick('client', 'notification'),
    serverRequests: pick('server', 'request'),
    serverNotifications: pick('server', 'notification'),
  }
}
