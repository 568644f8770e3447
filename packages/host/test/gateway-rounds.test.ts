/** Calls that wait at the gateway for their client's answers, and what becomes of them. */

import type { ProtocolVersion } from '@portico/sdk/client'
import { createServer, RpcError, type Server, ToolError, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, test } from 'vitest'
import type { Guard } from '../src/guard/guard.ts'
import { closeAll, createSite, MODERN, onHttp, raw, textOf } from './gateway-site.ts'

afterEach(closeAll)

describe('a call that waits for a client of the newest revision', () => {
  const questions = (name: string): Server => {
    let noted = (): void => {}
    const server = createServer({
      name,
      version: '1',
      versions: ['2025-11-25'],
      tools: {
        confirm: tool({}, async (_args, ctx) => {
          const asked = ctx.elicit({
            message: 'Sure?',
            form: { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] },
          })
          // After the question has gone out: these reach the client with the retry.
          await new Promise<void>((resolve) => {
            noted = resolve
            signals.push({ signal: ctx.signal, note: noted, say: () => ctx.log('info', 'still at it') })
          })
          ctx.progress(1, 2, 'while you were away')
          ctx.log('info', 'between rounds')
          const answer = await asked
          return `${answer.action} ${JSON.stringify(answer.content)}`
        }),
      },
    })
    return server
  }
  const signals: { signal: AbortSignal; note: () => void; say: () => void }[] = []
  afterEach(() => {
    signals.length = 0
  })

  test('is parked under a sealed state, and what came meanwhile is told with the retry', async () => {
    const site = await createSite({ old: { target: questions('old') } })
    const first = await raw(site, 'tools/call', { name: 'confirm', arguments: {} })
    expect(first.result.resultType).toBe('input_required')
    const [key, question] =
      Object.entries<{ method: string; params: { message: string } }>(first.result.inputRequests)[0] ?? []
    expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Sure?', mode: 'form' } })
    expect(site.gateway.metrics().parked).toBe(1)
    signals[0]?.note()
    const second = await raw(site, 'tools/call', {
      name: 'confirm',
      arguments: {},
      requestState: first.result.requestState,
      inputResponses: { [String(key)]: { action: 'accept', content: { yes: true } } },
    })
    expect(textOf(second.result)).toBe('accept {"yes":true}')
    expect(second.notices.map(({ method }: { method: string }) => method).sort()).toEqual([
      'notifications/message',
      'notifications/progress',
    ])
    expect(site.gateway.metrics().parked).toBe(0)
  })

  test('is cancelled at its server when nobody takes it up again in time', async () => {
    const site = await createSite({ old: { target: questions('old') } }, { parking: { parkedMs: 30 } })
    const first = await raw(site, 'tools/call', { name: 'confirm', arguments: {} })
    await expect.poll(() => signals[0]?.signal.aborted).toBe(true)
    const late = await raw(site, 'tools/call', {
      name: 'confirm',
      arguments: {},
      requestState: first.result.requestState,
      inputResponses: {},
    })
    expect(late.error).toMatchObject({ code: -32602, data: { parameter: 'requestState' } })
    expect(site.gateway.metrics()).toMatchObject({ parked: 0, abandoned: 1 })
  })

  test('cannot be taken up by another principal, with other arguments, or with an altered state', async () => {
    const site = await createSite({ old: { target: questions('old') } })
    const first = await raw(site, 'tools/call', { name: 'confirm', arguments: {} })
    const retry = {
      name: 'confirm',
      arguments: {},
      requestState: first.result.requestState,
      inputResponses: { q_1: { action: 'decline' } },
    }
    expect((await raw(site, 'tools/call', retry, { user: 'eve' })).error).toMatchObject({ code: -32602 })
    expect((await raw(site, 'tools/call', { ...retry, arguments: { x: 1 } })).error).toMatchObject({ code: -32602 })
    const altered = `${first.result.requestState.slice(0, -2)}AA`
    expect((await raw(site, 'tools/call', { ...retry, requestState: altered })).error).toMatchObject({ code: -32602 })
    signals[0]?.note()
    expect(textOf((await raw(site, 'tools/call', retry)).result)).toContain('decline')
  })

  describe('security D19: passes the gateway’s own rules in every round', () => {
    const begin = async (options: Parameters<typeof createSite>[1], rest?: Parameters<typeof createSite>[2]) => {
      const site = await createSite({ old: { target: questions('old') } }, options, rest)
      const first = await raw(site, 'tools/call', { name: 'confirm', arguments: {} })
      const retry = {
        name: 'confirm',
        arguments: {},
        requestState: first.result.requestState,
        inputResponses: { q_1: { action: 'decline' } },
      }
      return { again: () => raw(site, 'tools/call', retry) }
    }

    test('what went out of view is neither gone on with nor told again', async () => {
      let hidden: string[] = []
      const { again } = await begin({ views: () => ({ hidden }) })
      hidden = ['confirm']
      expect((await again()).error).toMatchObject({ code: -32602, message: 'Unknown tool: confirm' })
      hidden = []
      signals[0]?.note()
      expect(textOf((await again()).result)).toContain('decline')
      hidden = ['confirm']
      expect((await again()).error).toMatchObject({ code: -32602, message: 'Unknown tool: confirm' })
    })

    test('what the rules have come to forbid is neither gone on with nor told again', async () => {
      let outcome: 'allow' | 'deny' = 'allow'
      const guard = {
        pass: async (effect: object) => ({ effect, decision: { reason: '' }, finish: () => {} }),
        review: async (_effect: object, result: object) => result,
        explain: async () => ({ outcome, reason: 'it is late', considered: [] }),
      }
      const { again } = await begin({}, { guard: guard as unknown as Guard })
      signals[0]?.note()
      expect(textOf((await again()).result)).toContain('decline')
      outcome = 'deny'
      expect((await again()).error).toMatchObject({ message: 'Not allowed: it is late' })
    })
  })

  test('is one of a bounded number, and the refusal names the limit', async () => {
    const site = await createSite({ old: { target: questions('old') } }, { parking: { maxParkedPerPrincipal: 1 } })
    await raw(site, 'tools/call', { name: 'confirm', arguments: {} })
    const pending = raw(site, 'tools/call', { name: 'confirm', arguments: {} })
    await expect.poll(() => signals.length).toBe(2)
    signals[1]?.note()
    expect(textOf((await pending).result)).toContain('maxParkedPerPrincipal (1)')
    const other = await raw(site, 'tools/call', { name: 'confirm', arguments: {} }, { user: 'bob' })
    expect(other.result.resultType).toBe('input_required')
  })

  test('answers that are no object are refused as the client’s own mistake, and the server hears of a cancellation (MRTR, "Error Handling")', async () => {
    const site = await createSite({ old: { target: questions('old') } })
    const call = { name: 'confirm', arguments: {} }
    for (const inputResponses of [null, [], 'yes']) {
      const refused = await raw(site, 'tools/call', { ...call, inputResponses })
      expect(refused.error).toMatchObject({ code: -32602, data: { parameter: 'inputResponses' } })
      await expect.poll(() => signals.at(-1)?.signal.aborted).toBe(true)
      expect(site.gateway.metrics().parked).toBe(0)
    }
    const first = await raw(site, 'tools/call', call)
    const { requestState } = first.result
    signals.at(-1)?.note()
    const retry = await raw(site, 'tools/call', { ...call, requestState, inputResponses: null })
    expect(retry.error).toMatchObject({ code: -32602, data: { parameter: 'inputResponses' } })
    // One answer that cannot be read is asked for again; what is not known is ignored.
    const again = await raw(site, 'tools/call', { ...call, requestState, inputResponses: { q_1: 12345, other: {} } })
    expect(Object.keys(again.result.inputRequests)).toEqual(['q_1'])
    const inputResponses = { q_1: { action: 'decline' }, other: { action: 'accept' } }
    const last = await raw(site, 'tools/call', {
      ...call,
      requestState: again.result.requestState,
      inputResponses,
    })
    expect(textOf(last.result)).toContain('decline')
  })

  test('sdk D11, sec-254: that went to another process is refused with words that say what to do', async () => {
    const server = { stateKeys: [new Uint8Array(32).fill(7)] }
    const [one, other] = [
      await createSite({ old: { target: questions('old') } }, { server }),
      await createSite({ old: { target: questions('old') } }, { server }),
    ]
    const call = { name: 'confirm', arguments: {} }
    const { requestState } = (await raw(one, 'tools/call', call)).result
    const retry = { ...call, requestState, inputResponses: { q_1: { action: 'decline' } } }
    expect((await raw(other, 'tools/call', retry)).error).toMatchObject({
      code: -32602,
      message:
        'Invalid params: requestState belongs to a call that does not wait at this process of the gateway: ' +
        'it is over, waited too long, or waits or waited at another process. What it does may have happened: look first, and ' +
        'send the request anew without requestState and inputResponses only if it has not; where several processes serve the gateway, give them one place for their state',
      data: { parameter: 'requestState' },
    })
    // It still waits where it was begun.
    signals[0]?.note()
    expect(textOf((await raw(one, 'tools/call', retry)).result)).toContain('decline')
  })

  test.each([1, 2, 3])(
    'sdk D11, sec-280: whose connection is lost %i times has its result kept, and runs once',
    async (times) => {
      const site = await createSite({ old: { target: questions('old') } })
      const call = { name: 'confirm', arguments: {} }
      const { requestState } = (await raw(site, 'tools/call', call)).result
      const retry = { ...call, requestState, inputResponses: { q_1: { action: 'accept', content: { yes: true } } } }
      for (let at = 0; at < times; at++) {
        const line = new AbortController()
        const lost = raw(site, 'tools/call', retry, { signal: line.signal, opened: () => line.abort() })
        lost.catch(() => {})
        // Reaches the client as soon as the call is attached to its request.
        await expect
          .poll(() => {
            signals[0]?.say()
            return line.signal.aborted
          })
          .toBe(true)
        await expect(lost).rejects.toThrow()
      }
      expect(signals.map(({ signal }) => signal.aborted)).toEqual([false])
      signals[0]?.note()
      const stranger = await raw(site, 'tools/call', retry, { user: 'bob' })
      expect(stranger.error).toMatchObject({ code: -32602 })
      for (let again = 0; again < 2; again++) {
        expect(textOf((await raw(site, 'tools/call', retry)).result)).toBe('accept {"yes":true}')
      }
      expect([signals.length, site.gateway.metrics().parked]).toEqual([1, 0])
    },
  )

  test('sec-284: that came to more than is kept is gone for whoever comes back for it, and runs once', async () => {
    const site = await createSite({ old: { target: questions('old') } }, { parking: { maxKeptBytes: 2_000 } })
    const call = { name: 'confirm', arguments: {} }
    const { requestState } = (await raw(site, 'tools/call', call)).result
    const yes = { yes: true, why: 'x'.repeat(2_000) }
    const retry = { ...call, requestState, inputResponses: { q_1: { action: 'accept', content: yes } } }
    const line = new AbortController()
    const lost = raw(site, 'tools/call', retry, { signal: line.signal, opened: () => line.abort() })
    lost.catch(() => {})
    await expect
      .poll(() => {
        signals[0]?.say()
        return line.signal.aborted
      })
      .toBe(true)
    await expect(lost).rejects.toThrow()
    signals[0]?.note()
    await expect.poll(() => site.gateway.metrics().parked).toBe(0)
    expect((await raw(site, 'tools/call', retry)).error).toMatchObject({
      code: -32602,
      data: { parameter: 'requestState' },
    })
    expect(signals).toHaveLength(1)
  })

  test('sec-284: whose arguments or questions are more than is kept does not wait, and the refusal names the limit', async () => {
    const site = await createSite({ old: { target: questions('old') } }, { parking: { maxKeptBytes: 2_000 } })
    const pending = raw(site, 'tools/call', { name: 'confirm', arguments: { x: 'x'.repeat(2_000) } })
    await expect.poll(() => signals.length).toBe(1)
    signals[0]?.note()
    expect(textOf((await pending).result)).toContain('maxKeptBytes (2000)')
    expect(site.gateway.metrics().parked).toBe(0)
  })

  test('two calls of one principal at once each get their own answers', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
    const asking = (versions: ProtocolVersion[]): Server =>
      createServer({
        name: 'asking',
        version: '1',
        versions,
        tools: {
          who: tool({ input: { type: 'object', properties: { tag: { type: 'string' } } } }, async (args, ctx) => {
            const { tag } = args as { tag: string }
            const form = { type: 'object', properties: { tag: { type: 'string' } }, required: ['tag'] } as const
            const answer = await ctx.elicit('tag', { message: tag, form })
            return `${tag}=${(answer.content as { tag: string } | undefined)?.tag}`
          }),
        },
      })
    for (const server of [MODERN, '2025-11-25'] as const) {
      const upstream = await onHttp(asking([server]))
      for (const versions of [MODERN, '2025-11-25'] as const) {
        const site = await createSite({ up: { target: upstream.url } })
        const form = ({ message }: { message: string }) => ({ action: 'accept' as const, content: { tag: message } })
        const client = await site.connect('ada', { versions, elicitation: { form } })
        const results = await Promise.all(names.map((tag) => client.callTool('who', { tag })))
        expect(results.map(textOf)).toEqual(names.map((tag) => `${tag}=${tag}`))
      }
    }
  })
})

