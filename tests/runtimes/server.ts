/**
 * The server that every runtime runs: one of each thing that a transport has to carry. It uses the web's standards
 * alone; the files in `entries/` put it on a runtime, the ones in `checks/` ask for what is here.
 */

import { createServer, prompt, resource, type Server, tool } from '@portico/sdk/server'
import { z } from 'zod'

export function createSubject(): Server {
  const seen = { calls: 0, waiting: 0, cancelled: 0 }
  const gates = new Map<string, () => void>()

  const add = tool(
    { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
    ({ a, b }) => {
      seen.calls += 1
      return { sum: a + b }
    },
  )

  const count = tool({ input: z.object({ to: z.number() }) }, async ({ to }, ctx) => {
    for (let step = 1; step <= to; step++) {
      await delay(5)
      await ctx.progress(step, to, `step ${step}`)
    }
    return `counted to ${to}`
  })

  const greet = tool({}, async (_, ctx) => {
    const form = z.object({ name: z.string() })
    const answer = await ctx.elicit('name', { message: 'Who are you?', form })
    return answer.action === 'accept' ? `Hello, ${answer.content.name}` : 'Hello, whoever you are'
  })

  const wait = tool({ input: z.object({ speak: z.boolean().optional() }) }, async ({ speak }, ctx) => {
    seen.waiting += 1
    if (speak) await ctx.progress(1)
    await aborted(ctx.signal)
    seen.cancelled += 1
    return 'nobody reads this'
  })

  const gated = tool({ input: z.object({ gate: z.string() }) }, async ({ gate }, ctx) => {
    await ctx.progress(1, 2, 'before the gate')
    await new Promise<void>((open) => gates.set(gate, open))
    await ctx.progress(2, 2, 'behind the gate')
    return `passed ${gate}`
  })

  const open = tool({ input: z.object({ gate: z.string() }) }, ({ gate }) => {
    gates.get(gate)?.()
    return gates.delete(gate) ? 'opened' : 'no such gate'
  })

  const grow = tool({}, () => {
    const grown = tool({ description: 'Was not here before' }, () => 'new')
    server.tool(`grown-${crypto.randomUUID()}`, grown)
    return 'grown'
  })

  const server = createServer({
    name: 'runtimes',
    version: '1.0.0',
    tools: { add, count, greet, wait, gated, open, grow, seen: tool({}, () => ({ ...seen })) },
    resources: { note: resource({ uri: 'note://greeting', mimeType: 'text/plain' }, () => 'Grüße, 世界') },
    prompts: { welcome: prompt({ input: z.object({ who: z.string() }) }, ({ who }) => `Welcome ${who} warmly.`) },
  })
  return server
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
