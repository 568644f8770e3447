/**
 * What a client says of itself, as it is kept: shared among equals when it is short, which it nearly always is, and cut
 * down when it is not. Sessions keep one for as long as they live, listeners too.
 */

import type { ClientCapabilities } from '../protocol/capabilities.ts'
import type { Implementation } from '../protocol/content.ts'
import { KEPT_LIMITS } from './kept-text.ts'
import { createSharedJson } from './shared-json.ts'

export interface ClientDescription {
  readonly capabilities: ClientCapabilities
  readonly clientInfo: Implementation
}

interface KeptClient {
  readonly client: ClientDescription
  /** What it costs; nothing when equals share it. */
  readonly length: number
}

const CLIENTS = createSharedJson()

/** The description to keep, or undefined when it is too long to be kept. */
export function toKeptClient(client: ClientDescription): KeptClient | undefined {
  const shared = CLIENTS.find(client)
  if (shared !== undefined) return { client: shared, length: 0 }
  const text = JSON.stringify(client.capabilities)
  if (text.length > KEPT_LIMITS.maxCapabilitiesLength) return undefined
  const clientInfo = toBriefInfo(client.clientInfo)
  return { client: { capabilities: client.capabilities, clientInfo }, length: text.length + lengthOf(clientInfo) }
}

/** The members that a revision has, without the icons, each cut to what a name may need. */
function toBriefInfo({ name, version, title, description, websiteUrl }: Implementation): Implementation {
  return {
    name: cut(name),
    version: cut(version),
    ...(typeof title === 'string' && { title: cut(title) }),
    ...(typeof description === 'string' && { description: cut(description) }),
    ...(typeof websiteUrl === 'string' && { websiteUrl: cut(websiteUrl) }),
  }
}

/** A copy: part of a long string would keep the whole. */
function cut(text: string): string {
  const { maxClientInfoLength } = KEPT_LIMITS
  return text.length <= maxClientInfoLength ? text : Array.from(text.slice(0, maxClientInfoLength)).join('')
}

function lengthOf(info: Implementation): number {
  return Object.values(info).reduce((sum, text) => sum + String(text).length, 0)
}
