/** Connections, states and bounds of upstreams, with real servers. */

import { serveHttp } from '@portico/sdk/http'
import { createPrincipal, createServer, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { HostError } from '../../src/errors.ts'
import type { WireMessage } from '../../src/upstream/connection/link-tap.ts'
import { createUpstreams, type Upstreams, type UpstreamsOptions } from '../../src/upstream/upstreams.ts'
import { configOf, program, until, untilState } from './fixture.ts'

let upstreams: Upstreams | undefined
afterEach(async () => {
  await upstreams?.close()
  upstreams = undefined
})

function start(options: UpstreamsOptions = {}): Upstreams {
  upstreams = createUpstreams({ watchdog: false, ...options })
  return upstreams
}

/** A server that counts its connections and holds calls until told. */
function slow() {
  let running = 0
  let most = 0
  const held: (() => void)[] = []
  const server = createServer({
    name: 'slow',
    version: '1.0.0',
    tools: {
      wait: tool({ description: 'Waits', input: z.object({}) }, async () => {
        most = Math.max(most, ++running)
        await new Promise<void>((resolve) => held.push(resolve))
        running--
        return 'done'
      }),
      now: tool({ description: 'At once' }, () => 'now'),
      ask: tool({ description: 'Asks' }, async (_, ctx) => {
        const answer = await ctx.elicit('who', { message: 'Who?', form: z.object({ who: z.string() }) })
        return JSON.stringify(answer)
      }),
    },
  })
  return { server, held, running: () => running, most: () => most }
}

const local = (name: string, settings = {}) =>
  configOf(name, { kind: 'in-process', module: 'slow', options: {} }, settings)

describe('connections', () => {
  it('are kept apart by principal and session, shared within, and released', async () => {
    const { server } = slow()
    const all = start({ inProcess: new Map([['slow', async () => ({ server })]]) })
    await all.set([local('s')])
    const [ann, bob] = [createPrincipal('ann'), createPrincipal('bob')]
    const own = await all.client('s')
    const first = await all.client('s', { principal: ann, session: '1' })
    expect(await all.client('s', { principal: ann, session: '1' })).toBe(first)
    const others = [
      await all.client('s', { principal: ann, session: '2' }),
      await all.client('s', { principal: bob, session: '1' }),
    ]
    expect(new Set([own, first, ...others]).size).toBe(4)
    expect(all.view('s')?.connections).toBe(4)
    await all.release('s', { principal: ann })
    expect(all.view('s')?.connections).toBe(2)
    await expect(first.callTool('now')).rejects.toMatchObject({ code: 'closed' })
    expect((await own.callTool('now')).isError).toBeFalsy()
  })

  it("of one principal may crash or be refused without ending anybody else's", async () => {
    const admit = async (_: unknown, { principal }: { principal?: { id: string } }) => {
      if (principal?.id === 'eve') throw new HostError('denied', 'Not her')
    }
    const all = start({ admit, breaker: { failures: 2, firstWaitMs: 1 } })
    await all.set([program('s', 'echo')])
    const own = await all.client('s')
    const ann = await all.client('s', { principal: createPrincipal('ann') })
    for (let i = 0; i < 3; i++) await expect(ann.callTool('die')).rejects.toMatchObject({ code: 'closed' })
    await expect(all.client('s', { principal: createPrincipal('eve') })).rejects.toMatchObject({
      code: 'unavailable',
      data: { reason: 'Not her' },
    })
    expect(all.view('s')?.state.state).toBe('ready')
    expect((await own.callTool('echo', { text: 'x' })).isError).toBeFalsy()
  })

  it('are shared where the server says so, unless the caller brings answers of its own', async () => {
    const { server } = slow()
    const all = start({ inProcess: new Map([['slow', async () => ({ server })]]) })
    await all.set([local('s', { shareable: true })])
    const own = await all.client('s')
    expect(await all.client('s', { principal: createPrincipal('ann') })).toBe(own)
    const form = () => ({ action: 'accept' as const, content: { who: 'ann' } })
    const asking = await all.client('s', { principal: createPrincipal('ann'), questions: { elicitation: { form } } })
    expect(asking).not.toBe(own)
    expect(JSON.stringify(await asking.callTool('ask'))).toContain('ann')
  })

  it('end when nobody uses them, and a lazy server is idle again', async () => {
    const { server } = slow()
    const all = start({ inProcess: new Map([['slow', async () => ({ server })]]), idleMs: 40 })
    await all.set([local('s', { lazy: true })])
    expect(all.view('s')?.state.state).toBe('idle')
    await (await all.client('s')).callTool('now')
    expect(all.view('s')?.state.state).toBe('ready')
    await untilState(all, 's', ({ state }) => state === 'idle')
    expect((await (await all.client('s')).callTool('now')).isError).toBeFalsy()
  })
})

describe('permission', () => {
  it('is asked before anything runs, and a refusal starts nothing (sec-93)', async () => {
    let answer: ((allowed: boolean) => void) | undefined
    const all = start({
      admit: () =>
        new Promise((resolve, reject) => {
          answer = (allowed) => (allowed ? resolve() : reject(new HostError('denied', 'Nobody said yes')))
        }),
    })
    await all.set([program('s', 'echo')])
    await until(() => answer !== undefined)
    expect(all.view('s')?.state).toMatchObject({ state: 'starting', reason: expect.stringContaining('permission') })
    expect(all.view('s')?.pid).toBeUndefined()
    answer?.(false)
    const state = await untilState(all, 's', ({ state: name }) => name === 'failed')
    expect(state).toMatchObject({ reason: 'Nobody said yes', remedy: expect.stringContaining('Approve') })
    await expect(all.client('s')).rejects.toMatchObject({ code: 'unavailable' })
    answer = undefined
    const restarted = all.restart('s')
    await until(() => answer !== undefined)
    ;(answer as unknown as (allowed: boolean) => void)(true)
    await restarted
    expect(all.view('s')?.state.state).toBe('ready')
    expect(all.view('s')?.pid).toBeGreaterThan(0)
  })
})

describe('bounds', () => {
  it('maxConcurrent lets the rest wait their turn', async () => {
    const { server, held, running, most } = slow()
    const all = start({ inProcess: new Map([['slow', async () => ({ server })]]) })
    await all.set([local('s', { maxConcurrent: 2 })])
    const client = await all.client('s')
    const calls = Array.from({ length: 5 }, () => client.callTool('wait'))
    await until(() => running() === 2)
    while (held.length > 0 || running() > 0) {
      held.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await Promise.all(calls)).toHaveLength(5)
    expect(most()).toBe(2)
    expect(all.view('s')).toMatchObject({ calls: 5, errors: 0, latencyMs: expect.any(Number) })
  })

  it('a call that is cancelled while it waits is never sent, and too many that wait are refused', async () => {
    const { server, held, running } = slow()
    const all = start({ inProcess: new Map([['slow', async () => ({ server })]]) })
    await all.set([local('s', { maxConcurrent: 1 })])
    const client = await all.client('s')
    const seen: unknown[] = []
    all.on('message', ({ message }) => seen.push(message.method))
    const first = client.callTool('wait')
    await until(() => running() === 1)
    const cancel = new AbortController()
    const waiting = client.callTool('wait', {}, { signal: cancel.signal })
    const rest = Array.from({ length: 255 }, () => client.callTool('now'))
    await expect(client.callTool('now')).rejects.toMatchObject({
      code: 'limit-exceeded',
      delivery: 'not-sent',
      message: expect.stringContaining('maxConcurrent'),
    })
    cancel.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' })
    held.shift()?.()
    expect(await Promise.all([first, ...rest])).toHaveLength(256)
    expect(running()).toBe(0)
    expect(seen).not.toContain('notifications/cancelled')
  })

  it('callsPerMinute refuses with the option and the time', async () => {
    const { server } = slow()
    const all = start({ inProcess: new Map([['slow', async () => ({ server })]]) })
    await all.set([local('s', { callsPerMinute: 2 })])
    const client = await all.client('s')
    await client.callTool('now')
    await client.callTool('now')
    await expect(client.callTool('now')).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringMatching(/callsPerMinute.*try again in \d+ s/),
    })
  })

  it('callMs ends a call that takes too long', async () => {
    const { server } = slow()
    const all = start({ inProcess: new Map([['slow', async () => ({ server })]]) })
    await all.set([local('s', { callMs: 50 })])
    await expect((await all.client('s')).callTool('wait')).rejects.toMatchObject({ code: 'timeout' })
  })
})