describe('a question that the client does not offer to answer', () => {
  const server = () =>
    createServer({
      name: 'wants',
      version: '1',
      versions: ['2025-11-25'],
      tools: {
        sample: tool({}, async (_args, ctx) => `said ${(await ctx.sample({ prompt: 'x', maxTokens: 1 })).model}`),
        roots: tool({}, async (_args, ctx) => `${(await ctx.roots()).length} roots`),
        visit: tool({}, async (_args, ctx) => (await ctx.elicit({ message: 'x', url: 'https://x.example' })).action),
        both: tool({}, async (_args, ctx) => {
          const refused = [ctx.sample({ prompt: 'x', maxTokens: 1 }), ctx.roots()].map((ask) => ask.catch(() => 'no'))
          await Promise.all(refused)
          throw new ToolError('cannot go on')
        }),
        copes: tool({}, async (_args, ctx) =>
          ctx.sample({ prompt: 'x', maxTokens: 1 }).then(String, () => 'did without'),
        ),
      },
    })

  // One connection for everybody, so the server has to be told of more than this client offers.
  const shared = () => createSite({ wants: { target: server(), settings: { shareable: true } } })

  test.each([
    ['sample', { sampling: {} }],
    ['roots', { roots: {} }],
    ['visit', { elicitation: { url: {} } }],
    ['both', { sampling: {}, roots: {} }],
  ])('fails %s with -32021 and what is missing (2026-07-28, basic, "_meta")', async (name, requiredCapabilities) => {
    const site = await shared()
    const { status, error } = await raw(site, 'tools/call', { name, arguments: {} }, { capabilities: {} })
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities } })
    expect(status).toBe(400)
  })

  test('is no failure where the server can do without, and older clients read the server’s own words', async () => {
    const site = await shared()
    const { result } = await raw(site, 'tools/call', { name: 'copes', arguments: {} }, { capabilities: {} })
    expect(textOf(result)).toBe('did without')
    const older = await site.connect('ada', { versions: '2025-11-25' })
    expect(await older.callTool('sample')).toMatchObject({ isError: true })
  })
})

