/**
 * OpenTelemetry for a server, by the semantic conventions for MCP: a span and a measurement of the duration for every
 * request, in the trace that the client names in `_meta` (2026-07-28, basic, "`_meta`"). The API comes from the caller, so
 * that nothing is loaded and nothing costs anything where it is not wanted. Session ids, arguments and results stay out.
 */

import { INTERNAL_ERROR, INVALID_PARAMS } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { revisionOf } from '../../protocol/revisions.ts'
import { toRpcError } from '../../server/call/answer.ts'
import type { MethodName, Middleware, Observation } from '../../server/call/middleware.ts'
import type { RequestContext } from '../../server/context.ts'
import type { Server } from '../../server/server.ts'
import { Suspended } from '../../session/suspended.ts'
import type { Attributes, Span, SpanContext, TelemetryApi } from './telemetry-api.ts'
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

/**
 * Records a span and a duration for every request of a server by OpenTelemetry, and gives the same server back. Needs
 * the package `@opentelemetry/api`, and an OpenTelemetry SDK that the program has set up.
 *
 * @example
 * ```ts
 * import { withTelemetry } from '@portico/sdk/telemetry'
 * import { serveHttp } from '@portico/sdk/http'
 *
 * await serveHttp(withTelemetry(server, await import('@opentelemetry/api')))
 * ```
 */
export function withTelemetry<S extends Server>(server: S, api: TelemetryApi): S {
  const recorder = createRecorder(api)
  for (const method of WRAPPED) server.use(method, createMiddleware(api, method, recorder))
  const rest = clientMethods().filter((name) => !WRAPPED.some((method) => method === name))
  for (const name of rest) {
    server.on(name, ({ method, params, ctx, durationMs, error }: Observation) => {
      const about = { method, params, ctx }
      const { span } = recorder.start(about, Date.now() - durationMs)
      recorder.finish(span, about, durationMs / 1000, failureOf(error, ctx))
    })
  }
  return server
}

interface About {
  readonly method: string
  readonly params: JsonObject
  readonly ctx: RequestContext
}

interface Recorder {
  /** The span, and the context that it began in. */
  start(about: About, startTime?: number): { span: Span; parent: unknown }
  finish(span: Span, about: About, seconds: number, failure: Attributes | undefined): void
}

function createRecorder(api: TelemetryApi): Recorder {
  const tracer = api.trace.getTracer(SCOPE)
  // A tracer waits for the provider that is registered after it, a meter does not: hence at the first request.
  let durations: Histogram | undefined
  return {
    start(about, startTime) {
      const { context: parent, linked } = parentOf(api, about.ctx)
      const options = {
        kind: api.SpanKind.SERVER,
        attributes: spanAttributes(about),
        ...(startTime !== undefined && { startTime }),
        ...(linked !== undefined && { links: [{ context: linked }] }),
      }
      return { span: tracer.startSpan(spanName(about), options, parent), parent }
    },
    finish(span, about, seconds, failure) {
      if (failure !== undefined) {
        span.setAttributes(failure)
        span.setStatus({ code: api.SpanStatusCode.ERROR })
      }
      span.end()
      durations ??= createHistogram(api)
      durations.record(seconds, { ...metricAttributes(about, failure), ...failure })
    },
  }
}

type Histogram = ReturnType<typeof createHistogram>

function createHistogram(api: TelemetryApi) {
  return api.metrics.getMeter(SCOPE).createHistogram('mcp.server.operation.duration', {
    description: 'Duration of an MCP request as the server sees it',
    unit: 's',
    advice: { explicitBucketBoundaries: BUCKETS },
  })
}

function createMiddleware(api: TelemetryApi, method: MethodName, recorder: Recorder): Middleware<MethodName> {
  return async ({ params, ctx }, next) => {
    const about = { method, params, ctx }
    const began = performance.now()
    const { span, parent } = recorder.start(about)
    const done = (failure: Attributes | undefined) =>
      recorder.finish(span, about, (performance.now() - began) / 1000, failure)
    try {
      // On the parent's context, not the active one: it holds the client's baggage too.
      const result = await api.context.with(api.trace.setSpan(parent, span), () => next())
      done('isError' in result && result.isError === true ? { 'error.type': 'tool_error' } : undefined)
      return result
    } catch (error) {
      done(failureOf(error, ctx))
      throw error
    }
  }
}

/**
 * The client's trace: from `_meta`, with a link to whatever is active here, such as the span of the HTTP request; or else
 * whatever is active; or else from the HTTP headers. All keys come from one place: a `tracestate` belongs to its
 * `traceparent`.
 */
function parentOf(api: TelemetryApi, ctx: RequestContext): { context: unknown; linked?: SpanContext | undefined } {
  const { meta, head } = ctx
  const active = api.context.active()
  const ambient = api.trace.getSpanContext(active)
  const sent = carrierOf((key) => meta[key])
  if (sent !== undefined) return { context: api.propagation.extract(active, sent), linked: ambient }
  const headers = ambient === undefined && head !== undefined ? carrierOf((key) => head.header(key)) : undefined
  return { context: headers === undefined ? active : api.propagation.extract(active, headers) }
}

function carrierOf(read: (key: string) => unknown): { [key: string]: string } | undefined {
  if (typeof read('traceparent') !== 'string') return undefined
  const carrier: { [key: string]: string } = {}
  for (const key of ['traceparent', 'tracestate', 'baggage']) {
    const value = read(key)
    if (typeof value === 'string' && value.length <= LONGEST_HEADER) carrier[key] = value
  }
  return carrier
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
    'jsonrpc.request.id': String(ctx.requestId).slice(0, 128),
    ...(uri !== undefined && { 'mcp.resource.uri': withoutSecrets(uri).slice(0, 2_048) }),
  }
}

/** User names with passwords, queries and fragments are where URIs hide secrets. */
function withoutSecrets(uri: string): string {
  return (uri.split(/[?#]/, 1)[0] ?? '').replace(/^([^:/]*:\/\/)[^/]*@/, '$1')
}

function metricAttributes({ method, params, ctx }: About, failure?: Attributes): Attributes {
  // Names that nothing here has would each become a series of their own, as many as a client likes to make up.
  const refused = failure?.['rpc.response.status_code'] === String(INVALID_PARAMS)
  const name = typeof params.name === 'string' && !refused ? params.name.slice(0, 128) : undefined
  return {
    'mcp.method.name': method,
    'mcp.protocol.version': ctx.version,
    ...(ctx.head !== undefined && { 'network.protocol.name': 'http', 'network.transport': 'tcp' }),
    ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
    ...(method === 'tools/call' && name !== undefined && { 'gen_ai.tool.name': name }),
    ...(method === 'prompts/get' && name !== undefined && { 'gen_ai.prompt.name': name }),
  }
}

/** The code that the client is told, as the conventions have it; what was thrown is for the server's `onError`. */
function failureOf(error: unknown, ctx: RequestContext): Attributes | undefined {
  // A handler that waits for input has not failed.
  if (error === undefined || error instanceof Suspended) return undefined
  // A cancelled request gets no answer, so there is no code.
  if (ctx.signal.aborted) return { 'error.type': 'aborted' }
  const revision = revisionOf(ctx.version)
  const code = String((revision && toRpcError(error, revision))?.rpcCode ?? INTERNAL_ERROR)
  return { 'error.type': code, 'rpc.response.status_code': code }
}