describe('configuration', () => {
  it('reconnects only what changed, ends what is gone, and switches off and on', async () => {
    const { server } = slow()
    const all = start({ inProcess: new Map([['slow', async () => ({ server })]]) })
    await all.set([local('a'), local('b')])
    const [a, b] = await Promise.all([all.client('a'), all.client('b')])
    const changed = configOf('b', { kind: 'in-process', module: 'slow', options: { x: 1 } })
    await all.set([local('a', { callsPerMinute: 1 }), changed])
    expect(await all.client('a')).toBe(a)
    expect(await all.client('b')).not.toBe(b)
    await all.set([local('a')])
    await expect(all.client('b')).rejects.toMatchObject({ code: 'unknown-server' })
    await all.disable('a')
    expect(all.view('a')?.state.state).toBe('disabled')
    await expect(all.client('a')).rejects.toMatchObject({ code: 'unavailable', data: { state: 'disabled' } })
    all.enable('a')
    await untilState(all, 'a', ({ state }) => state === 'ready')
  })
})

describe('an HTTP server', () => {
  it('wants a sign-in at 401, and says so', async () => {
    const { createServer: createHttp } = await import('node:http')
    const refusing = createHttp((_, response) => response.writeHead(401).end())
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
    const { port } = refusing.address() as { port: number }
    const all = start()
    await all.set([configOf('s', { kind: 'http', url: `http://127.0.0.1:${port}/mcp`, headers: {} })])
    const state = await untilState(all, 's', ({ state: name }) => name === 'needs-sign-in')
    expect(state.remedy).toContain('Sign in')
    refusing.close()
  })

  it('that goes away is noticed by its calls: the circuit opens and closes again by a probe', async () => {
    const { server } = slow()
    let running = await serveHttp(server, { port: 0 })
    const { port } = new URL(running.url)
    const all = start({ breaker: { failures: 3, firstWaitMs: 1, openMs: 50 } })
    await all.set([configOf('s', { kind: 'http', url: String(running.url), headers: {} })])
    await (await all.client('s')).callTool('now')
    await running.close()
    const opened = untilState(all, 's', ({ state }) => state === 'failed')
    for (let i = 0; i < 3; i++) {
      const client = await all.client('s').catch(() => undefined)
      await client?.callTool('now').catch(() => {})
    }
    expect((await opened).reason).toContain('refused')
    running = await serveHttp(server, { port: Number(port) })
    await untilState(all, 's', ({ state }) => state === 'ready')
    await (await all.client('s')).callTool('now')
    await running.close()
  })
})

