/**
 * `withTelemetry` with OpenTelemetry's own API, tracer and meter, in memory and over HTTP: what the recorder in
 * `telemetry.test.ts` beside the source takes for granted about them is true.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as otel from '@opentelemetry/api'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import {
  AggregationTemporality,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { withTelemetry } from '../src/serve/observe/telemetry.ts'
import { ToolError } from '../src/server/features/tool-result.ts'
import { prompt, resource, tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { eachEra, testClient } from '../src/testing/test-client.ts'
import { call, legacy, META, modern, openSession, send } from './http-fixture.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`
const OTHER = '4bf92f3577b34da6a3ce929d0e0e4736'

class Contexts implements otel.ContextManager {
  readonly #storage = new AsyncLocalStorage<otel.Context>()

  active(): otel.Context {
    return this.#storage.getStore() ?? otel.ROOT_CONTEXT
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: otel.Context,
    action: F,
    receiver?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#storage.run(context, () => action.apply(receiver, args))
  }

  bind<T>(_context: otel.Context, target: T): T {
    return target
  }

  enable(): this {
    return this
  }

  disable(): this {
    return this
  }
}

let exporter: InMemorySpanExporter
let metrics: InMemoryMetricExporter
let meters: MeterProvider

function register(): void {
  otel.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
  otel.metrics.setGlobalMeterProvider(meters)
  otel.context.setGlobalContextManager(new Contexts())
  otel.propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  )
}

beforeEach(() => {
  exporter = new InMemorySpanExporter()
  metrics = new InMemoryMetricExporter(AggregationTemporality.DELTA)
  meters = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 })],
  })
})

afterEach(async () => {
  await meters.shutdown()
  for (const api of [otel.trace, otel.metrics, otel.context, otel.propagation]) api.disable()
})

/** All that was measured since the last time. */
async function durations() {
  metrics.reset()
  await meters.forceFlush()
  const all = metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  return all.flatMap(({ descriptor, dataPoints }) =>
    dataPoints.map(({ attributes, value }) => {
      // `mcp.server.operation.duration` is the only instrument there is, and it is a histogram.
      return { name: descriptor.name, unit: descriptor.unit, attributes, value: value as Histogram }
    }),
  )
}

function createSubject(waiting = { resolve: () => {} }) {
  return createServer({
    name: 's',
    version: '1',
    onError: () => {},
    tools: {
      echo: tool({ input: z.object({ word: z.string() }) }, ({ word }) => word),
      inner: tool({}, () => {
        const user = otel.propagation.getActiveBaggage()?.getEntry('user')?.value
        otel.trace.getTracer('test').startSpan('inner').end()
        return String(user)
      }),
      refuse: tool({}, () => {
        throw new ToolError('hunter in a tool error')
      }),
      crash: tool({}, () => {
        throw new TypeError('hunter in a crash')
      }),
    },
    resources: { note: resource({ uri: 'https://{+rest}' }, () => 'text') },
    prompts: {
      plan: prompt({}, () => 'Plan'),
      wait: prompt({}, async (_args, ctx) => {
        waiting.resolve()
        await new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)))
        return 'never'
      }),
      broken: prompt({}, () => {
        throw new TypeError('hunter in a prompt')
      }),
    },
  })
}

async function createHttp() {
  const http = await serveHttp(withTelemetry(createSubject(), otel), { port: 0 })
  onTestFinished(() => http.close())
  return http
}

const spans = () => exporter.getFinishedSpans()
/** Everything that would leave the process, apart from what the provider itself adds. */
const exported = async () =>
  JSON.stringify([
    spans().map(({ name, attributes, status, events, links }) => ({ name, attributes, status, events, links })),
    await durations(),
  ])

