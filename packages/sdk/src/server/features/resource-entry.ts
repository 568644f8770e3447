/**
 * One resource or template, made of what its author wrote: the URI read, the handler's value turned into contents.
 * `resource` (`definition.ts`) takes this along, and `resources.ts` serves what comes of it.
 */

import { invalidDefinition } from '../../jsonrpc/errors.ts'
import { withoutUndefined } from '../../jsonrpc/members.ts'
import { isObject } from '../../jsonrpc/message.ts'
import { requireOptions } from '../../jsonrpc/option-table.ts'
import { type ResourceContents, toBase64 } from '../../protocol/content.ts'
import type { ReadResourceResult, Resource } from '../../protocol/resources.ts'
import type { Revision } from '../../protocol/revision.ts'
import { parseTemplate, type TemplateMatch } from '../../schema/uri-template/uri-template.ts'
import { andThen } from '../call/method.ts'
import type { AskingContext, RequestContext } from '../context.ts'
import { accessOf } from '../items/access.ts'
import { describe, RESOURCE_OPTIONS, type ResourceListing, type ResourceOptions } from '../items/item-options.ts'
import { requireCompleters, toCompletion } from './completion-entry.ts'
import type { ResourceEntry, TemplateEntry } from './resources.ts'

/** Throws `invalid-definition` for a URI that is none. */
export function toResourceEntry(
  name: string,
  options: ResourceOptions<string>,
  handler: (variables: never, ctx: never) => unknown,
): ResourceEntry | TemplateEntry {
  requireOptions(`Resource "${name}"`, options, RESOURCE_OPTIONS)
  const { uri, mimeType, annotations, size, list } = options
  if (uri === undefined) throw invalidDefinition(`Resource "${name}" needs a uri`)
  const described = { name, ...describe(options), ...withoutUndefined({ mimeType, annotations }) }
  // The template's own text names the variables that the handler was declared for.
  const run = handler as (variables: TemplateMatch, ctx: AskingContext) => unknown
  const readable = {
    access: accessOf(options),
    cache: options.cache,
    complete: toCompletion(options.complete),
    read: (asked: string, variables: TemplateMatch, ctx: AskingContext, revision: Revision) =>
      andThen(run(variables, ctx), (value) => toReadResult(value, asked, mimeType, revision)),
  }
  if (uri.includes('{')) {
    const parsed = parseTemplate(uri)
    requireCompleters(`Resource "${name}"`, options.complete, parsed.names)
    const template = { uriTemplate: uri, ...described }
    return { ...readable, template, uri: parsed, list: list && withMimeType(list, mimeType) }
  }
  if (!URL.canParse(uri)) throw invalidDefinition(`Resource "${name}": "${uri}" is not an absolute URI`)
  return { ...readable, resource: { uri, ...described, ...withoutUndefined({ size }) } }
}

/** What a template lists is of the template's type unless it says otherwise. */
function withMimeType(
  list: NonNullable<ResourceOptions<string>['list']>,
  mimeType: string | undefined,
): (ctx: RequestContext) => Promise<Resource[]> {
  const preset = withoutUndefined({ mimeType })
  return async (ctx) => {
    const listed: readonly ResourceListing[] = await list(ctx)
    return listed.map((one) => ({ ...preset, ...one }))
  }
}

/** From what a handler returns to contents: text, bytes, JSON, contents with their own URIs, or a full result. */
function toReadResult(
  value: unknown,
  uri: string,
  mimeType: string | undefined,
  revision: Revision,
): ReadResourceResult {
  if (typeof value === 'string') return { contents: [{ uri, ...(mimeType && { mimeType }), text: value }] }
  if (value instanceof Uint8Array) {
    return { contents: [{ uri, mimeType: mimeType ?? 'application/octet-stream', blob: toBase64(value) }] }
  }
  if (value === undefined || value === null) throw revision.resourceNotFound(uri)
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