describe('what can be seen', () => {
  it('every message of a connection passes the tap, in both directions', async () => {
    const { server } = slow()
    const all = start({ inProcess: new Map([['slow', async () => ({ server })]]) })
    const seen: WireMessage[] = []
    all.on('message', (message) => seen.push(message))
    await all.set([local('s')])
    await (await all.client('s')).callTool('now')
    const call = seen.find(({ message }) => message.method === 'tools/call')
    expect(call).toMatchObject({ server: 's', connection: 's#1', direction: 'out', bytes: expect.any(Number) })
    const answer = seen.find(({ message }) => message.id === call?.message.id && 'result' in message)
    expect(answer?.direction).toBe('in')
    expect(answer?.bytes).toBe(Buffer.byteLength(JSON.stringify(answer?.message)))
  })

  it('spans and durations follow the conventions, and the trace travels in _meta', async () => {
    const otel = await import('@opentelemetry/api')
    const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = await import(
      '@opentelemetry/sdk-trace-base'
    )
    const { W3CTraceContextPropagator } = await import('@opentelemetry/core')
    const exporter = new InMemorySpanExporter()
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
    otel.trace.setGlobalTracerProvider(provider)
    otel.propagation.setGlobalPropagator(new W3CTraceContextPropagator())
    let meta: unknown
    const server = createServer({
      name: 'x',
      version: '1.0.0',
      tools: {
        t: tool({ description: 'd' }, (_, ctx) => {
          meta = ctx.meta
          return 'ok'
        }),
      },
    })
    const all = start({ inProcess: new Map([['slow', async () => ({ server })]]), telemetry: otel })
    await all.set([local('s')])
    await (await all.client('s')).callTool('t')
    const span = exporter.getFinishedSpans().find(({ name }) => name === 'tools/call t')
    expect(span?.kind).toBe(otel.SpanKind.CLIENT)
    expect(span?.attributes).toMatchObject({ 'mcp.method.name': 'tools/call', 'gen_ai.tool.name': 't' })
    expect(meta).toMatchObject({ traceparent: expect.stringContaining(span?.spanContext().traceId ?? '?') })
    otel.trace.disable()
    otel.propagation.disable()
  })
})
