/** The harness is tested with itself: a server that asks, counts and remembers who called. */

import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createPrincipal } from '../auth/principal.ts'
import { tool } from '../server/items/definition.ts'
import { createServer } from '../server/server.ts'
import { createClock } from './clock.ts'
import { eachEra, testClient } from './test-client.ts'

const server = createServer({
  name: 'subject',
  version: '1.0.0',
  tools: {
    add: tool({ input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => `${a + b}`),
    greet: tool({}, async (_args, ctx) => {
      const answer = await ctx.elicit({ message: 'Who?', form: z.object({ name: z.string() }) })
      return answer.action === 'accept' ? `Hello ${answer.content.name}` : answer.action
    }),
    summarize: tool({}, async (_args, ctx) => {
      const { content } = await ctx.sample({
        messages: [{ role: 'user', content: { type: 'text', text: 'Sum up' } }],
        maxTokens: 10,
      })
      return content
    }),
    where: tool({}, async (_args, ctx) => (await ctx.roots()).map(({ uri }) => uri).join()),
    whoami: tool({}, (_args, ctx) => ctx.principal?.id ?? 'nobody'),
    secret: tool({ scopes: ['admin'] }, () => 'open'),
  },
})

describe('eachEra', () => {
  test('runs once on each era, with a client of that era', async () => {
    const versions: string[] = []
    await eachEra(server, async (client, version) => {
      versions.push(version)
      expect(client.version).toBe(version)
      expect(await client.tools.add({ a: 1, b: 2 })).toBe('3')
    })
    expect(versions).toEqual(['2025-11-25', '2026-07-28'])
  })

  test('plays scripted answers to elicitation, sampling and roots', async () => {
    const answers = {
      elicit: [{ name: 'Ada' }, 'decline' as const],
      sample: ['short'],
      roots: [{ uri: 'file:///here' }],
    }
    await eachEra(
      server,
      async (client) => {
        expect(await client.tools.greet()).toBe('Hello Ada')
        expect(await client.tools.greet()).toBe('decline')
        expect(await client.tools.summarize()).toBe('short')
        expect(await client.tools.where()).toBe('file:///here')
        expect(client.asked.map(({ kind }) => kind)).toEqual(['elicit', 'elicit', 'sample'])
      },
      { answers },
    )
  })

  const broken = [
    {
      name: 'an answer is left over',
      answers: { elicit: ['accept' as const] },
      run: () => {},
      message: /1 answers to elicit/,
    },
    {
      name: 'a question is not in the script',
      answers: { elicit: [] },
      run: (client: { callTool(name: string): Promise<unknown> }) => client.callTool('greet').catch(() => {}),
      message: /no answer to elicit: Who\?/,
    },
  ]
  test.each(broken)('fails when $name', async ({ answers, run, message }) => {
    await expect(eachEra(server, run, { answers })).rejects.toThrow(message)
  })

  test('says which era failed and keeps the error', async () => {
    const fault = new TypeError('wrong')
    const failing = eachEra(server, (client) => {
      if (client.version === '2026-07-28') throw fault
    })
    await expect(failing).rejects.toBe(fault)
    expect(fault.message).toBe('[2026-07-28] wrong')
  })

  test('makes a server for each era from a function', async () => {
    let made = 0
    await eachEra(
      () => {
        made++
        return createServer({ name: 'fresh', version: '1' })
      },
      () => {},
    )
    expect(made).toBe(2)
  })
})

describe('testClient', () => {
  test('is taken for the principal that it is given, whose scopes decide what it sees', async () => {
    await using client = await testClient(server, { principal: createPrincipal('ada', ['admin']) })
    expect(await client.tools.whoami()).toBe('ada')
    expect(await client.tools.secret()).toBe('open')
    await using stranger = await testClient(server)
    await expect(stranger.callTool('secret')).rejects.toThrow('Unknown tool')
  })

  test('does not declare what is not scripted', async () => {
    await using client = await testClient(server, { version: '2025-11-25' })
    expect((await client.callTool('greet')).isError).toBe(true)
  })
})

describe('the clock', () => {
  test('moves timers and timestamps, in order, and gives time back', async () => {
    const before = Date.now
    const clock = createClock(1_000)
    try {
      const seen: string[] = []
      setTimeout(() => seen.push(`second at ${Date.now()}`), 200)
      setTimeout(async () => {
        await Promise.resolve()
        seen.push(`first at ${Date.now()}`)
        setTimeout(() => seen.push(`nested at ${performance.now()}`), 50)
      }, 100)
      const gone = setTimeout(() => seen.push('cleared'), 120)
      clearTimeout(gone)
      await clock.advance(300)
      expect(seen).toEqual(['first at 1100', 'nested at 150', 'second at 1200'])
      expect(() => createClock()).toThrow('already')
    } finally {
      clock.restore()
    }
    expect(Date.now).toBe(before)
  })

  test('lets a client time out without waiting', async () => {
    const stuck = createServer({
      name: 'stuck',
      version: '1',
      tools: { wait: tool({}, () => new Promise<string>(() => {})) },
    })
    await using client = await testClient(stuck)
    const clock = createClock()
    try {
      const call = client.callTool('wait', {}, { timeoutMs: 60_000 })
      const failed = expect(call).rejects.toMatchObject({ code: 'timeout' })
      await clock.advance(60_000)
      await failed
    } finally {
      clock.restore()
    }
  })
})
