import { expect, it } from 'vitest'
import { Contexts } from './contexts.ts'

const sentence = (at: number): string => `Sentence number ${at} is unlike every other one, ${at * 7919} times over.`
const secret = 'The meeting is on the fourteenth of March at noon'

it('sec-681: all conversations together have one room; the one used longest ago loses its words, never whose they were', () => {
  const contexts = new Contexts(100_000)
  contexts.of('first').note('mail', secret)
  for (let at = 0; at < 400; at++) contexts.of(`other-${at % 3}`).note('web', sentence(at))
  const first = contexts.of('first')
  expect(first.wordsOf()).toBe('')
  expect(first.isTainted()).toBe(true)
  // Nothing can be excluded any more.
  expect(first.sourcesOf({ text: 'anything at all' }, 'notes').inArguments).toEqual(['mail'])
})

it('keeps the words of a conversation while there is room, and gives room back when one ends', () => {
  const contexts = new Contexts(100_000)
  contexts.of('first').note('mail', secret)
  for (let at = 0; at < 400; at++) {
    contexts.of('other').note('web', sentence(at))
    if (at % 20 === 0) contexts.end('other')
  }
  expect(contexts.of('first').wordsOf()).toContain(secret)
})

it('sec-681: many short texts take no more room than few long ones', () => {
  const contexts = new Contexts()
  const context = contexts.of('one')
  for (let at = 0; at < 20_000; at++) context.note('web', { at: `word-${at}` })
  expect(context.wordsOf().split('[from ').length).toBeLessThan(2_000)
})
