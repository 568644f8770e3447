/**
 * Resources and templates on a server: the two lists, reading, and the subscriptions of the older revisions. What an item
 * is made of comes with it (`resource-entry.ts`), so that a server without resources is without that code.
 */

import type { Principal } from '../../auth/principal.ts'
import { withoutUndefined } from '../../jsonrpc/members.ts'
import type { ListResourcesResult, ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/resources.ts'
import type { Revision } from '../../protocol/revision.ts'
import { readFilter } from '../../protocol/subscriptions.ts'
import type { TemplateMatch, UriTemplate } from '../../schema/uri-template/uri-template.ts'
import type { LegacySession } from '../../session/legacy-session.ts'
import type { ServerCall } from '../call/call.ts'
import { defineMethod, type ServerMethod, stringParam, tooManySubscriptions } from '../call/method.ts'
import type { AskingContext, RequestContext } from '../context.ts'
import {
  type Collection,
  defineCollection,
  defineFeature,
  type Feature,
  type FeatureHost,
  type Item,
} from '../feature.ts'
import { isGuarded, isUsable, isVisible, requireAccess } from '../items/access.ts'
import type { CacheHint } from '../items/item-options.ts'
import { Registry } from '../items/registry.ts'
import type { Completable } from './completion.ts'
import { cacheHints, ItemList } from './list.ts'
import { cursorOf, pageOf } from './paging.ts'

interface Readable extends Item, Completable {
  readonly cache: CacheHint | undefined
  /** Throws the revision's own error when there is nothing under the URI. */
  readonly read: (
    uri: string,
    variables: TemplateMatch,
    ctx: AskingContext,
    revision: Revision,
  ) => ReadResourceResult | Promise<ReadResourceResult>
}

export interface ResourceEntry extends Readable {
  readonly resource: Resource
}

export interface TemplateEntry extends Readable {
  readonly template: ResourceTemplate
  readonly uri: Pick<UriTemplate, 'literalPrefix' | 'match'>
  readonly list: ((ctx: RequestContext) => Promise<Resource[]>) | undefined
}

interface ResourceHost {
  /** By URI. */
  readonly resources: Registry<ResourceEntry>
  /** By the template's text. */
  readonly templates: Registry<TemplateEntry>
  readonly server: FeatureHost
}

interface ResourceFeature extends Feature {
  readonly resources: Registry<ResourceEntry>
  readonly templates: Registry<TemplateEntry>
}

export const RESOURCES = defineFeature('resources', (server): ResourceFeature => {
  const resources = new Registry<ResourceEntry>('resource')
  const templates = new Registry<TemplateEntry>('resource template')
  const host = { resources, templates, server }
  const usable = (uri: string, principal: Principal | undefined): boolean => {
    const found = findResource(host, uri, principal)
    return found !== undefined && isUsable(found.entry.access, principal)
  }
  const known = (uri: string) => resources.get(uri) !== undefined || templateFor(templates, uri) !== undefined
  return {
    resources,
    templates,
    collections: [resourceCollection(resources), templateCollection(templates)],
    capability: () =>
      resources.declared || templates.declared ? { resources: { subscribe: true, listChanged: true } } : {},
    methods: () => createResourceMethods(host),
    filter: (asked, { conversation }) => {
      const uris = readFilter(asked)?.resourceSubscriptions?.filter((uri) => usable(uri, conversation.principal))
      return uris === undefined || uris.length === 0 ? {} : { resourceSubscriptions: uris }
    },
    // Of one that is gone everybody may hear who was let to subscribe.
    mayHear: (uri, principal) => !known(uri) || usable(uri, principal),
  }
})

const SHARED = { list: 'resources', method: 'resources/read', keyedBy: 'uri', reference: 'ref/resource' } as const

function resourceCollection(registry: Registry<ResourceEntry>): Collection {
  return defineCollection<ResourceEntry>({
    ...SHARED,
    registry,
    kind: 'resource',
    member: 'resources',
    show: ({ resource }) => resource,
    rename: (entry, name) => ({ ...entry, resource: { ...entry.resource, name } }),
  })
}

function templateCollection(registry: Registry<TemplateEntry>): Collection {
  return defineCollection<TemplateEntry>({
    ...SHARED,
    registry,
    kind: 'template',
    member: 'resourceTemplates',
    show: ({ template }) => template,
    rename: (entry, name) => ({ ...entry, template: { ...entry.template, name } }),
    find: (kind, name) =>
      kind === 'template' ? registry.get(name) : kind === 'resource' ? templateFor(registry, name) : undefined,
  })
}

function templateFor(templates: Registry<TemplateEntry>, uri: string): TemplateEntry | undefined {
  for (const entry of templates.values()) if (entry.uri.match(uri) !== undefined) return entry
  return undefined
}

/** A resource found for a URI, with what the template read out of it. */
interface Found {
  readonly entry: ResourceEntry | TemplateEntry
  readonly variables: TemplateMatch
}

function createResourceMethods(host: ResourceHost): ServerMethod[] {
  const served = () => host.resources.declared || host.templates.declared
  return [...createListMethods(host, served), ...createReadMethods(host, served)]
}

function createListMethods(host: ResourceHost, served: () => boolean): ServerMethod[] {
  const shared = { pageSize: host.server.pageSize, cache: host.server.listCache }
  const resources = new ItemList<ResourceEntry, Resource>({
    ...shared,
    registry: host.resources,
    member: 'resources',
    show: (entry) => entry.resource,
    write: (resource, revision) => revision.writeResource(resource),
    alsoRestricted: () =>
      [...host.templates.values()].some(({ list, access }) => list !== undefined && isGuarded(access)),
  })
  const templates = new ItemList<TemplateEntry, ResourceTemplate>({
    ...shared,
    registry: host.templates,
    member: 'resourceTemplates',
    show: (entry) => entry.template,
    write: (template, revision) => revision.writeResourceTemplate(template),
  })
  const listing = () => [...host.templates.values()].some((entry) => entry.list !== undefined)
  return [
    defineMethod<ListResourcesResult>({
      ...resources.method<ListResourcesResult>('resources/list', served),
      // Templates that list their own resources make the list a matter of the moment.
      ready: (call) => (listing() ? undefined : resources.text(call)),
      run: async (call) => {
        const all = [...resources.all(call), ...(await listTemplated(host, call))]
        const { items, nextCursor } = pageOf('resources', all, cursorOf(call.params), host.server.pageSize)
        return { resources: [...items], ...withoutUndefined({ nextCursor }) }
      },
    }),
    defineMethod(templates.method('resources/templates/list', served)),
  ]
}

function createReadMethods(host: ResourceHost, served: () => boolean): ServerMethod[] {
  return [
    defineMethod<ReadResourceResult>({
      method: 'resources/read',
      served,
      admit: (call) => void requireResource(host, stringParam(call.params, 'uri'), call),
      run: (call) => {
        const uri = stringParam(call.params, 'uri')
        const { entry, variables } = requireResource(host, uri, call)
        const run = () => entry.read(uri, variables, host.server.context(call), call.conversation.revision)
        return entry.inside === undefined ? run() : entry.inside(call, run)
      },
      write: (result, call) => {
        const { revision, principal } = call.conversation
        const written = revision.writeReadResourceResult(result)
        if (!revision.traits.cacheHints) return written
        const found = findResource(host, String(call.params.uri), principal)
        const hint = found?.entry.cache ?? host.server.readCache
        // One that is gone by now may have had any rule.
        return {
          ...written,
          ...cacheHints({ scope: 'private', ...hint }, found === undefined || isGuarded(found.entry.access)),
        }
      },
    }),
    defineMethod<object>({
      method: 'resources/subscribe',
      served,
      run: (call) => {
        const uri = stringParam(call.params, 'uri')
        requireResource(host, uri, call)
        if (call.session !== undefined) subscribe(host, call.session, uri)
        return {}
      },
      write: () => ({}),
    }),
    defineMethod<object>({
      method: 'resources/unsubscribe',
      served,
      run: (call) => {
        const uri = stringParam(call.params, 'uri')
        if (call.session?.unsubscribe(uri)) host.server.subscribers.remove(uri)
        return {}
      },
      write: () => ({}),
    }),
  ]
}

function subscribe({ server: { subscribers } }: ResourceHost, session: LegacySession, uri: string): void {
  const { subscriptions } = session
  // One that has ended meanwhile hears of nothing, and nobody would count it out again.
  if (session.phase === 'closed' || subscriptions.has(uri)) return
  if (!session.subscribe(uri)) throw tooManySubscriptions('uri')
  subscribers.follow(session)
  subscribers.add(uri)
}

/** Finds what serves a URI: an exact resource first, then the first template that matches and may be seen. */
function findResource(
  host: Pick<ResourceHost, 'resources' | 'templates'>,
  uri: string,
  principal: ServerCall['conversation']['principal'],
): Found | undefined {
  const exact = host.resources.get(uri)
  if (exact !== undefined) return isVisible(exact.access, principal) ? { entry: exact, variables: {} } : undefined
  for (const entry of host.templates.values()) {
    const variables = uri.startsWith(entry.uri.literalPrefix) ? entry.uri.match(uri) : undefined
    if (variables !== undefined && isVisible(entry.access, principal)) return { entry, variables }
  }
  return undefined
}

function requireResource(host: ResourceHost, uri: string, call: ServerCall): Found {
  const { revision, principal } = call.conversation
  const found = findResource(host, uri, principal)
  if (found === undefined) throw revision.resourceNotFound(uri)
  requireAccess(found.entry.access, principal)
  return found
}

/** What the templates list themselves. One that cannot say what it has is left out, and its author told. */
async function listTemplated(host: ResourceHost, call: ServerCall): Promise<Resource[]> {
  const { principal } = call.conversation
  const usable = [...host.templates.values()].filter(({ access }) => isUsable(access, principal))
  const lists = await Promise.all(
    usable.map(async ({ list, template }) => {
      try {
        return (await list?.(host.server.plainContext(call))) ?? []
      } catch (error) {
        if (!call.cancelled) host.server.reportPrivately(error, `list of template ${template.uriTemplate}`)
        return []
      }
    }),
  )
  return lists.flat()
}
