/** A result where a person looks: each block in the way that suits it. Programs get texts as they are, from `content.ts`. */

import type { CallToolResult, ContentBlock } from '@portico/sdk/client'
import { byOption } from '../remedy.ts'
import { textOfBlock, textOfResult } from './content.ts'
import type { Io } from './io.ts'
import { toPlain } from './plain-text.ts'
import { type Shown, showJson } from './show-json.ts'
import { looksLikeMarkdown, showMarkdown } from './show-markdown.ts'
import { toPicture } from './show-picture.ts'

export function showResult(result: CallToolResult, io: Io): void {
  if (!io.terminal) io.out(textOfResult(result))
  else if (result.content.length === 0) io.out(showJson(result.structuredContent ?? {}, io))
  else for (const block of result.content) showBlock(block, io)
}

/** A text of a server's, where a person looks. */
export function showText(text: string, io: Shown): string {
  const value = parsed(text)
  if (value !== undefined) return showJson(value, io)
  return looksLikeMarkdown(text) ? showMarkdown(text, io) : toPlain(text)
}

/** What `--output` writes: the bytes of the one picture, sound or file there is, else the text. */
export function bytesOfResult(result: CallToolResult): Buffer {
  const data = result.content.flatMap((block) => {
    if (block.type === 'image' || block.type === 'audio') return [block.data]
    return block.type === 'resource' && 'blob' in block.resource ? [block.resource.blob] : []
  })
  const [only] = data
  return data.length === 1 && only !== undefined
    ? Buffer.from(only, 'base64')
    : Buffer.from(`${textOfResult(result)}\n`)
}

function showBlock(block: ContentBlock, io: Io): void {
  const picture = block.type === 'image' ? toPicture(block.data, block.mimeType, io.env) : undefined
  if (block.type === 'text') io.out(showText(block.text, io))
  else if (picture !== undefined) io.writeBytes(picture)
  else io.out(describe(block, io))
}

function describe(block: ContentBlock, io: Io): string {
  const isBytes =
    block.type === 'image' || block.type === 'audio' || (block.type === 'resource' && 'blob' in block.resource)
  const hint = isBytes ? byOption('output', io, (flag) => `  save it with ${flag} <file>`) : undefined
  return `${toPlain(textOfBlock(block))}${hint === undefined ? '' : io.paint.dim(hint)}`
}

/** Only objects and lists: a lone number or word is text. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
