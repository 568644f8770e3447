import { describe, expect, it } from 'vitest'
import type { SamplingMessage } from '../../protocol/sampling.ts'
import { checkToolPairing, readCreateMessageResult, toCreateMessageParams } from './sampling.ts'

const said = (text: string): SamplingMessage => ({ role: 'user', content: { type: 'text', text } })
const uses = (...ids: string[]): SamplingMessage => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool_use', id, name: 'x', input: {} })),
})
const results = (...ids: string[]): SamplingMessage => ({
  role: 'user',
  content: ids.map((toolUseId) => ({ type: 'tool_result', toolUseId, content: [] })),
})

describe('checkToolPairing (2025-11-25, sampling, "Message Content Constraints"; sec-117)', () => {
  it.each([
    ['no tools', [said('x')]],
    ['a use and its result', [said('x'), uses('1'), results('1')]],
    ['two uses in any order', [uses('1', '2'), results('2', '1')]],
    ['rounds', [uses('1'), results('1'), uses('2'), results('2'), said('x')]],
    ['nothing', []],
  ])('lets pass: %s', (_, messages) => expect(() => checkToolPairing(messages)).not.toThrow())

  it.each([
    ['a result without a use', [results('1')]],
    ['a use without a result', [uses('1'), said('x')]],
    ['a use at the end', [said('x'), uses('1')]],
    ['one result for two uses', [uses('1', '2'), results('1')]],
    ['a result of another use', [uses('1'), results('2')]],
    ['a result twice', [uses('1'), results('1', '1')]],
    ['a result too late', [uses('1'), results('1'), results('1')]],
    [
      'a result among other things',
      [
        uses('1'),
        { role: 'user' as const, content: [...(results('1').content as []), { type: 'text' as const, text: 'x' }] },
      ],
    ],
  ])('refuses: %s', (_, messages) => {
    expect(() => checkToolPairing(messages)).toThrow(expect.objectContaining({ code: 'invalid-arguments' }))
  })
})

describe('toCreateMessageParams', () => {
  it('makes one user message of a prompt and bounds the answer', () => {
    expect(toCreateMessageParams({ prompt: 'hi' })).toEqual({ messages: [said('hi')], maxTokens: 1024 })
    expect(toCreateMessageParams({ messages: [said('a')], maxTokens: 5, temperature: 0 })).toEqual({
      messages: [said('a')],
      maxTokens: 5,
      temperature: 0,
    })
  })
})

describe('readCreateMessageResult', () => {
  const good = { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } }

  it.each([good, { ...good, content: [] }, { ...good, content: [good.content], unknown: 1 }])(
    'reads %j',
    (response) => {
      expect(readCreateMessageResult(response)).toBe(response)
    },
  )

  it.each([
    {},
    { ...good, role: 'system' },
    { ...good, model: 5 },
    { ...good, content: 'x' },
    { ...good, content: [null] },
    { ...good, content: { type: 'text' } },
    { ...good, content: [good.content, { type: 'image', data: 1 }] },
    { ...good, content: { type: 'tool_use', id: 'a', name: 'b', input: 'c' } },
  ])('does not read %j', (response) => expect(readCreateMessageResult(response)).toBeUndefined())
})
