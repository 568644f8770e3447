import { describe, expect, it } from 'vitest'
import type { ContentBlock } from '../content.ts'
import { REVISIONS } from '../revisions.ts'
import { byteLength } from './content-blocks.ts'

const revisions = [...REVISIONS.values()]
const since = (version: string) => revisions.filter((revision) => revision.version >= version)
const before = (version: string) => revisions.filter((revision) => revision.version < version)

/** What a revision makes of one block, by way of a tool result and of a prompt. */
function written(revision: (typeof revisions)[number], block: ContentBlock): unknown {
  const { content } = revision.writeCallToolResult({ content: [block] })
  const { messages } = revision.writeGetPromptResult({ messages: [{ role: 'user', content: block }] })
  expect(messages).toEqual([{ role: 'user', content: (content as unknown[])[0] }])
  return (content as unknown[])[0]
}

describe('audio', () => {
  const audio: ContentBlock = { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav', annotations: { priority: 1 } }
  it.each(since('2025-03-26'))('is audio on $version', (r) => expect(written(r, audio)).toEqual(audio))
  it.each(before('2025-03-26'))('is told in words on $version, without its data', (r) => {
    expect(written(r, audio)).toEqual({
      type: 'text',
      text: '[Audio left out: audio/wav, 5 bytes]',
      annotations: { priority: 1 },
    })
  })
  it.each([
    ['', 0],
    ['aA==', 1],
    ['aGk=', 2],
    ['aGVs', 3],
    ['aGVsbG8', 5],
  ])('%j stands for %i bytes', (data, bytes) => expect(byteLength(data)).toBe(bytes))
})

describe('a resource link', () => {
  const link: ContentBlock = {
    type: 'resource_link',
    uri: 'file:///a.txt',
    name: 'a',
    title: 'Letter A',
    description: 'the first',
    mimeType: 'text/plain',
    size: 3,
    icons: [{ src: 'data:,' }],
    annotations: { priority: 1, lastModified: '2026-01-01' },
    _meta: { x: 1 },
  }
  it.each(since('2025-11-25'))('is whole on $version', (r) => expect(written(r, link)).toBe(link))
  it('has no icons on 2025-06-18', () => {
    const { icons: _, ...rest } = link
    expect(written(since('2025-06-18')[0]!, link)).toEqual(rest)
  })
  it.each(before('2025-06-18'))('is told in words on $version', (r) => {
    expect(written(r, link)).toEqual({
      type: 'text',
      text: 'Resource: Letter A (a)\nURI: file:///a.txt\nthe first\nType: text/plain\nSize: 3 bytes',
      annotations: { priority: 1 },
    })
  })
  it.each(before('2025-06-18'))('needs no more than a name and an address on $version', (r) => {
    expect(written(r, { type: 'resource_link', uri: 'a:b', name: 'b' })).toEqual({
      type: 'text',
      text: 'Resource: b\nURI: a:b',
    })
  })
})

describe('text, images and embedded resources', () => {
  const extras = { annotations: { audience: ['user'] as ['user'], lastModified: '2026-01-01' }, _meta: { x: 1 } }
  const blocks: ContentBlock[] = [
    { type: 'text', text: 'x', ...extras },
    { type: 'image', data: '', mimeType: 'image/png', ...extras },
    { type: 'resource', resource: { uri: 'a:b', text: 'x', _meta: { y: 1 } }, ...extras },
  ]
  it.each(since('2025-06-18'))('are the same on $version', (r) => {
    for (const block of blocks) expect(written(r, block)).toBe(block)
  })
  it.each(before('2025-06-18'))('have neither _meta nor lastModified on $version', (r) => {
    const annotations = { audience: ['user'] }
    expect(blocks.map((block) => written(r, block))).toEqual([
      { type: 'text', text: 'x', annotations },
      { type: 'image', data: '', mimeType: 'image/png', annotations },
      { type: 'resource', resource: { uri: 'a:b', text: 'x' }, annotations },
    ])
  })
  it.each(before('2025-06-18'))('and what is read has no _meta on $version, but the result may', (r) => {
    const result = { contents: [{ uri: 'a:b', blob: '', _meta: { y: 1 } }], _meta: { z: 1 } }
    expect(r.writeReadResourceResult(result)).toEqual({ contents: [{ uri: 'a:b', blob: '' }], _meta: { z: 1 } })
  })
})