describe('a request', () => {
  test('is one finished span and one measurement by the semantic conventions for MCP', async () => {
    register()
    await eachEra(withTelemetry(createSubject(), otel), async (client, version) => {
      exporter.reset()
      await durations()
      await client.callTool('echo', { word: 'hunter1' })
      await client.getPrompt('plan')
      await client.readResource('https://user:hunter2@host/a@b?key=hunter3#hunter4')
      await client.listTools()
      expect(spans().map(({ name, kind, status, ended }) => [name, kind, status.code, ended])).toEqual(
        ['tools/call echo', 'prompts/get plan', 'resources/read', 'tools/list'].map((name) => [
          name,
          otel.SpanKind.SERVER,
          otel.SpanStatusCode.UNSET,
          true,
        ]),
      )
      const common = { 'mcp.protocol.version': version, 'jsonrpc.request.id': expect.any(String) }
      expect(spans().map(({ attributes }) => attributes)).toEqual([
        {
          ...common,
          'mcp.method.name': 'tools/call',
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'echo',
        },
        { ...common, 'mcp.method.name': 'prompts/get', 'gen_ai.prompt.name': 'plan' },
        { ...common, 'mcp.method.name': 'resources/read', 'mcp.resource.uri': 'https://host/a@b' },
        { ...common, 'mcp.method.name': 'tools/list' },
      ])
      expect(spans().map(({ instrumentationScope }) => instrumentationScope.name)).toContain('@portico/sdk')
      const measured = await durations()
      expect(measured.map(({ name, unit, value }) => [name, unit, value.count])).toEqual(
        Array(4).fill(['mcp.server.operation.duration', 's', 1]),
      )
      expect(measured[0]?.attributes).toEqual({
        'mcp.method.name': 'tools/call',
        'mcp.protocol.version': version,
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'echo',
      })
      // The boundaries are in seconds; the SDK's own are for milliseconds.
      expect(measured[0]?.value.buckets.boundaries).toEqual([
        0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300,
      ])
      expect(measured[0]?.value.sum).toBeLessThan(60)
      expect(JSON.stringify([spans().map(({ attributes }) => attributes), measured])).not.toMatch(/hunter/)
    })
  })

  test('that is only watched has the time it took, ending now', async () => {
    register()
    const before = Date.now()
    await using client = await testClient(withTelemetry(createSubject(), otel), { version: '2025-11-25' })
    await client.ping()
    expect(spans().map(({ name }) => name)).toEqual(['initialize', 'ping'])
    for (const { startTime, endTime } of spans()) {
      const [start, end] = [startTime, endTime].map(([seconds, nanos]) => seconds * 1e3 + nanos / 1e6)
      expect(start).toBeGreaterThanOrEqual(before - 1000)
      expect(end).toBeGreaterThanOrEqual(start ?? Number.POSITIVE_INFINITY)
      expect(end).toBeLessThanOrEqual(Date.now() + 1000)
    }
  })

  test('is recorded where the providers are registered after the server was made', async () => {
    const server = withTelemetry(createSubject(), otel)
    register()
    await using client = await testClient(server)
    exporter.reset()
    await client.listTools()
    expect(spans().map(({ name }) => name)).toEqual(['tools/list'])
    expect((await durations()).map(({ attributes }) => attributes['mcp.method.name'])).toContain('tools/list')
  })

  test('is served where no provider is registered at all', async () => {
    await eachEra(withTelemetry(createSubject(), otel), async (client) => {
      const result = await client.callTool('echo', { word: 'x' }, { meta: { traceparent: TRACEPARENT } })
      expect(result).toMatchObject({ content: [{ text: 'x' }] })
    })
  })
})

