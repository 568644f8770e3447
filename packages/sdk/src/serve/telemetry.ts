/**
 * OpenTelemetry for a server, by the semantic conventions for MCP: a span and a measurement of the duration for every
 * request, in the trace that the client names in `_meta` (2026-07-28, basic, "`_meta`"). The API comes from the caller, so
 * that nothing is loaded and nothing costs anything where it is not wanted. Session ids, arguments and results stay out.
 */

import { PorticoError, RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { RequestContext } from '../server/context.ts'
import type { MethodName, Middleware, Observation } from '../server/middleware.ts'
import type { Server } from '../server/server.ts'
import { Suspended } from '../session/rounds.ts'
import type { Attributes, Span, TelemetryApi } from './telemetry-api.ts'
import { clientMethods } from './telemetry-methods.ts'

const SCOPE = '@portico/sdk'
/** The conventions' own boundaries, in seconds. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/** The methods whose handlers run inside the span, so that what they call becomes part of the trace. */
const WRAPPED: readonly MethodName[] = [
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
]

/** `withTelemetry(server, await import('@opentelemetry/api'))`. */
export function withTelemetry<S extends Server>(server: S, api: TelemetryApi): S {
  const tracer = api.trace.getTracer(SCOPE)
  const durations = api.metrics.getMeter(SCOPE).createHistogram('mcp.server.operation.duration', {
    description: 'Duration of an MCP request as the server sees it',
    unit: 's',
    advice: { explicitBucketBoundaries: BUCKETS },
  })
  const start = (about: About, startTime?: number): Span => {
    const options = {
      kind: api.SpanKind.SERVER,
      attributes: spanAttributes(about),
      ...(startTime !== undefined && { startTime }),
    }
    return tracer.startSpan(spanName(about), options, parentOf(api, about.ctx))
  }
  const finish = (span: Span, about: About, seconds: number, failure: Attributes | undefined): void => {
    if (failure !== undefined) {
      span.setAttributes(failure)
      span.setStatus({ code: api.SpanStatusCode.ERROR })
    }
    span.end()
    durations.record(seconds, { ...metricAttributes(about), ...failure })
  }
  for (const method of WRAPPED) server.use(method, createMiddleware(api, method, start, finish))
  const rest = clientMethods().filter((name) => !WRAPPED.some((method) => method === name))
  for (const name of rest) {
    server.on(name, ({ method, params, ctx, durationMs, error }: Observation) => {
      const about = { method, params, ctx }
      finish(start(about, Date.now() - durationMs), about, durationMs / 1000, failureOf(error))
    })
  }
  return server
}

interface About {
  readonly method: string
  readonly params: JsonObject
  readonly ctx: RequestContext
}

function createMiddleware(
  api: TelemetryApi,
  method: MethodName,
  start: (about: About) => Span,
  finish: (span: Span, about: About, seconds: number, failure: Attributes | undefined) => void,
): Middleware<MethodName> {
  return async ({ params, ctx }, next) => {
    const about = { method, params, ctx }
    const began = performance.now()
    const span = start(about)
    const done = (failure: Attributes | undefined) => finish(span, about, (performance.now() - began) / 1000, failure)
    try {
      const within = api.trace.setSpan(api.context.active(), span)
      const result = await api.context.with(within, () => next())
      done('isError' in result && result.isError === true ? { 'error.type': 'tool_error' } : undefined)
      return result
    } catch (error) {
      done(failureOf(error))
      throw error
    }
  }
}

/** The client's trace: from `_meta`, or else from the HTTP headers, or else whatever is active here. */
function parentOf(api: TelemetryApi, ctx: RequestContext): unknown {
  const { meta, head } = ctx
  const active = api.context.active()
  const carrier: { [key: string]: string } = {}
  for (const key of ['traceparent', 'tracestate', 'baggage']) {
    const value = meta[key] ?? head?.header(key)
    if (typeof value === 'string' && value.length <= LONGEST_HEADER) carrier[key] = value
  }
  return carrier.traceparent === undefined ? active : api.propagation.extract(active, carrier)
}

const LONGEST_HEADER = 8_192

/** Low in variety: tools and prompts have few names, URIs may have any. */
function spanName({ method, params }: About): string {
  const target = method === 'tools/call' || method === 'prompts/get' ? params.name : undefined
  return typeof target === 'string' ? `${method} ${target.slice(0, 128)}` : method
}

function spanAttributes(about: About): Attributes {
  const { method, params, ctx } = about
  const uri = method.startsWith('resources/') && typeof params.uri === 'string' ? params.uri : undefined
  return {
    ...metricAttributes(about),
    'jsonrpc.request.id': String(ctx.requestId),
    // Queries are where secrets hide.
    ...(uri !== undefined && { 'mcp.resource.uri': uri.split(/[?#]/, 1)[0] ?? '' }),
  }
}

function metricAttributes({ method, params, ctx }: About): Attributes {
  const name = typeof params.name === 'string' ? params.name.slice(0, 128) : undefined
  return {
    'mcp.method.name': method,
    'mcp.protocol.version': ctx.version,
    ...(ctx.head !== undefined && { 'network.protocol.name': 'http', 'network.transport': 'tcp' }),
    ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
    ...(method === 'tools/call' && name !== undefined && { 'gen_ai.tool.name': name }),
    ...(method === 'prompts/get' && name !== undefined && { 'gen_ai.prompt.name': name }),
  }
}

function failureOf(error: unknown): Attributes | undefined {
  // A handler that waits for input has not failed.
  if (error === undefined || error instanceof Suspended) return undefined
  if (error instanceof RpcError) {
    return { 'error.type': String(error.rpcCode), 'rpc.response.status_code': String(error.rpcCode) }
  }
  if (error instanceof PorticoError) return { 'error.type': error.code }
  return { 'error.type': error instanceof Error ? error.name : '_OTHER' }
}
