/**
 * Resources and prompts on their way into a conversation, with their origin: picked by the user, or by a rule that
 * attaches one to every message. `https:` resources that no server offers are fetched by the host itself, under the
 * same guard as everything else it fetches.
 */

import { isDeepStrictEqual } from 'node:util'
import { createGuardedFetch } from '@portico/sdk/auth-node'
import type { ContentBlock, GetPromptResult, ResourceContents } from '@portico/sdk/client'
import { admit } from '../../guard/foreign-text.ts'
import type { Provenance } from '../../guard/provenance.ts'
import type { ContextPiece } from '../../model/conversation.ts'
import { qualify } from '../../upstream/catalogue/names.ts'
import type { GuardedActions } from '../guarded-actions.ts'
import type { ActOptions, AttachRule } from '../options.ts'

/** A resource or a prompt that the user adds to a message, or something that the program has got for them. */
export type Attachment =
  /** What the program has itself: a file that somebody sent. It is data of `origin`, which nobody vouches for. */
  | {
      readonly kind: 'content'
      readonly label: string
      readonly origin: string
      readonly content: readonly ContentBlock[]
    }
  | { readonly kind: 'resource'; readonly uri: string; readonly server?: string }
  | {
      readonly kind: 'prompt'
      readonly name: string
      readonly arguments: { readonly [name: string]: string }
      /**
       * The messages as `host.prompt` gave them and the user has seen them: they are said as the user's choice, with
       * the roles that the server gave them. Whatever the server says otherwise by now is data of the server's.
       */
      readonly seen?: GetPromptResult['messages']
    }

/** A piece of a resource or prompt that goes into a conversation, with its size in bytes. */
export interface AttachedPiece extends ContextPiece {
  readonly bytes: number
}

export interface AttachmentParts {
  readonly actions: GuardedActions
  /** Whether a server offers the resource. */
  offers(uri: string): boolean
  /** Fetches a page the host may fetch: public, bounded, no credentials. */
  fetchPage(url: string, signal?: AbortSignal): Promise<string>
  trusts(server: string): boolean
  /** Whose words are in the conversation that it is for. */
  context(options: ActOptions): Provenance
}

export async function readAttachment(
  attachment: Attachment,
  parts: AttachmentParts,
  options: ActOptions,
): Promise<AttachedPiece> {
  if (attachment.kind === 'content') {
    const { label, origin, content } = attachment
    return toPiece(label, origin, admit(content, { server: origin, trusted: false }, parts.context(options)))
  }
  if (attachment.kind === 'prompt') {
    const { name, arguments: args, seen } = attachment
    const { result, server } = await parts.actions.prompt(name, args, options)
    const { messages } = result
    const piece = toPiece(
      `Prompt ${name}`,
      server,
      messages.map(({ content }) => content),
    )
    return seen !== undefined && isDeepStrictEqual(messages, seen) ? { ...piece, chosen: messages } : piece
  }
  const { uri, server: meant } = attachment
  if (meant === undefined && !parts.offers(uri) && /^https:/i.test(uri)) {
    const { host } = new URL(uri)
    const page = { type: 'text', text: await parts.fetchPage(uri, options.signal) } as const
    return toPiece(`Page ${uri}`, host, [admit(page, { server: host, trusted: false }, parts.context(options))])
  }
  const { result, server } = await parts.actions.read(meant === undefined ? uri : qualify(meant, uri), options)
  return toPiece(`Resource ${uri}`, server, result.contents.map(toBlock))
}

/** Nobody looks at what goes along by itself, so that it must not fill the context unnoticed. */
export const MAX_ATTACHED_BYTES = 200_000

/** A resource as it is now, and, where its server tells of changes, word of each until `close` is called. */
export async function followAttachment(
  { server: meant, uri }: AttachRule,
  { actions }: AttachmentParts,
  options: ActOptions,
  changed: () => void,
): Promise<{ readonly piece: AttachedPiece; readonly close?: (() => Promise<void>) | undefined }> {
  const { result, server, close } = await actions.follow(qualify(meant, uri), changed, options)
  return { piece: toPiece(`Resource ${uri}`, server, result.contents.map(toBlock)), close }
}

/** A page of the public web, as text. */
export async function fetchPage(url: string, signal?: AbortSignal): Promise<string> {
  const response = await fetchPublic(url, { headers: { accept: 'text/*' }, signal })
  return response.text()
}

/** From a public address nothing inward may be reached. */
const fetchPublic = createGuardedFetch({ server: new URL('https://1.1.1.1/') })

function toPiece(label: string, server: string, content: readonly ContentBlock[]): AttachedPiece {
  return { label, server, content, bytes: Buffer.byteLength(JSON.stringify(content)) }
}

function toBlock(contents: ResourceContents): ContentBlock {
  if ('blob' in contents && contents.mimeType?.startsWith('image/')) {
    return { type: 'image', data: contents.blob, mimeType: contents.mimeType }
  }
  return { type: 'resource', resource: contents }
}