describe('the trace (2026-07-28, basic, "`_meta`")', () => {
  test('goes on from `_meta` through the handler, with the baggage', async () => {
    register()
    await eachEra(withTelemetry(createSubject(), otel), async (client) => {
      exporter.reset()
      const meta = { traceparent: TRACEPARENT, tracestate: 'a=1', baggage: 'user=ann' }
      expect(await client.callTool('inner', {}, { meta })).toMatchObject({ content: [{ text: 'ann' }] })
      const [inner, outer] = spans()
      expect(outer).toMatchObject({ parentSpanContext: { traceId: TRACE, spanId: 'b7ad6b7169203331', isRemote: true } })
      expect(outer?.spanContext()).toMatchObject({ traceId: TRACE })
      expect(outer?.spanContext().traceState?.serialize()).toBe('a=1')
      expect(inner).toMatchObject({ name: 'inner', parentSpanContext: { spanId: outer?.spanContext().spanId } })
      expect(await exported()).not.toMatch(/ann/)
    })
  })

  const unusable = [
    { what: 'empty', traceparent: '' },
    { what: 'nonsense', traceparent: 'nonsense' },
    { what: 'all zero', traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` },
    { what: 'endless', traceparent: `${TRACEPARENT}${'0'.repeat(9000)}` },
    { what: 'a number', traceparent: 7 },
  ]
  test.each(unusable)('is a new one where `traceparent` is $what', async ({ traceparent }) => {
    register()
    await using client = await testClient(withTelemetry(createSubject(), otel))
    exporter.reset()
    await client.callTool('echo', { word: 'x' }, { meta: { traceparent } })
    expect(spans()[0]?.parentSpanContext).toBeUndefined()
    expect(spans()[0]?.spanContext().traceId).toMatch(/^(?!0+$)[0-9a-f]{32}$/)
  })

  const headers = { traceparent: `00-${OTHER}-00f067aa0ba902b7-01`, tracestate: 'b=2' }
  const sources = [
    { from: '`_meta` before the headers', meta: { traceparent: TRACEPARENT }, headers, trace: TRACE, state: undefined },
    { from: 'the headers where `_meta` has none', meta: {}, headers, trace: OTHER, state: 'b=2' },
  ]
  test.each(sources)('over HTTP is that of $from', async ({ meta, headers: sent, trace, state }) => {
    register()
    const { port } = await createHttp()
    const params = { name: 'echo', arguments: { word: 'x' }, _meta: { ...META, ...meta } }
    const answer = await send(port, modern('tools/call', params, sent))
    expect(answer.json?.result.content).toEqual([{ type: 'text', text: 'x' }])
    expect(spans()).toHaveLength(1)
    expect(spans()[0]?.spanContext().traceId).toBe(trace)
    // A `tracestate` belongs to the `traceparent` that it came with.
    expect(spans()[0]?.spanContext().traceState?.serialize()).toBe(state)
    expect(spans()[0]?.attributes).toMatchObject({ 'network.protocol.name': 'http', 'network.transport': 'tcp' })
  })

  test('of `_meta` links to the span that is active here, and without one that span is the parent', async () => {
    register()
    await using client = await testClient(withTelemetry(createSubject(), otel))
    exporter.reset()
    await otel.trace.getTracer('test').startActiveSpan('ambient', async (ambient) => {
      await client.callTool('echo', { word: 'x' }, { meta: { traceparent: TRACEPARENT } })
      await client.callTool('echo', { word: 'x' })
      const [linked, child] = spans()
      expect(linked).toMatchObject({
        parentSpanContext: { traceId: TRACE },
        links: [{ context: ambient.spanContext() }],
      })
      expect(child).toMatchObject({ parentSpanContext: ambient.spanContext(), links: [] })
      ambient.end()
    })
  })
})

describe('a failure', () => {
  const rpc = (code: string) => ({ 'error.type': code, 'rpc.response.status_code': code })
  const cases = [
    { method: 'tools/call', name: 'refuse', error: { 'error.type': 'tool_error' }, named: true },
    { method: 'tools/call', name: 'crash', error: { 'error.type': 'tool_error' }, named: true },
    { method: 'tools/call', name: 'made-up', error: rpc('-32602'), named: false },
    { method: 'prompts/get', name: 'broken', error: rpc('-32603'), named: true },
    { method: 'prompts/get', name: 'made-up', error: rpc('-32602'), named: false },
  ]
  test.each(cases)('of $method $name has the status and its kind, not its words', async ({ method, name, ...rest }) => {
    register()
    await eachEra(withTelemetry(createSubject(), otel), async (client) => {
      exporter.reset()
      await durations()
      await (method === 'tools/call' ? client.callTool(name) : client.getPrompt(name)).catch(() => {})
      const key = method === 'tools/call' ? 'gen_ai.tool.name' : 'gen_ai.prompt.name'
      expect(spans()).toHaveLength(1)
      expect(spans()[0]).toMatchObject({
        status: { code: otel.SpanStatusCode.ERROR },
        attributes: { ...rest.error, [key]: name },
      })
      const [measured] = await durations()
      expect(measured?.attributes).toMatchObject(rest.error)
      // A client that makes up names makes no series of measurements with them.
      expect(measured?.attributes[key]).toBe(rest.named ? name : undefined)
      expect(JSON.stringify([spans()[0]?.attributes, spans()[0]?.status, spans()[0]?.events])).not.toMatch(/hunter/)
    })
  })
})

test('a cancelled request has failed, without a code that nobody was told', async () => {
  register()
  const abort = new AbortController()
  // Resolves once the span is exported, which is after the client has given up.
  const ended = new Promise<void>((resolve) => {
    const keep = exporter.export.bind(exporter)
    exporter.export = (batch, done) => {
      keep(batch, done)
      if (batch.some(({ name }) => name === 'prompts/get wait')) resolve()
    }
  })
  const server = createSubject({ resolve: () => abort.abort() })
  await using client = await testClient(withTelemetry(server, otel))
  exporter.reset()
  await expect(client.getPrompt('wait', {}, { signal: abort.signal })).rejects.toThrow()
  await ended
  expect(spans()[0]).toMatchObject({
    status: { code: otel.SpanStatusCode.ERROR },
    attributes: { 'error.type': 'aborted' },
  })
  expect(spans()[0]?.attributes).not.toHaveProperty('rpc.response.status_code')
})

test('arguments, credentials and session ids are in nothing that is exported (sec-31, sec-81)', async () => {
  register()
  const { port } = await createHttp()
  const session = await openSession(port, '2025-11-25', { authorization: 'Bearer hunter5', cookie: 'a=hunter6' })
  const sent = call('echo', 1, { arguments: { word: 'hunter7' }, _meta: { note: 'hunter8' } })
  expect((await send(port, legacy(sent, session))).text).toContain('hunter7')
  expect(spans().map(({ name }) => name)).toContain('tools/call echo')
  const all = await exported()
  expect(all).toContain('gen_ai.tool.name')
  expect(all).not.toMatch(/hunter/)
  expect(all).not.toContain(session.id)
})

test.each(['server', 'http', 'fetch', 'stdio'])('the %s door loads no telemetry', (door) => {
  const seen = new Set<string>()
  const follow = (file: string): void => {
    if (seen.has(file) || !file.endsWith('.ts')) return
    seen.add(file)
    const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm)
    for (const [, name = ''] of imports) {
      if (name.startsWith('.')) follow(join(dirname(file), name))
      else seen.add(name)
    }
  }
  follow(join(dirname(fileURLToPath(import.meta.url)), `../src/doors/${door}.ts`))
  expect(seen.size).toBeGreaterThan(5)
  expect([...seen].filter((name) => /telemetry/.test(name))).toEqual([])
})
