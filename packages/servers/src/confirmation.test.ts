import { createServer, tool } from '@portico/sdk/server'
import { testClient } from '@portico/sdk/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { requireConfirmation } from './confirmation.ts'

const YES = { action: 'accept', content: { confirm: true } } as const

async function asked(question: string, shown: string): Promise<{ messages: string[]; refusal: string | undefined }> {
  const messages: string[] = []
  const act = tool({ input: { type: 'object' } }, async (_args, ctx) => {
    await requireConfirmation(ctx, question, false, shown)
    return 'done'
  })
  const server = createServer({ name: 'asks', version: '1', tools: { act } })
  const client = await testClient(server, {
    answers: {
      elicit: ({ message }) => {
        messages.push(message)
        return YES
      },
    },
  })
  const { isError, content } = await client.callTool('act')
  await client.close()
  return { messages, refusal: isError === true ? JSON.stringify(content) : undefined }
}

it('sec-290: whatever its length, a question shows all of what is agreed to, in parts without a gap', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(2_000), fc.nat(20_000), async (asks, shows) => {
      const question = 'q'.repeat(asks + 1)
      const shown = Array.from({ length: shows }, (_, at) => String.fromCharCode(97 + (at % 26))).join('')
      const { messages, refusal } = await asked(question, shown)
      expect(refusal).toBeUndefined()
      const text =
        messages.length === 1 ? messages[0] : messages.map((one) => one.slice(one.indexOf('\n\n') + 2)).join('')
      expect(text?.endsWith(shown)).toBe(true)
      expect(messages.every((message) => message.length < 8_000)).toBe(true)
      expect(text?.includes(question) || messages.every((message) => message.startsWith(question))).toBe(true)
      for (const [at, message] of messages.entries()) {
        if (messages.length > 1) expect(message).toContain(`Part ${at + 1} of ${messages.length}.`)
      }
    }),
    { numRuns: 15 },
  )
})

it('parts are cut between characters', async () => {
  const { messages } = await asked('q', `a${'😀'.repeat(6_000)}`)
  expect(messages.length).toBeGreaterThan(1)
  for (const message of messages) expect(message).not.toMatch(/\p{Surrogate}/u)
})

it('sec-290: what is too long to be shown is refused before anything is asked', async () => {
  const { messages, refusal } = await asked('Go ahead?', 'x'.repeat(54_001))
  expect(messages).toEqual([])
  expect(refusal).toContain('54001 characters before agreeing')
})
