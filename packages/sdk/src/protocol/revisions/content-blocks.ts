/**
 * Content blocks for revisions that know fewer of them: what can be said in words is, so that an older client's model
 * still learns that there was audio or a link. Tool results, prompts, resource contents and sampling all write through here.
 */

import type {
  Annotations,
  AudioContent,
  ContentBlock,
  ResourceContents,
  ResourceLink,
  TextContent,
} from '../content.ts'
import { mapItems, omit, replace } from './omission.ts'
import type { Vocabulary } from './vocabulary.ts'

export interface ContentWriter {
  block(block: ContentBlock): ContentBlock
  blocks(blocks: ContentBlock[]): ContentBlock[]
  contents(contents: ResourceContents): ResourceContents
  annotated<T extends { annotations?: Annotations }>(value: T): T
}

export function createContentWriter(vocabulary: Vocabulary): ContentWriter {
  const { audio, metadata, resourceLinks, icons } = vocabulary
  if (audio && metadata && resourceLinks && icons) return VERBATIM

  const tooNew = [...(metadata ? [] : ['_meta', 'title']), ...(icons ? [] : ['icons'])]

  const annotated = <T extends { annotations?: Annotations }>(value: T): T => {
    if (metadata || value.annotations === undefined) return value
    return replace(value, 'annotations', omit(value.annotations, ['lastModified']))
  }
  const contents = (value: ResourceContents): ResourceContents => (metadata ? value : omit(value, ['_meta']))
  const block = (value: ContentBlock): ContentBlock => {
    if (value.type === 'audio' && !audio) return annotated(audioAsText(value))
    if (value.type === 'resource_link' && !resourceLinks) return annotated(linkAsText(value))
    const kept = annotated(omit(value, tooNew))
    return kept.type === 'resource' ? replace(kept, 'resource', contents(kept.resource)) : kept
  }
  return { block, blocks: (values) => mapItems(values, block), contents, annotated }
}

/** Says in words that there was audio; the data itself would only fill the model's context. */
function audioAsText(audio: AudioContent): TextContent {
  return inWords(`[Audio left out: ${audio.mimeType}, ${byteLength(audio.data)} bytes]`, audio.annotations)
}

/** How many bytes a base64 text stands for. */
export function byteLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding)
}

/** A link in words: name, address and what is known of what lies there. */
export function linkAsText(link: ResourceLink): TextContent {
  const label = link.title === undefined || link.title === link.name ? link.name : `${link.title} (${link.name})`
  const lines = [`Resource: ${label}`, `URI: ${link.uri}`]
  if (link.description !== undefined) lines.push(link.description)
  if (link.mimeType !== undefined) lines.push(`Type: ${link.mimeType}`)
  if (link.size !== undefined) lines.push(`Size: ${link.size} bytes`)
  return inWords(lines.join('\n'), link.annotations)
}

const VERBATIM: ContentWriter = {
  block: (block) => block,
  blocks: (blocks) => blocks,
  contents: (contents) => contents,
  annotated: (value) => value,
}

function inWords(text: string, annotations: Annotations | undefined): TextContent {
  return annotations === undefined ? { type: 'text', text } : { type: 'text', text, annotations }
}
