import type { Chat, ChatEvent } from 'portico/web-api'
import { describe, expect, it } from 'vitest'
import { applyChatEvent, budgetUse, toMoney, toShort } from './chat-events.ts'

const EMPTY: Chat = {
  id: 'c1',
  title: 'New',
  at: 0,
  tour: false,
  parts: [],
  usage: { inputTokens: 0, outputTokens: 0, steps: 0 },
  busy: false,
  pins: [],
}

const play = (...events: ChatEvent[]) => events.reduce(applyChatEvent, EMPTY)

describe('applyChatEvent', () => {
  it('appends text to the part that is being written', () => {
    const chat = play(
      { type: 'part', part: { id: 'p1', kind: 'assistant', text: 'Hel', streaming: true } },
      { type: 'delta', part: 'p1', text: 'lo' },
      { type: 'part', part: { id: 'p2', kind: 'notice', level: 'info', text: 'x' } },
      { type: 'delta', part: 'p1', text: '!' },
    )
    expect(chat.parts).toMatchObject([{ id: 'p1', text: 'Hello!' }, { id: 'p2' }])
  })

  it('begins a part that was not announced', () => {
    expect(play({ type: 'delta', part: 'p', text: 'a' }).parts).toMatchObject([{ kind: 'assistant', text: 'a' }])
  })

  it('replaces a part that is known, in its place', () => {
    const tool = { id: 't', kind: 'tool', name: 'x', server: 's', arguments: {} } as const
    const chat = play(
      { type: 'part', part: { ...tool, status: 'waiting', question: 'q' } },
      { type: 'part', part: { id: 'n', kind: 'notice', level: 'info', text: '' } },
      { type: 'part', part: { ...tool, status: 'ok' } },
    )
    expect(chat.parts).toEqual([{ ...tool, status: 'ok' }, expect.objectContaining({ id: 'n' })])
  })

  it('follows title, usage and whether it is busy', () => {
    const usage = { inputTokens: 5, outputTokens: 6, steps: 1 }
    expect(play({ type: 'title', title: 'T' }, { type: 'busy', busy: true }, { type: 'usage', usage })).toMatchObject({
      title: 'T',
      busy: true,
      usage,
    })
  })

  it('leaves a chat alone that nothing changes', () => {
    expect(applyChatEvent(EMPTY, { type: 'unheard-of' } as never)).toBe(EMPTY)
  })
})

describe('the meter', () => {
  it('shows the budget that is nearest to its end', () => {
    const usage = {
      inputTokens: 400,
      outputTokens: 100,
      steps: 9,
      cost: 0.2,
      budget: { steps: 10, tokens: 1_000, cost: 1 },
    }
    expect(budgetUse({ usage })).toEqual({ part: 0.9, words: '9 of 10 steps' })
    expect(budgetUse({ usage: { inputTokens: 1, outputTokens: 1, steps: 1 } })).toBeUndefined()
  })

  it.each([
    [999, '999'],
    [1_500, '1.5 k'],
    [42_000, '42 k'],
    [2_500_000, '2.5 M'],
  ])('%d tokens are %s', (count, words) => expect(toShort(count)).toBe(words))

  it.each([
    [0, '$0.00'],
    [0.004, '<$0.01'],
    [1.239, '$1.24'],
  ])('%d dollars are %s', (dollars, words) => expect(toMoney(dollars)).toBe(words))
})
