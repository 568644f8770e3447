/** What the guard decides, as OpenTelemetry's own tracer and meter record it. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as otel from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { connect } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { withTelemetry } from '@portico/sdk/telemetry'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createHost, type Host } from '../src/assembly/host.ts'
import type { AuditRecord } from '../src/audit/record.ts'
import { searchAudit } from '../src/audit/search.ts'
import { defineServer } from '../src/config/define-server.ts'
import type { Answer } from '../src/consent/question.ts'
import { createGateway } from '../src/gateway/gateway.ts'

const SECRET = 'hunter in the arguments'

const spans = new InMemorySpanExporter()
let metrics: InMemoryMetricExporter
let meters: MeterProvider
let cleanups: (() => Promise<unknown>)[] = []

beforeEach(() => {
  spans.reset()
  metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  meters = new MeterProvider({
    readers: [new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 })],
  })
  otel.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }))
  otel.metrics.setGlobalMeterProvider(meters)
  otel.context.setGlobalContextManager(createContexts())
})

afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  cleanups = []
  await meters.shutdown()
  for (const api of [otel.trace, otel.metrics, otel.context]) api.disable()
})

function createContexts(): otel.ContextManager {
  const storage = new AsyncLocalStorage<otel.Context>()
  const contexts: otel.ContextManager = {
    active: () => storage.getStore() ?? otel.ROOT_CONTEXT,
    with: (context, action, receiver, ...args) => storage.run(context, () => action.apply(receiver, args)),
    bind: (_context, target) => target,
    enable: () => contexts,
    disable: () => contexts,
  }
  return contexts
}

async function start(rules: readonly unknown[], ask?: () => Answer): Promise<Host> {
  const stateDir = await mkdtemp(join(tmpdir(), 'portico-telemetry-'))
  cleanups.push(() => rm(stateDir, { recursive: true, force: true }))
  const server = createServer({ name: 'notes', version: '1', tools: { write: tool({}, () => 'written') } })
  const host = await createHost({
    stateDir,
    rules: [{ id: 'connect', outcome: 'allow', effect: 'connect' }, ...rules],
    servers: [defineServer('notes', { kind: 'in-process', module: 'notes', options: {} })],
    inProcess: new Map([['notes', async () => ({ server })]]),
    telemetry: otel,
    ...(ask === undefined ? { unattended: true } : { ask }),
  })
  cleanups.push(() => host.close())
  await host.catalogue.list()
  return host
}

const spanNamed = (name: string) => spans.getFinishedSpans().filter((span) => span.name === name)

/** How often each was decided, by the attributes that are counted. */
async function counts(): Promise<{ [key: string]: number }> {
  await meters.forceFlush()
  const all = metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics))
  const decisions = all.filter(({ descriptor }) => descriptor.name === 'portico.decisions')
  const points = decisions.flatMap(({ dataPoints }) =>
    dataPoints.map(({ attributes, value }): [string, number] => {
      const of = (name: string) => attributes[`portico.${name}`]
      return [`${of('effect')} ${of('decision.outcome')} by ${of('decision.by')}`, Number(value)]
    }),
  )
  return Object.fromEntries(points)
}

const RULES = [{ id: 'write', outcome: 'allow', effect: 'call', item: 'write' }]
const DENY = [{ id: 'no-write', outcome: 'deny', effect: 'call', item: 'write' }]
const says = (answer: Answer) => () => answer

const cases = [
  ['a rule that allows', RULES, undefined, { outcome: 'allow', says: 'allow', by: 'rule', rule: 'write' }],
  ['a rule that denies', DENY, undefined, { outcome: 'deny', says: 'deny', by: 'rule', rule: 'no-write' }],
  [
    'a person who allows',
    [],
    says({ action: 'allow', by: 'terminal' }),
    { outcome: 'allow', says: 'ask', by: 'person', surface: 'terminal' },
  ],
  ['a person who refuses', [], says({ action: 'deny' }), { outcome: 'deny', says: 'ask', by: 'person' }],
  ['nobody being there', [], undefined, { outcome: 'deny', says: 'ask', by: 'nobody' }],
] as const

it.each(cases)('a decision by %s is an event of the act, and counted', async (_who, rules, ask, expected) => {
  const host = await start(rules, ask)
  const allowed = expected.outcome === 'allow'
  const call = host.call('notes_write', { text: SECRET })
  if (allowed) await call
  else await expect(call).rejects.toMatchObject({ code: 'denied' })
  const [act, ...others] = spanNamed('portico.call')
  expect(others).toEqual([])
  expect(act?.status.code).toBe(allowed ? otel.SpanStatusCode.UNSET : otel.SpanStatusCode.ERROR)
  const wanted = Object.entries(expected).map(([name, value]) => [`portico.decision.${name}`, value])
  expect(act?.events).toMatchObject([
    {
      name: 'portico.decision',
      attributes: {
        ...Object.fromEntries(wanted),
        'portico.effect': 'call',
        'portico.server': 'notes',
        'gen_ai.tool.name': 'write',
      },
    },
  ])
  expect(await counts()).toMatchObject({ [`call ${expected.outcome} by ${expected.by}`]: 1 })
  // The request itself is part of the same trace, and what was sent is in neither.
  const requests = spanNamed('tools/call write')
  expect(requests.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
    allowed ? [act?.spanContext().spanId] : [],
  )
  expect(JSON.stringify(spans.getFinishedSpans().map(({ attributes, events }) => [attributes, events]))).not.toContain(
    SECRET,
  )
})

it('the audit record and the trace name each other', async () => {
  const host = await start(RULES)
  await otel.trace.getTracer('test').startActiveSpan('outer', async (outer) => {
    await host.call('notes_write')
    outer.end()
  })
  const [act] = spanNamed('portico.call')
  const [outer] = spanNamed('outer')
  expect(act?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId)
  const records: AuditRecord[] = []
  for await (const record of searchAudit(host.audit?.file ?? '', { what: 'call' })) records.push(record)
  const ref = act?.events[0]?.attributes?.['portico.audit.ref']
  const traceId = outer?.spanContext().traceId
  expect(records).toMatchObject([
    { type: 'decision', ref, traceId },
    { type: 'outcome', ref, traceId },
  ])
})

it('a gateway that is traced has the decision in the span of the request', async () => {
  const host = await start(RULES)
  const gateway = createGateway(host, { name: 'portico', version: '1', allowAnonymous: true })
  cleanups.push(() => gateway.close())
  const client = await connect(withTelemetry(gateway.server, otel))
  cleanups.push(() => client.close())
  await client.callTool('notes_write', {})
  expect(spanNamed('tools/call notes_write')).toMatchObject([
    {
      kind: otel.SpanKind.SERVER,
      events: [{ name: 'portico.decision', attributes: { 'portico.decision.rule': 'write' } }],
    },
  ])
})

it('nothing is recorded where no API is given', async () => {
  const host = await createHost({ unattended: true })
  cleanups.push(() => host.close())
  await expect(host.call('none')).rejects.toMatchObject({ code: 'unknown-item' })
  expect(spans.getFinishedSpans()).toEqual([])
})