describe('URLs that a 2025-11-25 server wants visited first (-32042)', () => {
  const visited = new Set<string>()
  const server = () => {
    const made: Server = createServer({
      name: 'visits',
      version: '1',
      versions: ['2025-11-25'],
      tools: {
        paid: tool({}, async (_args, ctx) => {
          if (visited.has('yes')) return 'paid'
          throw new RpcError(-32042, 'Please pay', {
            elicitations: [
              {
                mode: 'url',
                message: 'Pay here',
                url: 'https://pay.example/1',
                elicitationId: `e-${String(ctx.requestId)}`,
              },
            ],
          })
        }),
      },
    })
    return made
  }

  test('become a question for a client of the newest revision, and the server is called again', async () => {
    visited.clear()
    const site = await createSite({ old: { target: server() } }, { visits: { visitMs: 10 } })
    const urls: string[] = []
    const client = await site.connect('ada', {
      versions: MODERN,
      elicitation: {
        url: ({ url }) => {
          urls.push(url)
          visited.add('yes')
          return { action: 'accept' }
        },
      },
    })
    expect(textOf(await client.callTool('paid'))).toBe('paid')
    expect(urls).toEqual(['https://pay.example/1'])
  })

  test('reach a client that knows the error as they are', async () => {
    visited.clear()
    const site = await createSite({ old: { target: server() } })
    const client = await site.connect('ada', {
      versions: '2025-11-25',
      elicitation: { url: () => ({ action: 'decline' }) },
    })
    await expect(client.callTool('paid')).rejects.toMatchObject({
      rpcCode: -32042,
      data: { elicitations: [{ url: 'https://pay.example/1' }] },
    })
  })
})
