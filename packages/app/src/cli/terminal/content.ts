/** What servers send, as text for standard output: texts as they are, everything else named. */

import type { CallToolResult, ContentBlock, ReadResourceResult } from '@portico/sdk/client'

/** A result as text: its texts, or its structured content where there is no text. */
export function textOfResult({ content, structuredContent }: CallToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent, null, 2)
  return content.map(textOfBlock).join('\n')
}

export function textOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${bytesOf(block.data)} bytes]`
    case 'resource_link':
      return `[${block.uri}]${block.description === undefined ? '' : ` ${block.description}`}`
    case 'resource':
      return textOfContents(block.resource)
    default:
      return `[${String((block as { type?: unknown }).type)}]`
  }
}

export function textOfContents(contents: ReadResourceResult['contents'][number]): string {
  if ('text' in contents) return contents.text
  return `[${contents.mimeType ?? 'binary'} ${contents.uri}, ${bytesOf(contents.blob)} bytes]`
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64')
}
