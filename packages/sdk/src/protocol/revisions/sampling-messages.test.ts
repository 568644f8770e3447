import { describe, expect, it } from 'vitest'
import { REVISIONS, revisionOf } from '../revisions.ts'
import type { CreateMessageResult, SamplingContent, SamplingMessage } from '../sampling.ts'
import { writeCreateMessageResult } from './client-messages.ts'
import { writeCreateMessageParams } from './questions.ts'

const revisions = [...REVISIONS.values()]
const older = revisions.filter(({ version }) => version < '2025-11-25')
const newer = revisions.filter(({ version }) => version >= '2025-11-25')
const text = (value: string): SamplingContent => ({ type: 'text', text: value })
const image: SamplingContent = { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }
const audio: SamplingContent = { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' }

const messages = (revision: (typeof revisions)[number], content: SamplingMessage['content']) => {
  const params = { messages: [{ role: 'user' as const, content, _meta: { x: 1 } }], maxTokens: 1 }
  return writeCreateMessageParams(revision, params).messages
}

describe.each(older)('messages on $version', (revision) => {
  it.each<[string, SamplingMessage['content'], SamplingContent[]]>([
    ['one block', text('a'), [text('a')]],
    ['one block in an array', [text('a')], [text('a')]],
    ['texts, joined', [text('a'), text('b')], [text('a\nb')]],
    ['several kinds, in turn', [text('a'), text('b'), image, text('c')], [text('a\nb'), image, text('c')]],
    ['nothing', [], [text('')]],
    [
      'a tool call',
      { type: 'tool_use', id: 't1', name: 'get', input: { city: 'Rome' } },
      [text('[Tool call t1: get {"city":"Rome"}]')],
    ],
    [
      'a tool result',
      {
        type: 'tool_result',
        toolUseId: 't1',
        content: [
          { type: 'text', text: 'warm' },
          { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
          { type: 'resource', resource: { uri: 'a:b', text: 'b' } },
          { type: 'resource', resource: { uri: 'a:c', blob: 'aGVsbG8=' } },
          { type: 'resource_link', uri: 'a:d', name: 'd' },
        ],
      },
      [
        text('[Result of tool call t1]\nwarm'),
        image,
        text('Resource: a:b\nb\n[Resource left out: a:c, 5 bytes]\nResource: d\nURI: a:d'),
      ],
    ],
    [
      'a failed tool result of structure alone',
      { type: 'tool_result', toolUseId: 't1', content: [], structuredContent: { a: 1 }, isError: true },
      [text('[Error of tool call t1]\n{"a":1}')],
    ],
  ])('%s', (_, content, blocks) => {
    expect(messages(revision, content)).toEqual(blocks.map((block) => ({ role: 'user', content: block })))
  })

  it('carry audio only if the revision has it', () => {
    const told = revision.version === '2024-11-05' ? text('[Audio left out: audio/wav, 5 bytes]') : audio
    expect(messages(revision, [audio])).toEqual([{ role: 'user', content: told }])
  })

  it('come without tools', () => {
    const params = {
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'a' } }],
      maxTokens: 1,
      tools: [{ name: 't', inputSchema: { type: 'object' } }],
      toolChoice: { mode: 'auto' as const },
    }
    expect(writeCreateMessageParams(revision, params)).toEqual({ messages: params.messages, maxTokens: 1 })
  })

  it.each<[string, CreateMessageResult['content'], SamplingContent]>([
    ['one block', [image], image],
    ['texts', [text('a'), text('b')], text('a\nb')],
    ['several kinds', [text('a'), image], text('a\n[Image left out: image/png, 5 bytes]')],
  ])('and a result is one block: %s', (_, content, block) => {
    const result: CreateMessageResult = { role: 'assistant', model: 'm', content, _meta: { x: 1 } }
    // `_meta` of a result, unlike that of a message, was there from the start.
    expect(writeCreateMessageResult(revision, result)).toEqual({ ...result, content: block })
  })
})

describe.each(newer)('messages on $version', (revision) => {
  it('are as they were said', () => {
    const params = { messages: [{ role: 'user' as const, content: [text('a'), image], _meta: { x: 1 } }], maxTokens: 1 }
    expect(writeCreateMessageParams(revision, params)).toBe(params)
    const result: CreateMessageResult = { role: 'assistant', model: 'm', content: [text('a'), image] }
    expect(writeCreateMessageResult(revision, result)).toBe(result)
  })

  it('have structured results and output schemas of objects alone before 2026-07-28', () => {
    const structured: SamplingContent = { type: 'tool_result', toolUseId: 't', content: [], structuredContent: [1] }
    const any = revision.version === '2026-07-28'
    expect(messages(revision, [structured])).toEqual([
      { role: 'user', content: [{ ...structured, structuredContent: any ? [1] : { result: [1] } }], _meta: { x: 1 } },
    ])
    const tools = [{ name: 't', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } }]
    const written = writeCreateMessageParams(revision, { messages: [], maxTokens: 1, tools }).tools
    const { outputSchema } = (written as [{ outputSchema: { type: string } }])[0]
    expect(outputSchema.type).toBe(any ? 'array' : 'object')
  })
})

it('text that is not joined keeps its annotations, without what is too new', () => {
  const annotated: SamplingContent = {
    type: 'text',
    text: 'a',
    annotations: { priority: 1, lastModified: 'x' },
    _meta: {},
  }
  expect(messages(revisionOf('2025-03-26')!, annotated)).toEqual([
    { role: 'user', content: { type: 'text', text: 'a', annotations: { priority: 1 } } },
  ])
})
