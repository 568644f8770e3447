import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { expect, it } from 'vitest'
import { toSamplingResult } from './messages.ts'
import { runStep } from './step.ts'

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

it.each([
  { says: '', blocks: { type: 'image', data: 'aGk=', mimeType: 'image/png' } },
  {
    says: 'Here it is.',
    blocks: [
      { type: 'text', text: 'Here it is.' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
    ],
  },
])('a picture that a model makes is returned to the server that asked, with "$says" (founding 14)', async (row) => {
  const model = new MockLanguageModelV3({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start' as const, warnings: [] },
          { type: 'text-start' as const, id: 't' },
          { type: 'text-delta' as const, id: 't', delta: row.says },
          { type: 'text-end' as const, id: 't' },
          { type: 'file' as const, mediaType: 'image/png', data: 'aGk=' },
          { type: 'finish' as const, finishReason: { unified: 'stop' as const, raw: 'stop' }, usage: USAGE },
        ],
      }),
    }),
  })
  const step = await runStep({ model, messages: [{ role: 'user', content: 'Draw' }], tools: [], metadata: { a: 'b' } })
  expect(toSamplingResult('m', step.text, step).content).toEqual(row.blocks)
  expect(Object.values(model.doStreamCalls[0]?.providerOptions ?? {})).toEqual([{ metadata: { a: 'b' } }])
})
