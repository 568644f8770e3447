/**
 * OpenTelemetry for what the host asks of servers, by the semantic conventions for MCP: a client span and a duration for
 * every request, and the trace handed on in `_meta`. The API is the caller's; arguments and results stay out.
 */

import type { JsonObject } from '@portico/sdk/client'
import type { Link, Outgoing } from '@portico/sdk/internal'
import type { Attributes, Span } from '@portico/sdk/telemetry'

/** The part of `@opentelemetry/api` that is used here. */
export interface ClientTelemetryApi {
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: { kind: number; attributes: Attributes }, context: unknown): Span
    }
    setSpan(context: unknown, span: unknown): unknown
  }
  readonly context: { active(): unknown }
  readonly propagation: { inject(context: unknown, carrier: { [key: string]: string }): void }
  readonly metrics: {
    getMeter(name: string): {
      createHistogram(
        name: string,
        options: { description: string; unit: string; advice: { explicitBucketBoundaries: number[] } },
      ): { record(value: number, attributes: Attributes): void }
    }
  }
  readonly SpanKind: { readonly CLIENT: number }
  readonly SpanStatusCode: { readonly ERROR: number }
}

const SCOPE = '@portico/host'
/** The conventions' own boundaries, in seconds. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

type RequestId = Outgoing['id']

interface Running {
  readonly span: Span
  readonly attributes: Attributes
  readonly began: number
}

/** `server` is the name in the configuration, never what the server calls itself. */
export function withClientTelemetry(link: Link, api: ClientTelemetryApi, server: string): Link {
  const spans = new RequestSpans(api, server, link.kind)
  return {
    kind: link.kind,
    label: link.label,
    process: link.process,
    open: (events) =>
      link.open({
        message: (message, owner) => events.message(message, owner),
        held: (id, waiting) => events.held?.(id, waiting),
        paused: (id, retryMs) => events.paused?.(id, retryMs),
        irregular: (reason, detail) => events.irregular(reason, detail),
        response: (response) => {
          spans.finish(response.id, failureIn(response))
          events.response(response)
        },
        failed: (id, error) => {
          spans.finish(id, { 'error.type': error.code })
          events.failed(id, error)
        },
        closed: (error) => {
          spans.finishAll({ 'error.type': error.code })
          events.closed(error)
        },
      }),
    // Subscriptions have no duration that would mean anything.
    request: (outgoing) => link.request(outgoing.method === 'subscriptions/listen' ? outgoing : spans.begin(outgoing)),
    cancel: (id, reason) => {
      spans.finish(id, { 'error.type': 'cancelled' })
      link.cancel(id, reason)
    },
    send: (message) => link.send(message),
    agree: (revision) => {
      spans.version = revision.version
      link.agree(revision)
    },
    listen: () => link.listen(),
    close: () => {
      spans.finishAll({ 'error.type': 'closed' })
      return link.close()
    },
  }
}

/** A span for each request that is under way, and its duration once it is answered. */
class RequestSpans {
  readonly #api: ClientTelemetryApi
  readonly #server: string
  readonly #kind: Link['kind']
  readonly #tracer: ReturnType<ClientTelemetryApi['trace']['getTracer']>
  readonly #running = new Map<RequestId, Running>()
  #durations: ReturnType<typeof createHistogram> | undefined
  /** The revision, once it is agreed. */
  version: string | undefined

  constructor(api: ClientTelemetryApi, server: string, kind: Link['kind']) {
    this.#api = api
    this.#server = server
    this.#kind = kind
    this.#tracer = api.trace.getTracer(SCOPE)
  }

  /** The request with the span's context in its metadata. */
  begin(outgoing: Outgoing): Outgoing {
    const api = this.#api
    const attributes = attributesOf(outgoing, this.#server, this.version, this.#kind)
    const context = api.context.active()
    const options = {
      kind: api.SpanKind.CLIENT,
      attributes: { ...attributes, 'jsonrpc.request.id': String(outgoing.id) },
    }
    const span = this.#tracer.startSpan(nameOf(outgoing), options, context)
    this.#running.set(outgoing.id, { span, attributes, began: performance.now() })
    const carrier: { [key: string]: string } = {}
    api.propagation.inject(api.trace.setSpan(context, span), carrier)
    return Object.keys(carrier).length === 0 ? outgoing : withMeta(outgoing, carrier)
  }

  finish(id: RequestId | null | undefined, failure?: Attributes): void {
    const entry = id === undefined || id === null ? undefined : this.#running.get(id)
    if (entry === undefined || id === undefined || id === null) return
    this.#running.delete(id)
    if (failure !== undefined) {
      entry.span.setAttributes(failure)
      entry.span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
    }
    entry.span.end()
    this.#durations ??= createHistogram(this.#api)
    this.#durations.record((performance.now() - entry.began) / 1000, { ...entry.attributes, ...failure })
  }

  finishAll(failure: Attributes): void {
    for (const id of [...this.#running.keys()]) this.finish(id, failure)
  }
}

function createHistogram(api: ClientTelemetryApi) {
  return api.metrics.getMeter(SCOPE).createHistogram('mcp.client.operation.duration', {
    description: 'Duration of an MCP request as the client sees it',
    unit: 's',
    advice: { explicitBucketBoundaries: BUCKETS },
  })
}

function nameOf({ method, params }: Outgoing): string {
  const target = method === 'tools/call' || method === 'prompts/get' ? params.name : undefined
  return typeof target === 'string' ? `${method} ${target.slice(0, 128)}` : method
}

function attributesOf(
  { method, params }: Outgoing,
  server: string,
  version: string | undefined,
  kind: Link['kind'],
): Attributes {
  const name = typeof params.name === 'string' ? params.name.slice(0, 128) : undefined
  return {
    'mcp.method.name': method,
    'portico.server': server,
    ...(version !== undefined && { 'mcp.protocol.version': version }),
    'network.transport': kind === 'http' ? 'tcp' : 'pipe',
    ...(kind === 'http' && { 'network.protocol.name': 'http' }),
    ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
    ...(method === 'tools/call' && name !== undefined && { 'gen_ai.tool.name': name }),
    ...(method === 'prompts/get' && name !== undefined && { 'gen_ai.prompt.name': name }),
  }
}

function failureIn(response: object): Attributes | undefined {
  const { error, result } = response as { error?: { code?: unknown }; result?: JsonObject }
  if (error !== undefined) return { 'error.type': String(error.code), 'rpc.response.status_code': String(error.code) }
  return result?.isError === true ? { 'error.type': 'tool_error' } : undefined
}

/** The same request with the trace in its `_meta`, beside what the caller put there. */
function withMeta(outgoing: Outgoing, carrier: JsonObject): Outgoing {
  const { id, method, params, meta, envelope, progress, fresh, headers } = outgoing
  const own = meta ?? (params._meta as JsonObject | undefined)
  return { id, method, params, meta: { ...own, ...carrier }, envelope, progress, fresh, headers }
}
