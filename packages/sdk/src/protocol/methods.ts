/**
 * Every method and notification of MCP in one table: who sends it, in which revisions. The revisions take their sets of
 * methods from here, `headers.ts` the source of `Mcp-Name`, servers which handlers may ask. Methods of extensions are
 * registered elsewhere and are not in it.
 */

import type { ServerCapabilities } from './capabilities.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from './revision.ts'

type Side = 'client' | 'server'

/** What is to be known of a method before its parameters are looked at. */
interface Method {
  /** A modern result may be `input_required`: the handler may ask the client for input. */
  readonly asks: boolean
  /** The parameter that `Mcp-Name` mirrors. */
  readonly nameFrom: 'name' | 'uri' | undefined
  /** What a server must have declared for a client to call this. */
  readonly capability: keyof ServerCapabilities | undefined
}

interface MethodSets {
  readonly clientRequests: ReadonlySet<string>
  readonly clientNotifications: ReadonlySet<string>
  /** In the modern revisions these travel as input requests inside results, never as messages of their own. */
  readonly serverRequests: ReadonlySet<string>
  readonly serverNotifications: ReadonlySet<string>
}

type Group = readonly [
  kind: 'request' | 'notification',
  from: Side | 'both',
  revisions: readonly ProtocolVersion[],
  methods: readonly string[],
  capability?: keyof ServerCapabilities,
]

const ALL = PROTOCOL_VERSIONS
const LEGACY = ALL.slice(0, 4)
const MODERN = ALL.slice(4)

const GROUPS: readonly Group[] = [
  ['request', 'client', LEGACY, ['initialize']],
  ['request', 'client', MODERN, ['server/discover', 'subscriptions/listen']],
  ['request', 'client', ALL, ['tools/list', 'tools/call'], 'tools'],
  ['request', 'client', ALL, ['resources/list', 'resources/templates/list', 'resources/read'], 'resources'],
  ['request', 'client', LEGACY, ['resources/subscribe', 'resources/unsubscribe'], 'resources'],
  ['request', 'client', ALL, ['prompts/list', 'prompts/get'], 'prompts'],
  ['request', 'client', ALL, ['completion/complete'], 'completions'],
  ['request', 'client', LEGACY, ['logging/setLevel'], 'logging'],
  ['request', 'both', LEGACY, ['ping']],
  ['request', 'server', ALL, ['sampling/createMessage', 'roots/list']],
  ['request', 'server', ALL.slice(2), ['elicitation/create']],

  ['notification', 'both', ALL, ['notifications/cancelled']],
  // A modern client has no requests to report progress on (2026-07-28, schema, `ClientNotification`).
  ['notification', 'both', LEGACY, ['notifications/progress']],
  ['notification', 'server', MODERN, ['notifications/progress', 'notifications/subscriptions/acknowledged']],
  ['notification', 'client', LEGACY, ['notifications/initialized', 'notifications/roots/list_changed']],
  ['notification', 'server', ALL, ['notifications/message', 'notifications/resources/updated']],
  [
    'notification',
    'server',
    ALL,
    ['tools', 'resources', 'prompts'].map((list) => `notifications/${list}/list_changed`),
  ],
  ['notification', 'server', ['2025-11-25'], ['notifications/elicitation/complete']],
]

/** The methods whose handlers may ask are those that name an item, and headers mirror the name. */
const NAMED: ReadonlyMap<string, 'name' | 'uri'> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

/** A map, so that names such as `constructor`, which a peer may send, have no row (sec-25). */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  GROUPS.flatMap(([, , , methods, capability]) =>
    methods.map((method) => [method, { asks: NAMED.has(method), nameFrom: NAMED.get(method), capability }]),
  ),
)

/** The requests that a client of some revision sends. */
export const CLIENT_REQUESTS: ReadonlySet<string> = new Set(
  GROUPS.flatMap(([kind, from, , methods]) => (kind === 'request' && from !== 'server' ? methods : [])),
)

/** The row of a method named by a peer. */
export function methodOf(method: string): Method | undefined {
  return METHODS.get(method)
}

/** The four sets of methods of a revision. Called once for each, when its module is loaded. */
export function methodSets(version: ProtocolVersion): MethodSets {
  const pick = (side: Side, kind: Group[0]): ReadonlySet<string> =>
    new Set(
      GROUPS.flatMap(([of, from, revisions, methods]) =>
        of === kind && (from === side || from === 'both') && revisions.includes(version) ? methods : [],
      ),
    )
  return {
    clientRequests: pick('client', 'request'),
    clientNotifications: pick('client', 'notification'),
    serverRequests: pick('server', 'request'),
    serverNotifications: pick('server', 'notification'),
  }
}
