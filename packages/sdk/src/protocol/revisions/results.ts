/** Results that carry content (tool calls, reads, prompts) for revisions that know fewer kinds of it. */

import { isObject } from '../../jsonrpc/message.ts'
import type { GetPromptResult, PromptMessage } from '../prompts.ts'
import type { ReadResourceResult } from '../resources.ts'
import { type CallToolResult, WRAPPED_VALUE } from '../tools.ts'
import type { ContentWriter } from './content-blocks.ts'
import { mapItems, omit, replace } from './omission.ts'
import { toStructuredObject } from './output-schemas.ts'
import type { Vocabulary } from './vocabulary.ts'

interface ResultWriter {
  callTool(result: CallToolResult): CallToolResult
  readResource(result: ReadResourceResult): ReadResourceResult
  getPrompt(result: GetPromptResult): GetPromptResult
}

export function createResultWriter(vocabulary: Vocabulary, content: ContentWriter): ResultWriter {
  const message = (value: PromptMessage): PromptMessage => replace(value, 'content', content.block(value.content))
  return {
    callTool: (result) => withStructure(replace(result, 'content', content.blocks(result.content)), vocabulary),
    readResource: (result) => replace(result, 'contents', mapItems(result.contents, content.contents)),
    getPrompt: (result) => replace(result, 'messages', mapItems(result.messages, message)),
  }
}

function withStructure(result: CallToolResult, vocabulary: Vocabulary): CallToolResult {
  const structured = result.structuredContent
  if (structured === undefined || vocabulary.anyStructuredContent) return result
  if (vocabulary.structuredContent) {
    if (isObject(structured)) return result
    const _meta = { ...result._meta, [WRAPPED_VALUE]: true }
    return { ...result, structuredContent: toStructuredObject(structured), _meta }
  }
  const kept = omit(result, ['structuredContent'])
  // A result that was nothing but structure would otherwise reach an older client empty.
  return kept.content.length > 0 ? kept : { ...kept, content: [{ type: 'text', text: JSON.stringify(structured) }] }
}
