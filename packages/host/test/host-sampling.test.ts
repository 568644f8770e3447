/** What a server's sampling request brings along, and who looks at the answer. */

import { createServer, tool } from '@portico/sdk/server'
import { afterEach, expect, it } from 'vitest'
import { type HostLab, startHost } from './host-lab.ts'

let lab: HostLab
afterEach(() => lab.close())

const createThinker = () =>
  createServer({
    name: 'thinker',
    version: '1.0.0',
    tools: {
      think: tool({}, async (_, ctx) => {
        const answer = await ctx.sample('thought', {
          messages: [{ role: 'user', content: { type: 'text', text: 'What now?' } }],
          maxTokens: 50,
          metadata: { ticket: '7', model: { not: 'a text' } },
        })
        return JSON.stringify(answer.content)
      }),
    },
  })

it.each([
  { review: true, kinds: ['sampling', 'sampling-answer'], answer: 'Edited.' },
  { review: false, kinds: ['sampling'], answer: 'Rest.' },
])('an answer is shown before it is sent where a rule says review: $review (founding 14)', async (row) => {
  lab = await startHost(
    { thinker: createThinker },
    {
      script: { replies: [{ text: 'Rest.' }] },
      rules: [
        { id: 'calls', outcome: 'allow', effect: 'call' },
        { id: 'look', outcome: 'ask', effect: 'sample', review: row.review },
      ],
      decide: ({ body }) =>
        body.kind === 'sampling-answer' ? { action: 'allow', content: { text: 'Edited.' } } : { action: 'allow' },
    },
  )
  const { result } = await lab.host.call('thinker_think')
  expect(JSON.stringify(result.content)).toContain(row.answer)
  expect(lab.asked.map(({ body }) => body.kind).filter((kind) => kind.startsWith('sampling'))).toEqual(row.kinds)
  // Texts alone, under a name of their own: nothing else of the request can be set by a server.
  expect(lab.provider.requests[0]).toMatchObject({ model: 'm', metadata: { ticket: '7' } })
})
