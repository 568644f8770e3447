/**
 * The pieces that tools, resources, prompts and sampling share: who speaks, what a block of content is, how a thing is
 * named and pictured. This is the neutral model: the union of what all revisions can say, spelled as the newest one
 * spells it. `revisions/` says which of it an older client may be shown.
 */

import type { JsonObject } from '../jsonrpc/message.ts'

export type Role = 'user' | 'assistant'
export type MetaObject = JsonObject

/** Hints on a block or resource: for whom it is, how much it matters, when it changed. */
export interface Annotations {
  audience?: Role[]
  priority?: number
  /** ISO 8601. */
  lastModified?: string
}

/** A picture that stands for an item or a server. */
export interface Icon {
  src: string
  mimeType?: string
  sizes?: string[]
  theme?: 'light' | 'dark'
}

/** Name and version of a client or server, as it tells them itself: for display, never for decisions. */
export interface Implementation {
  name: string
  version: string
  title?: string
  description?: string
  websiteUrl?: string
  icons?: Icon[]
}

interface BlockExtras {
  annotations?: Annotations
  _meta?: MetaObject
}

/** A block of text. */
export interface TextContent extends BlockExtras {
  type: 'text'
  text: string
}

/** A block that holds a picture, in base64. */
export interface ImageContent extends BlockExtras {
  type: 'image'
  /** Base64. */
  data: string
  mimeType: string
}

/** A block that holds sound, in base64. */
export interface AudioContent extends BlockExtras {
  type: 'audio'
  /** Base64. */
  data: string
  mimeType: string
}

/** A link to a resource, inside a result. */
export interface ResourceLink extends BlockExtras {
  type: 'resource_link'
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  size?: number
  icons?: Icon[]
}

interface TextResourceContents {
  uri: string
  mimeType?: string
  text: string
  _meta?: MetaObject
}

interface BlobResourceContents {
  uri: string
  mimeType?: string
  /** Base64. */
  blob: string
  _meta?: MetaObject
}

/** The contents of a resource, as text or in base64. */
export type ResourceContents = TextResourceContents | BlobResourceContents

/** A resource with its contents, inside a result. */
export interface EmbeddedResource extends BlockExtras {
  type: 'resource'
  resource: ResourceContents
}

/** One piece of content: text, a picture, sound, a link, or a resource. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource

/**
 * Makes a block of text.
 *
 * @example
 * ```ts
 * import { text, tool } from '@portico/sdk/server'
 *
 * const greet = tool({ description: 'Greets in two languages' }, () => [text('Good morning'), text('Guten Morgen')])
 * ```
 */
export function text(value: string): TextContent {
  return { type: 'text', text: value }
}

/**
 * Makes a block that holds a picture, from bytes or base64 text.
 *
 * @example
 * ```ts
 * import { image, tool } from '@portico/sdk/server'
 *
 * const chart = tool({ description: 'This month as a chart' }, async () => {
 *   const answer = await fetch('https://example.com/chart.png')
 *   return [image(new Uint8Array(await answer.arrayBuffer()), 'image/png')]
 * })
 * ```
 */
export function image(data: Uint8Array | string, mimeType: string): ImageContent {
  return { type: 'image', data: toBase64(data), mimeType }
}

/**
 * Makes a block that holds sound, from bytes or base64 text.
 *
 * @example
 * ```ts
 * import { audio, text, tool } from '@portico/sdk/server'
 *
 * const chime = tool({ description: 'How the chime sounds' }, async () => {
 *   const answer = await fetch('https://example.com/chime.wav')
 *   return [text('The chime:'), audio(new Uint8Array(await answer.arrayBuffer()), 'audio/wav')]
 * })
 * ```
 */
export function audio(data: Uint8Array | string, mimeType: string): AudioContent {
  return { type: 'audio', data: toBase64(data), mimeType }
}

/**
 * Makes a block that points to a resource, which the client may then read.
 *
 * @example
 * ```ts
 * import { link, tool } from '@portico/sdk/server'
 *
 * const report = tool({ description: 'Where the yearly report is' }, () => [
 *   link('sales://2025', 'The numbers', { mimeType: 'text/csv' }),
 * ])
 * ```
 */
export function link(uri: string, name: string, more: Omit<ResourceLink, 'type' | 'uri' | 'name'> = {}): ResourceLink {
  return { type: 'resource_link', uri, name, ...more }
}

/**
 * Makes a block that holds a resource with its contents, text or bytes.
 *
 * @example
 * ```ts
 * import { embed, tool } from '@portico/sdk/server'
 *
 * const report = tool({ description: 'The yearly report' }, () => [
 *   embed('sales://2025', 'month,total\n1,120\n2,95', 'text/csv'),
 * ])
 * ```
 */
export function embed(uri: string, contents: Uint8Array | string, mimeType?: string): EmbeddedResource {
  const about = mimeType === undefined ? { uri } : { uri, mimeType }
  const held = typeof contents === 'string' ? { ...about, text: contents } : { ...about, blob: toBase64(contents) }
  return { type: 'resource', resource: held }
}

/** Bytes as base64; text is taken to be that already. */
export function toBase64(bytes: Uint8Array | string): string {
  if (typeof bytes === 'string') return bytes
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += 8190)
    parts.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 8190))))
  return parts.join('')
}
