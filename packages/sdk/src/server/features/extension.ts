/**
 * The registrar for protocol extensions (2026-07-28, versioning, "Extension Negotiation"). An extension adds its
 * capability, methods, result types, listen filters and its source for `Mcp-Name` through this and nothing else.
 */

import { invalidDefinition, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject, type RpcNotification } from '../../jsonrpc/message.ts'
import { tellObserver } from '../../jsonrpc/observer.ts'
import type { ClientCapabilities, ServerCapabilities } from '../../protocol/capabilities.ts'
import { MISSING_CLIENT_CAPABILITY } from '../../protocol/errors.ts'
import { methodOf } from '../../protocol/methods.ts'
import type { SubscriptionFilter } from '../../protocol/subscriptions.ts'
import type { LegacySession } from '../../session/legacy-session.ts'
import { methodNotFound } from '../call/answer.ts'
import type { ServerCall } from '../call/call.ts'
import { andThen, defineMethod, type ServerMethod } from '../call/method.ts'
import type { RequestContext } from '../context.ts'
import { defineFeature, type Feature, type FeatureHost } from '../feature.ts'
import type { ResourceDefinition } from '../items/definition.ts'

/** One method of an extension. */
export interface ExtensionMethod {
  run(params: JsonObject, ctx: RequestContext): JsonObject | Promise<JsonObject>
  /** The parameter that the `Mcp-Name` header mirrors. */
  readonly name?: string
  /** Refuse clients that did not declare the extension. */
  readonly requiresClient?: boolean
}

/** A protocol extension: its name, settings, methods, filters and resources. */
export interface Extension {
  /** With a prefix, as in `com.example/feature`. */
  readonly id: string
  /** Its settings object in the server's capabilities. */
  readonly settings?: JsonObject
  readonly methods?: { readonly [method: string]: ExtensionMethod }
  /**
   * Older revisions negotiate the extension under `experimental`, where this server declares it and the client must too.
   * These are the methods of the notices that such clients are sent; newer ones ask for them by `filter`.
   */
  readonly notifications?: readonly string[]
  /** Notices of clients, by method. On older revisions only those of clients that declared the extension come here. */
  readonly onNotification?: {
    readonly [method: string]: (params: JsonObject, session: LegacySession | undefined) => void
  }
  /** What the extension serves through `resources/read`, by name, as if the server had defined it. */
  readonly resources?: Iterable<readonly [name: string, definition: ResourceDefinition]>
  /** Reads the extension's own members of a `subscriptions/listen` filter; returns what is honoured. */
  readonly filter?: (notifications: JsonObject) => SubscriptionFilter
}

/** The extensions of a server, as one feature of it. */
class Extensions implements Feature {
  readonly #host: FeatureHost
  #extensions = new Map<string, Extension>()

  constructor(host: FeatureHost) {
    this.#host = host
  }

  add(extension: Extension): void {
    if (
      !/^[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z][A-Za-z0-9-]*)*\/[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(extension.id)
    ) {
      throw invalidDefinition(`Extension id "${extension.id}" must be a prefix, "/" and a name`)
    }
    for (const method of Object.keys(extension.methods ?? {})) {
      if (methodOf(method) !== undefined) {
        throw invalidDefinition(`Extension "${extension.id}" may not redefine "${method}"`)
      }
    }
    this.#extensions.set(extension.id, extension)
    this.#host.methodsChanged()
  }

  takeOver(other: this): void {
    this.#extensions = other.#extensions
    this.#host.methodsChanged()
  }

  capability(): ServerCapabilities {
    if (this.#extensions.size === 0) return {}
    return { extensions: Object.fromEntries([...this.#extensions].map(([id, { settings }]) => [id, settings ?? {}])) }
  }

  methods(): ServerMethod[] {
    return [...this.#extensions.values()].flatMap((extension) =>
      Object.entries(extension.methods ?? {}).map(([method, definition]) =>
        defineMethod<JsonObject>({
          method,
          run: (call) => {
            // Nothing newer than the revision is served to a client that has not asked for it.
            if (
              call.conversation.revision.era === 'legacy' &&
              !declares(call.conversation.capabilities, extension.id)
            ) {
              throw methodNotFound(method)
            }
            if (definition.requiresClient === true) requireExtension(extension.id, call)
            return andThen(definition.run(call.params, this.#host.plainContext(call)), (result) => result)
          },
          write: (result) => result,
        }),
      ),
    )
  }

  /** The notices that extensions have named. */
  notifications(): string[] {
    return [...this.#extensions.values()].flatMap(({ notifications }) => notifications ?? [])
  }

  /** The extension whose notice this is, where a client of an older revision may be sent it. */
  ownerOf(notice: string): string | undefined {
    return [...this.#extensions.values()].find(({ notifications }) => notifications?.includes(notice))?.id
  }

  /** Gives a client's notice to the extensions that it belongs to. */
  hear({ method, params = {} }: RpcNotification, session: LegacySession | undefined): void {
    for (const { id, onNotification } of this.#extensions.values()) {
      if (onNotification === undefined || !Object.hasOwn(onNotification, method)) continue
      // A connection of the newest revision has a session that nobody opened.
      const own = session?.initialized ? session : undefined
      if (own !== undefined && !declares(own.capabilities, id)) continue
      tellObserver(
        () => onNotification[method]?.(params, own),
        (error) => this.#host.reportPrivately(error, method),
      )
    }
  }

  nameSource(method: string): string | undefined {
    for (const { methods } of this.#extensions.values()) {
      if (methods !== undefined && Object.hasOwn(methods, method)) return methods[method]?.name
    }
    return undefined
  }

  filter(asked: JsonObject): SubscriptionFilter {
    return Object.assign({}, ...[...this.#extensions.values()].map(({ filter }) => filter?.(asked)))
  }
}

export const EXTENSIONS = defineFeature('extensions', (server) => new Extensions(server))

/** Whether a client declared the extension, in either of the two places that revisions have for it. */
function declares({ extensions, experimental }: ClientCapabilities, id: string): boolean {
  return [extensions, experimental].some((declared) => isObject(declared) && Object.hasOwn(declared, id))
}

/** Fails with `-32021` unless the client declared the extension in this request. */
function requireExtension(id: string, call: ServerCall): void {
  if (declares(call.conversation.capabilities, id)) return
  throw new RpcError(MISSING_CLIENT_CAPABILITY, `This needs the extension "${id}"`, {
    requiredCapabilities: { extensions: { [id]: {} } },
  })
}
