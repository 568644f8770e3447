/** What a turn had done before it was cancelled is in the conversation that is kept. */

import { createServer, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import type { TurnEvent } from '../src/model/conversation.ts'
import { type HostLab, startHost } from './host-lab.ts'

let lab: HostLab | undefined
afterEach(() => lab?.close())

const server = () =>
  createServer({
    name: 'a',
    version: '1',
    tools: {
      quick: tool({ description: 'Quick' }, () => 'quick-result'),
      hang: tool({ description: 'Hangs' }, async (_args, ctx) => {
        await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))
        return 'never'
      }),
    },
  })

const both = {
  calls: [
    { name: 'a_quick', arguments: {} },
    { name: 'a_hang', arguments: {} },
  ],
}

/** A turn that is looked at when something has happened in it. */
async function turn(replies: readonly object[], when: (event: TurnEvent) => boolean) {
  lab = await startHost({ a: server }, { script: { replies } as never })
  const conversation = lab.host.converse({ session: 'chat' })
  let reached = (): void => {}
  const there = new Promise<void>((resolve) => {
    reached = resolve
  })
  const sent = conversation.send('Go', (event) => when(event) && reached())
  await there
  return { conversation, sent }
}

const isQuickDone = (event: TurnEvent) =>
  event.type === 'call' && event.call.name === 'a_quick' && event.call.status === 'ok'

describe('a cancelled turn (security D11)', () => {
  it('keeps the calls that were done, also while another is not', async () => {
    const { conversation, sent } = await turn([both], isQuickDone)
    await expect.poll(() => JSON.stringify(conversation.save().messages)).toContain('quick-result')
    // Providers refuse a conversation in which a call has no answer.
    expect(JSON.stringify(conversation.save().messages)).toContain('It was not finished.')
    conversation.cancel()
    await sent
    const { messages } = conversation.save()
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool'])
    expect(JSON.stringify(messages)).toContain('quick-result')
  })

  it('keeps the steps before, and the words that were said', async () => {
    const replies = [{ calls: [{ name: 'a_quick', arguments: {} }] }, { text: 'Spoken words ', endless: true }]
    const { conversation, sent } = await turn(replies, ({ type }) => type === 'text')
    conversation.cancel()
    await sent
    const { messages } = conversation.save()
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(JSON.stringify(messages.at(-1))).toContain('Spoken')
  })
})
