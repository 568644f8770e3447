import { expect, it } from 'vitest'
import { messagesOf, restOf, textOf, withTexts } from './sampling-model.ts'

const REQUEST = {
  systemPrompt: 'Be brief',
  maxTokens: 100,
  messages: [
    { role: 'user', content: { type: 'text', text: 'Sum up' } },
    { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
    { role: 'user', content: [{ type: 'text', text: 'one' }] },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'audio', data: '', mimeType: 'audio/wav' },
      ],
    },
  ],
}

it('tells words from what cannot be edited (sec-115)', () => {
  expect(messagesOf(REQUEST).map(({ text, what }) => [text, what])).toEqual([
    ['Sum up', 'text'],
    [undefined, 'image'],
    ['one', 'text'],
    [undefined, 'text, audio'],
  ])
})

it('leaves nothing of a request unshown: what is no text comes with its content, and other members as they are (security 16)', () => {
  expect(messagesOf(REQUEST).map(({ content }) => content)).toEqual(REQUEST.messages.map(({ content }) => content))
  expect(restOf({ ...REQUEST, tools: [{ name: 'rm' }], stopSequences: ['x'] })).toEqual({
    tools: [{ name: 'rm' }],
    stopSequences: ['x'],
  })
})

it('changes only the words that were changed', () => {
  const changed = withTexts(REQUEST, ['Sum up kindly', undefined, 'one', undefined], 'Be kind')
  expect(changed).toEqual({
    systemPrompt: 'Be kind',
    messages: [{ role: 'user', content: { type: 'text', text: 'Sum up kindly' } }, ...REQUEST.messages.slice(1)],
  })
})

it.each([null, 7, { messages: 'no' }, { messages: [null, 1] }])('survives a request that is none: %j', (request) => {
  for (const { text } of messagesOf((request ?? {}) as never)) expect(text).toBeUndefined()
})

it('reads the text of an answer', () => {
  expect(textOf({ type: 'text', text: 'yes' })).toBe('yes')
  expect(textOf({ type: 'image' })).toBeUndefined()
})
