/**
 * Which era of the protocol a message belongs to: a modern one (2026-07-28) speaks for itself, an older one belongs to a
 * session. Decided here for every transport.
 */

import { type Classified, isObject, type JsonObject } from '../jsonrpc/message.ts'
import { META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_LOG_LEVEL, META_VERSION } from '../protocol/meta.ts'
import { LATEST_LEGACY, revisionOf } from '../protocol/revisions.ts'

/** By its envelope, or by a method that only modern revisions have. */
export function isModernRequest(method: string, params: JsonObject | undefined): boolean {
  const meta = params?._meta
  if (isObject(meta)) {
    if (meta[META_VERSION] !== undefined || meta[META_CLIENT_CAPABILITIES] !== undefined) return true
    if (meta[META_CLIENT_INFO] !== undefined || meta[META_LOG_LEVEL] !== undefined) return true
  }
  return method === 'server/discover'
}

/** Over HTTP, where a header names the version as well. */
export function isModernMessage(
  version: string | undefined,
  message: Exclude<Classified, { kind: 'invalid' }>,
): boolean {
  if (isModernVersion(version)) return true
  return message.kind !== 'response' && isModernRequest(message.message.method, message.message.params)
}

/** A version this code has never heard of is taken for a future one when it is a later date than the last old one. */
export function isModernVersion(version: string | undefined): boolean {
  if (version === undefined) return false
  const revision = revisionOf(version)
  if (revision !== undefined) return revision.era === 'modern'
  return /^\d{4}-\d{2}-\d{2}$/.test(version) && version > LATEST_LEGACY.version
}
