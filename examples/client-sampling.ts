// Teaches: lending a server your model. One handler serves every revision; what a person has to approve goes through it.
import { connect, RpcError, type SamplingHandler } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { z } from 'zod'

const shorten = tool({ input: z.object({ text: z.string() }) }, async ({ text }, ctx) => {
  const { model, content } = await ctx.sample({ prompt: `Shorten: ${text}`, maxTokens: 5_000 })
  const [block] = [content].flat()
  return block?.type === 'text' ? `${model} says: ${block.text}` : 'no text'
})
const server = createServer({ name: 'editor', version: '1.0.0', tools: { shorten } })

const sampling: SamplingHandler = async ({ messages, maxTokens }, { server, signal }) => {
  const blocks = messages.flatMap(({ content }) => content)
  const prompt = blocks.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n')
  console.log(`${server?.name} would like to ask: ${prompt}`)
  // The protocol's number for "the person said no".
  if (!(await approved(prompt))) throw new RpcError(-1, 'The person said no')
  // How much is spent is decided on this side, whatever the server would like.
  const text = await complete(prompt, Math.min(maxTokens, 500), signal)
  return { role: 'assistant', model: 'tiny-1', stopReason: 'endTurn', content: { type: 'text', text } }
}

for (const versions of ['2026-07-28', '2025-06-18'] as const) {
  const client = await connect<typeof server>(server, { sampling, versions })
  for (const text of ['A very long story about a cat', 'My secret diary']) {
    await client.tools.shorten({ text }).then(console.log, ({ code, message }) => console.log(`${code}: ${message}`))
  }
  await client.close()
}

/** Stands for a dialog. */
async function approved(prompt: string): Promise<boolean> {
  return !prompt.includes('secret')
}
/** Stands for the API of a model. */
async function complete(prompt: string, _maxTokens: number, _signal: AbortSignal): Promise<string> {
  return prompt.split(' ').at(-1) ?? ''
}
