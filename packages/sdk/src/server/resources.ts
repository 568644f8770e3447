/** Resources and templates on a server: the two lists, reading, and the subscriptions of the older revisions. */

import { PorticoError } from '../jsonrpc/errors.ts'
import { isObject } from '../jsonrpc/message.ts'
import type { ResourceContents } from '../protocol/content.ts'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '../protocol/resources.ts'
import { parseTemplate, type TemplateMatch, type UriTemplate } from '../schema/uri-template.ts'
import { isUsable, isVisible, requireAccess } from './access.ts'
import type { ServerCall } from './call.ts'
import type { AskingContext, RequestContext } from './context.ts'
import type { Access, CacheHint, Completer, ResourceDefinition, ResourceListing } from './definition.ts'
import { cacheHints, ItemList } from './list.ts'
import { andThen, defineMethod, type ServerMethod, stringParam, tooManySubscriptions } from './method.ts'
import type { Registry } from './registry.ts'

interface Readable {
  readonly access: Access
  readonly mimeType: string | undefined
  readonly cache: CacheHint | undefined
  readonly complete: { readonly [variable: string]: Completer }
  readonly handler: (variables: TemplateMatch, ctx: AskingContext) => unknown
}

export interface ResourceEntry extends Readable {
  readonly resource: Resource
}

export interface TemplateEntry extends Readable {
  readonly template: ResourceTemplate
  readonly uri: UriTemplate
  readonly list: ((ctx: RequestContext) => ResourceListing[] | Promise<ResourceListing[]>) | undefined
}

export interface ResourceHost {
  /** By URI. */
  readonly resources: Registry<ResourceEntry>
  /** By the template's text. */
  readonly templates: Registry<TemplateEntry>
  readonly pageSize: number | undefined
  readonly listCache: CacheHint
  readonly readCache: CacheHint
  context(call: ServerCall): AskingContext
  plainContext(call: ServerCall): RequestContext
}

/** A resource found for a URI, with what the template read out of it. */
export interface Found {
  readonly entry: ResourceEntry | TemplateEntry
  readonly variables: TemplateMatch
}

export function createResourceMethods(host: ResourceHost): ServerMethod[] {
  const served = () => host.resources.declared || host.templates.declared
  return [...createListMethods(host, served), ...createReadMethods(host, served)]
}

function createListMethods(host: ResourceHost, served: () => boolean): ServerMethod[] {
  const shared = { pageSize: host.pageSize, cache: host.listCache }
  const resources = new ItemList<ResourceEntry, Resource>({
    ...shared,
    registry: host.resources,
    member: 'resources',
    show: (entry) => entry.resource,
    write: (resource, revision) => revision.writeResource(resource),
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
      method: 'resources/list',
      served,
      // Templates that list their own resources make the list a matter of the moment.
      ready: (call) => (listing() ? undefined : resources.text(call)),
      run: async (call) => {
        const { items, nextCursor } = resources.shown(call)
        if (nextCursor !== undefined) return { resources: items, nextCursor }
        return { resources: [...items, ...(await listTemplated(host, call))] }
      },
      write: (result, call) => resources.write(result, result.resources, call),
    }),
    defineMethod<ListResourceTemplatesResult>({
      method: 'resources/templates/list',
      served,
      ready: (call) => templates.text(call),
      run: (call) => {
        const { items, nextCursor } = templates.shown(call)
        return nextCursor === undefined ? { resourceTemplates: items } : { resourceTemplates: items, nextCursor }
      },
      write: (result, call) => templates.write(result, result.resourceTemplates, call),
    }),
  ]
}

