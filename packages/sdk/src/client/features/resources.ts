/** Resources and their templates from the client's side: how the lists are read, and what a read must hold. */

import { PorticoError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../../protocol/resources.ts'
import { areContents } from '../../protocol/shapes.ts'
import type { ListKind } from './pages.ts'

export const RESOURCES: ListKind<Resource> = { method: 'resources/list', member: 'resources', key: 'uri' }

export const RESOURCE_TEMPLATES: ListKind<ResourceTemplate> = {
  method: 'resources/templates/list',
  member: 'resourceTemplates',
  key: 'uriTemplate',
}

export function readContents(uri: string, result: JsonObject): ReadResourceResult {
  const { contents } = result
  if (!areContents(contents)) {
    throw new PorticoError('invalid-message', `The result of reading ${uri} has no contents`, { delivery: 'unknown' })
  }
  // Every item was just shown to have a `uri`, and text or bytes.
  return result as unknown as ReadResourceResult
}
