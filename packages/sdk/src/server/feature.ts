/**
 * A feature of a server as a value: its items, what it declares, its methods, and what it has to say where the server as a
 * whole is asked. `feature-set.ts` folds whatever features a server has, and names none; each stands in the file that is
 * called after it.
 */

import type { PolicyItem } from '../auth/access-policy.ts'
import type { Principal } from '../auth/principal.ts'
import type { RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject, RpcNotification } from '../jsonrpc/message.ts'
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import type { ParamHeader } from '../protocol/headers/headers.ts'
import type { ProtocolVersion, Revision } from '../protocol/revision.ts'
import type { SubscriptionFilter } from '../protocol/subscriptions.ts'
import type { LegacySession } from '../session/legacy-session.ts'
import type { Asker } from './asking/asking.ts'
import type { ServerCall } from './call/call.ts'
import type { Inside, ServerMethod } from './call/method.ts'
import type { AskingContext, RequestContext } from './context.ts'
import type { ChangeHub } from './items/changes.ts'
import type { Access, CacheHint } from './items/item-options.ts'
import type { Registry } from './items/registry.ts'
import type { Subscribers } from './items/subscribers.ts'

/** What one feature contributes. A member that it has no use for it leaves out. */
export interface Feature {
  /** Its items, one collection for each kind. */
  readonly collections?: readonly Collection[]
  /** What it declares to clients; nothing while it has nothing to offer. Revisions leave out what they lack. */
  capability?(call?: ServerCall): ServerCapabilities
  /** Where two features have the same method, that of the earlier one is served. */
  methods?(): readonly ServerMethod[]
  /** What it honours of a listener's filter, beside the changes of its lists. */
  filter?(asked: JsonObject, call: ServerCall): SubscriptionFilter
  /** Whether news of a resource may go to a principal; it goes unless a feature says no. */
  mayHear?(uri: string, principal: Principal | undefined): boolean
  /** The parameters of an item that are mirrored in HTTP headers; undefined when it is not the feature's. */
  paramHeaders?(name: string, principal: Principal | undefined): readonly ParamHeader[] | undefined
  /** Which parameter of a method of its own `Mcp-Name` mirrors, where the protocol's table does not say it. */
  nameSource?(method: string): string | undefined
  /** Told of every notification of clients. */
  hear?(message: RpcNotification, session: LegacySession | undefined): void
  /** What a client is told in addition when it connects. */
  introduce?(call: ServerCall): Introduction | undefined | Promise<Introduction | undefined>
  /**
   * Follows for one listener what its filter asks of this feature: what of it is honoured, how to begin telling, and how to
   * end.
   */
  follow?(asked: JsonObject, call: ServerCall, notify: Notify): Promise<Followed | undefined>
  /** Where resources are somebody else's: follows one for one listener, or rejects. */
  watch?(uri: string, call: ServerCall, changed: (uri: string) => void): Promise<() => void>
  /** Goes on with what the same feature of another server has beside items: the server is adopting that one. */
  takeOver?(other: this): void
}

/** Sends a notice to one listener. */
export type Notify = (method: string, params: JsonObject) => void

/** What a feature follows for one listener. */
export interface Followed {
  readonly filter: SubscriptionFilter
  begin(): void
  end(): void
}

/** How a feature comes into a server: once, under its name. */
export interface FeatureDefinition<Made extends Feature = Feature> {
  readonly name: string
  create(host: FeatureHost): Made
}

/** Under it a server takes features; see `Server`. */
export const FEATURE: unique symbol = Symbol.for('portico.feature') as never

export function defineFeature<Made extends Feature>(
  name: string,
  create: (host: FeatureHost) => Made,
): FeatureDefinition<Made> {
  return { name, create }
}

/** What every item has, whatever its kind. */
export interface Item {
  readonly access: Access
  /** What the server that it was mounted from puts around it. */
  readonly inside?: Inside
}

/** What of an item's description rules may look at: what its author wrote for programs, not the texts for people. */
export interface Facts {
  readonly annotations?: object
  readonly mimeType?: string
  readonly _meta?: object
}

/** What lists show of any item. */
interface Shown extends Facts {
  readonly name: string
}

/** The items of one kind, and what has to be known of them by those who walk all kinds. */
export interface Collection<Entry extends Item = Item> {
  readonly registry: Registry<Entry>
  /** What access rules call one of them. */
  readonly kind: PolicyItem['kind']
  /** The list that they are in: `notifications/<list>/list_changed` tells of it, and listeners ask by `<list>ListChanged`. */
  readonly list: string
  /** Their member in the catalogue. */
  readonly member: string
  /** The method that uses an item: middleware around it goes with the items wherever they are mounted. */
  readonly method: string
  /** Names get a prefix where an item is mounted; URIs are addresses, which stay what they are. */
  readonly keyedBy: 'name' | 'uri'
  /** How a request for completion refers to an item, where there can be any. */
  readonly reference?: string
  show(entry: Entry): Shown
  rename(entry: Entry, name: string): Entry
  /** The item behind a name of any kind, where one serves more than its own. */
  find?(kind: PolicyItem['kind'], name: string): Entry | undefined
}

/** Takes collections of any kind of entry into one list; the functions of a collection meet its own entries only. */
export function defineCollection<Entry extends Item>(collection: Collection<Entry>): Collection {
  return collection as unknown as Collection
}

/** What is added to the server's description of itself when a client connects. */
export interface Introduction {
  readonly info?: Omit<Partial<Implementation>, 'name' | 'version'>
  readonly instructions?: string
  readonly experimental?: { readonly [name: string]: JsonObject }
}

/** What features need of the server around them. */
export interface FeatureHost {
  readonly info: Implementation
  readonly instructions: string | undefined
  /** Oldest first. */
  readonly versions: readonly ProtocolVersion[]
  readonly pageSize: number | undefined
  readonly listCache: CacheHint
  readonly readCache: CacheHint
  /** Whether `ctx.log` reaches clients. */
  readonly logs: boolean
  readonly hub: ChangeHub
  readonly subscribers: Subscribers
  /** The items of all features. */
  readonly collections: readonly Collection[]
  /** For one caller, or what there is at all. */
  capabilities(call?: ServerCall): ServerCapabilities
  introduce(call: ServerCall): Introduction | undefined | Promise<Introduction | undefined>
  /** What of a filter this server honours for this caller. */
  honoured(asked: JsonObject, call: ServerCall): SubscriptionFilter
  mayHear(uri: string, principal: Principal | undefined): boolean
  readonly watch: Feature['watch']
  readonly follow: Feature['follow']
  context(call: ServerCall): AskingContext
  plainContext(call: ServerCall): RequestContext
  readonly asker: Asker
  /** A method with the middleware around it, as a revision has it. */
  method(revision: Revision, name: string): ServerMethod | undefined
  /** Runs the server's `context` function for a call. */
  enter(call: ServerCall): void | Promise<void>
  /** Reports an unexpected error in full to the operator and returns what a client may be told. */
  reportPrivately(error: unknown, where: string): string
  /** The same, as the error that the client gets. */
  concealed(error: unknown, where: string): RpcError
  /** To be called when the methods of a feature are others than before. */
  methodsChanged(): void
}
