/**
 * Sampling for revisions before 2025-11-25, in which a message holds one block and there are no tools. A message of
 * several blocks becomes several messages of the same role; tool calls and their results are told in words.
 */

import type { AudioContent, ContentBlock, ImageContent, TextContent } from '../content.ts'
import type { CreateMessageParams, CreateMessageResult, SamplingContent, SamplingMessage } from '../sampling.ts'
import type { Tool } from '../tools.ts'
import { byteLength, type ContentWriter, linkAsText } from './content-blocks.ts'
import { mapItems, omit, replace } from './omission.ts'
import { toStructuredObject } from './output-schemas.ts'
import type { Vocabulary } from './vocabulary.ts'

type SamplingWriter = (params: CreateMessageParams) => CreateMessageParams

type PlainBlock = TextContent | ImageContent | AudioContent

export function createSamplingWriter(
  vocabulary: Vocabulary,
  content: ContentWriter,
  writeTool: (tool: Tool) => Tool,
): SamplingWriter {
  if (vocabulary.samplingArrays) return createRichWriter(vocabulary, writeTool)

  const messages = (message: SamplingMessage): SamplingMessage[] => {
    const kept = omit(message, ['_meta'])
    const blocks = toPlainBlocks(kept, content)
    if (blocks.length === 1) return [replace(kept, 'content', blocks[0]!)]
    return blocks.map((block) => ({ ...kept, content: block }))
  }
  return (params) => {
    const kept = omit(params, ['tools', 'toolChoice'])
    const written = kept.messages.flatMap(messages)
    const same = written.length === kept.messages.length && written.every((m, i) => m === kept.messages[i])
    return same ? kept : { ...kept, messages: written }
  }
}

/** 2025-11-25 and later say all of it, but differ in what structured content may be. */
function createRichWriter({ anyStructuredContent }: Vocabulary, writeTool: (tool: Tool) => Tool): SamplingWriter {
  return (params) => {
    const { tools, messages } = params
    const written = tools === undefined ? params : replace(params, 'tools', mapItems(tools, writeTool))
    return anyStructuredContent ? written : replace(written, 'messages', mapItems(messages, toObjectResults))
  }
}

/** The message with objects for structured content, where it may be nothing else. */
export function toObjectResults<T extends SamplingMessage>(message: T): T {
  const block = (value: SamplingContent): SamplingContent =>
    value.type === 'tool_result' && value.structuredContent !== undefined
      ? replace(value, 'structuredContent', toStructuredObject(value.structuredContent))
      : value
  const { content } = message
  return replace(message, 'content', Array.isArray(content) ? mapItems(content, block) : block(content))
}

/** A result where a message is one block: where there are several kinds, words stand for what is no text. */
export function toOneBlock(result: CreateMessageResult, content: ContentWriter): CreateMessageResult {
  return replace(result, 'content', inOneBlock(toPlainBlocks(result, content)))
}

function toPlainBlocks(message: SamplingMessage, content: ContentWriter): PlainBlock[] {
  const blocks = Array.isArray(message.content) ? message.content : [message.content]
  // A plain block stays one: the content writer turns audio into text and nothing into a resource.
  return joinTexts(blocks.flatMap(inPlainBlocks).map((block) => content.block(block) as PlainBlock))
}

function inPlainBlocks(block: SamplingContent): PlainBlock[] {
  switch (block.type) {
    case 'tool_use':
      return [toText(`[Tool call ${block.id}: ${block.name} ${JSON.stringify(block.input)}]`)]
    case 'tool_result': {
      const heading = toText(`[${block.isError === true ? 'Error' : 'Result'} of tool call ${block.toolUseId}]`)
      const told = block.content.map(outsideTools)
      if (told.length > 0 || block.structuredContent === undefined) return [heading, ...told]
      return [heading, toText(JSON.stringify(block.structuredContent))]
    }
    default:
      return [block]
  }
}

/** Tool results may hold resources and links, which sampling messages never could. */
function outsideTools(block: ContentBlock): PlainBlock {
  if (block.type === 'resource_link') return linkAsText(block)
  if (block.type !== 'resource') return block
  const { resource } = block
  if ('text' in resource) return toText(`Resource: ${resource.uri}\n${resource.text}`)
  return toText(`[Resource left out: ${resource.uri}, ${byteLength(resource.blob)} bytes]`)
}

/** One text block for each run of them. A run loses its annotations, which were about its parts. */
function joinTexts(blocks: PlainBlock[]): PlainBlock[] {
  const joined: PlainBlock[] = []
  let run: TextContent[] = []
  const endRun = (): void => {
    if (run.length === 1) joined.push(run[0]!)
    else if (run.length > 1) joined.push(toText(run.map((block) => block.text).join('\n')))
    run = []
  }
  for (const block of blocks) {
    if (block.type === 'text') {
      run.push(block)
      continue
    }
    endRun()
    joined.push(block)
  }
  endRun()
  return joined.length > 0 ? joined : [toText('')]
}

function inOneBlock(blocks: PlainBlock[]): PlainBlock {
  const [only] = blocks
  if (blocks.length === 1 && only !== undefined) return only
  const texts = blocks.map((block) =>
    block.type === 'text'
      ? block.text
      : `[${block.type === 'image' ? 'Image' : 'Audio'} left out: ${block.mimeType}, ${byteLength(block.data)} bytes]`,
  )
  return toText(texts.join('\n'))
}

function toText(text: string): TextContent {
  return { type: 'text', text }
}
