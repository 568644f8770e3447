/**
 * Resources and prompts on their way into a conversation, with their origin: picked by the user, or by a rule that
 * attaches one to every message. `https:` resources that no server offers are fetched by the host itself, under the
 * same guard as everything else it fetches.
 */

import type { ContentBlock, ResourceContents } from '@portico/sdk/client'
import type { ContextPiece } from '../model/conversation.ts'
import { qualify } from '../upstream/names.ts'
import type { Acts } from './acts.ts'
import type { ActOptions, AttachRule } from './options.ts'

export type Attachment =
  | { readonly kind: 'resource'; readonly uri: string; readonly server?: string }
  | { readonly kind: 'prompt'; readonly name: string; readonly arguments: { readonly [name: string]: string } }

export interface AttachedPiece extends ContextPiece {
  readonly bytes: number
}

export interface AttachmentParts {
  readonly acts: Acts
  /** Whether a server offers the resource. */
  offers(uri: string): boolean
  /** Fetches a page the host may fetch: public, bounded, no credentials. */
  fetchPage(url: string, signal?: AbortSignal): Promise<string>
}

export async function readAttachment(
  attachment: Attachment,
  parts: AttachmentParts,
  options: ActOptions,
): Promise<AttachedPiece> {
  if (attachment.kind === 'prompt') {
    const { result, server } = await parts.acts.prompt(attachment.name, attachment.arguments, options)
    return toPiece(
      `Prompt ${attachment.name}`,
      server,
      result.messages.map(({ content }) => content),
    )
  }
  const { uri, server: named } = attachment
  if (named === undefined && !parts.offers(uri) && /^https:/i.test(uri)) {
    return toPiece(`Page ${uri}`, new URL(uri).host, [
      { type: 'text', text: await parts.fetchPage(uri, options.signal) },
    ])
  }
  const { result, server } = await parts.acts.read(named === undefined ? uri : qualify(named, uri), options)
  return toPiece(`Resource ${uri}`, server, result.contents.map(toBlock))
}

/** What the rules attach to the next message; what cannot be read is left out and said. */
export async function readAttached(
  rules: readonly AttachRule[],
  parts: AttachmentParts,
  options: ActOptions,
  onWarning: (message: string) => void,
): Promise<AttachedPiece[]> {
  const pieces = rules.map(async ({ uri, server }) => {
    try {
      return [await readAttachment({ kind: 'resource', uri, server }, parts, options)]
    } catch (error) {
      onWarning(`${uri} could not be attached: ${error instanceof Error ? error.message : error}`)
      return []
    }
  })
  return (await Promise.all(pieces)).flat()
}

function toPiece(label: string, server: string, content: readonly ContentBlock[]): AttachedPiece {
  return { label, server, content, bytes: Buffer.byteLength(JSON.stringify(content)) }
}

function toBlock(contents: ResourceContents): ContentBlock {
  if ('blob' in contents && contents.mimeType?.startsWith('image/')) {
    return { type: 'image', data: contents.blob, mimeType: contents.mimeType }
  }
  return { type: 'resource', resource: contents }
}