function createReadMethods(host: ResourceHost, served: () => boolean): ServerMethod[] {
  return [
    defineMethod<ReadResourceResult>({
      method: 'resources/read',
      served,
      run: (call) => {
        const uri = stringParam(call.params, 'uri')
        const { entry, variables } = requireResource(host, uri, call)
        return andThen(entry.handler(variables, host.context(call)), (value) =>
          toReadResult(value, uri, entry.mimeType, call),
        )
      },
      write: (result, call) => {
        const { revision, principal } = call.conversation
        const written = revision.writeReadResourceResult(result)
        if (!revision.traits.cacheHints) return written
        const hint = findResource(host, String(call.params.uri), principal)?.entry.cache ?? host.readCache
        return { ...written, ...cacheHints({ scope: 'private', ...hint }, false) }
      },
    }),
    defineMethod<object>({
      method: 'resources/subscribe',
      served,
      run: (call) => {
        const uri = stringParam(call.params, 'uri')
        requireResource(host, uri, call)
        if (call.session?.subscribe(uri) === false) throw tooManySubscriptions('uri')
        return {}
      },
      write: () => ({}),
    }),
    defineMethod<object>({
      method: 'resources/unsubscribe',
      served,
      run: (call) => {
        call.session?.unsubscribe(stringParam(call.params, 'uri'))
        return {}
      },
      write: () => ({}),
    }),
  ]
}

/** Finds what serves a URI: an exact resource first, then the first template that matches and may be seen. */
export function findResource(
  host: ResourceHost,
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

export function compileResource(name: string, definition: ResourceDefinition): ResourceEntry | TemplateEntry {
  const { options } = definition
  const { uri, title, description, icons, meta, mimeType, annotations, size, scopes, challenge, visible } = options
  const described = {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(icons !== undefined && { icons }),
    ...(annotations !== undefined && { annotations }),
    ...(meta !== undefined && { _meta: meta }),
  }
  const readable: Readable = {
    access: { ...(scopes && { scopes }), ...(challenge && { challenge }), ...(visible && { visible }) },
    mimeType,
    cache: options.cache,
    complete: options.complete ?? {},
    // The template's own text names the variables that the handler was declared for.
    handler: definition.handler as Readable['handler'],
  }
  if (uri.includes('{')) {
    const template = parseTemplate(uri)
    return { ...readable, template: { uriTemplate: uri, ...described }, uri: template, list: options.list }
  }
  if (!URL.canParse(uri))
    throw new PorticoError('invalid-definition', `Resource "${name}": "${uri}" is not an absolute URI`)
  return { ...readable, resource: { uri, ...described, ...(size !== undefined && { size }) } }
}

function requireResource(host: ResourceHost, uri: string, call: ServerCall): Found {
  const { revision, principal } = call.conversation
  const found = findResource(host, uri, principal)
  if (found === undefined) throw revision.resourceNotFound(uri)
  requireAccess(found.entry.access, principal)
  return found
}

async function listTemplated(host: ResourceHost, call: ServerCall): Promise<Resource[]> {
  const lists = await Promise.all(
    [...host.templates.values()].map(async (entry) => {
      if (entry.list === undefined || !isUsable(entry.access, call.conversation.principal)) return []
      const { mimeType } = entry.template
      const listed = await entry.list(host.plainContext(call))
      return listed.map((one): Resource => (mimeType === undefined ? { ...one } : { mimeType, ...one }))
    }),
  )
  return lists.flat()
}

/** From what a handler returns to contents: text, bytes, JSON, contents with their own URIs, or a full result. */
function toReadResult(value: unknown, uri: string, mimeType: string | undefined, call: ServerCall): ReadResourceResult {
  if (typeof value === 'string') return { contents: [{ uri, ...(mimeType && { mimeType }), text: value }] }
  if (value instanceof Uint8Array) {
    return { contents: [{ uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(value) }] }
  }
  if (value === undefined || value === null) throw call.conversation.revision.resourceNotFound(uri)
  if (Array.isArray(value) && value.every(isContents)) return { contents: value }
  if (isObject(value)) {
    if (isContents(value)) return { contents: [value] }
    // `contents` of the right shape is what makes an object a full result.
    if (Array.isArray(value.contents) && value.contents.every(isContents)) return value as unknown as ReadResourceResult
  }
  return { contents: [{ uri, mimeType: mimeType ?? 'application/json', text: JSON.stringify(value) }] }
}

function isContents(value: unknown): value is ResourceContents {
  return (
    isObject(value) &&
    typeof value.uri === 'string' &&
    (typeof value.text === 'string' || typeof value.blob === 'string')
  )
}

function toBase64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += 8190)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 8190))))
  return parts.join('')
}
