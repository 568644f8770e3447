/** Spans and measurements follow the semantic conventions for MCP and continue the client's trace; secrets stay out. */

import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ToolError } from '../../server/features/tool-result.ts'
import { prompt, resource, tool } from '../../server/items/definition.ts'
import { createServer } from '../../server/server.ts'
import { eachEra, testClient } from '../../testing/test-client.ts'
import { withTelemetry } from './telemetry.ts'
import type { Attributes, Span, TelemetryApi } from './telemetry-api.ts'

interface Recorded {
  name: string
  kind: number
  attributes: Attributes
  status?: number
  parent: unknown
  ended: number
}

/** A small implementation of the API with a real context, as the library's own is no part of this package. */
function createRecorder() {
  const spans: Recorded[] = []
  const durations: { value: number; attributes: Attributes }[] = []
  const storage = new AsyncLocalStorage<unknown>()
  const api: TelemetryApi = {
    trace: {
      getTracer: () => ({
        startSpan(name, { kind, attributes }, parent) {
          const recorded: Recorded = { name, kind, attributes: { ...attributes }, parent, ended: 0 }
          spans.push(recorded)
          const span: Span = {
            setAttributes: (more) => Object.assign(recorded.attributes, more),
            setStatus: ({ code }) => {
              recorded.status = code
            },
            end: () => {
              recorded.ended++
            },
          }
          return span
        },
      }),
      setSpan: (_context, span) => ({ span }),
      getSpanContext: () => undefined,
    },
    context: { active: () => storage.getStore() ?? 'root', with: (context, action) => storage.run(context, action) },
    propagation: { extract: (_context, carrier) => ({ remote: carrier }) },
    metrics: {
      getMeter: () => ({
        createHistogram: (name, { unit }) => {
          expect([name, unit]).toEqual(['mcp.server.operation.duration', 's'])
          return { record: (value, attributes) => durations.push({ value, attributes }) }
        },
      }),
    },
    SpanKind: { SERVER: 1 },
    SpanStatusCode: { ERROR: 2 },
  }
  return { api, spans, durations, active: () => storage.getStore() }
}

function createSubject(active: () => unknown) {
  return createServer({
    name: 's',
    version: '1',
    onError: () => {},
    tools: {
      echo: tool({ input: z.object({ word: z.string() }) }, () => (active() === undefined ? 'outside' : 'inside')),
      refuse: tool({}, () => {
        throw new ToolError('no')
      }),
      ask: tool({}, async (_args, ctx) => {
        await ctx.elicit({ message: 'Sure?', form: z.object({ yes: z.boolean() }) })
        return 'asked'
      }),
    },
    resources: { note: resource({ uri: 'note://{id}{?key}' }, () => 'text') },
    prompts: { plan: prompt({}, () => 'Plan') },
  })
}

describe('a request', () => {
  test('is one span of kind server, named by method and target, with the handler inside it', async () => {
    const recorder = createRecorder()
    const server = withTelemetry(createSubject(recorder.active), recorder.api)
    await eachEra(server, async (client, version) => {
      recorder.spans.length = 0
      recorder.durations.length = 0
      expect(await client.callTool('echo', { word: 'hunter1' })).toMatchObject({ content: [{ text: 'inside' }] })
      await client.getPrompt('plan')
      await client.readResource('note://a?key=hunter2')
      await client.listTools()
      expect(recorder.spans.map(({ name, kind, ended }) => [name, kind, ended])).toEqual([
        ['tools/call echo', 1, 1],
        ['prompts/get plan', 1, 1],
        ['resources/read', 1, 1],
        ['tools/list', 1, 1],
      ])
      expect(recorder.spans[0]?.attributes).toMatchObject({
        'mcp.method.name': 'tools/call',
        'mcp.protocol.version': version,
        'gen_ai.tool.name': 'echo',
        'gen_ai.operation.name': 'execute_tool',
        'jsonrpc.request.id': expect.any(String),
      })
      expect(recorder.spans[1]?.attributes['gen_ai.prompt.name']).toBe('plan')
      expect(recorder.spans[2]?.attributes['mcp.resource.uri']).toBe('note://a')
      expect(recorder.durations).toHaveLength(4)
      expect(recorder.durations[0]?.attributes).not.toHaveProperty('jsonrpc.request.id')
      expect(JSON.stringify([recorder.spans, recorder.durations])).not.toMatch(/hunter/)
    })
  })

  test('continues the trace that `_meta` names', async () => {
    const recorder = createRecorder()
    await using client = await testClient(withTelemetry(createSubject(recorder.active), recorder.api))
    recorder.spans.length = 0
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await client.callTool('echo', { word: 'x' }, { meta: { traceparent } })
    expect(recorder.spans[0]?.parent).toEqual({ remote: { traceparent } })
  })
})

describe('a failure', () => {
  const cases = [
    { name: 'refuse', args: {}, error: { 'error.type': 'tool_error' } },
    { name: 'none', args: {}, error: { 'error.type': '-32602', 'rpc.response.status_code': '-32602' } },
  ]
  test.each(cases)('of "$name" is on the span and on the measurement', async ({ name, args, error }) => {
    const recorder = createRecorder()
    await using client = await testClient(withTelemetry(createSubject(recorder.active), recorder.api))
    recorder.spans.length = 0
    recorder.durations.length = 0
    await client.callTool(name, args).catch(() => {})
    expect(recorder.spans[0]).toMatchObject({ status: 2, attributes: error })
    expect(recorder.durations[0]?.attributes).toMatchObject(error)
  })

  test('is not what a question to the user is', async () => {
    const recorder = createRecorder()
    const server = withTelemetry(createSubject(recorder.active), recorder.api)
    await eachEra(server, (client) => client.callTool('ask'), {
      answers: { elicit: () => ({ action: 'accept', content: { yes: true } }) },
    })
    expect(recorder.spans.filter(({ status }) => status !== undefined)).toEqual([])
  })
})

test('other requests are measured too', async () => {
  const recorder = createRecorder()
  await using client = await testClient(withTelemetry(createSubject(recorder.active), recorder.api), {
    version: '2025-11-25',
  })
  await client.ping()
  expect(recorder.spans.map(({ name }) => name)).toEqual(['initialize', 'ping'])
})
