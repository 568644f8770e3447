/**
 * OpenTelemetry for what the guard decides: an event on the span that is active, and a count. The API is the caller's, as
 * in `upstream/connection/link-telemetry.ts`. Arguments, URIs and reasons stay out; the audit record has them, under the same `ref`.
 */

import type { Attributes, Span } from '@portico/sdk/telemetry'
import { HostError } from '../errors.ts'
import type { Effect } from '../policy/effect.ts'
import type { FinalDecision } from './records.ts'

/** The part of `@opentelemetry/api` that is used here. */
export interface DecisionTelemetryApi {
  readonly trace: {
    getTracer(name: string): {
      startSpan(name: string, options: { kind: number }, context: unknown): Span
    }
    getActiveSpan(): ActiveSpan | undefined
    setSpan(context: unknown, span: unknown): unknown
  }
  readonly context: {
    active(): unknown
    with<T>(context: unknown, action: () => T): T
  }
  readonly metrics: {
    getMeter(name: string): {
      createCounter(
        name: string,
        options: { description: string; unit: string },
      ): { add(value: number, attributes: Attributes): void }
    }
  }
  readonly SpanKind: { readonly INTERNAL: number }
  readonly SpanStatusCode: { readonly ERROR: number }
}

/** The part of an OpenTelemetry span that is used here. */
export interface ActiveSpan {
  addEvent(name: string, attributes: Attributes): unknown
  spanContext(): { readonly traceId: string }
}

export interface DecisionTelemetry {
  decided(effect: Effect, final: FinalDecision, ref: string): void
  /** Of the trace that this is part of. */
  traceId(): string | undefined
}

const SCOPE = '@portico/host'
const MAX_NAME = 128

export function createDecisionTelemetry(api: DecisionTelemetryApi): DecisionTelemetry {
  // A meter does not wait for the provider that is registered after it: hence at the first decision.
  let decisions: ReturnType<typeof createCounter> | undefined
  return {
    decided(effect, final, ref) {
      const counted = countedOf(effect, final)
      decisions ??= createCounter(api)
      decisions.add(1, counted)
      api.trace
        .getActiveSpan()
        ?.addEvent('portico.decision', { ...counted, ...detailOf(effect, final), 'portico.audit.ref': ref })
    },
    traceId: () => api.trace.getActiveSpan()?.spanContext().traceId,
  }
}

/** A span around an act, so that what is decided about it and what is asked of the server are found together. */
export async function withinSpan<T>(api: DecisionTelemetryApi, name: string, act: () => Promise<T>): Promise<T> {
  const context = api.context.active()
  const span = api.trace.getTracer(SCOPE).startSpan(name, { kind: api.SpanKind.INTERNAL }, context)
  try {
    return await api.context.with(api.trace.setSpan(context, span), act)
  } catch (error) {
    span.setAttributes({ 'error.type': error instanceof HostError ? error.code : 'error' })
    span.setStatus({ code: api.SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

function createCounter(api: DecisionTelemetryApi) {
  return api.metrics.getMeter(SCOPE).createCounter('portico.decisions', {
    description: 'Decisions about what may happen',
    unit: '{decision}',
  })
}

/** Few values each. */
function countedOf({ kind, server }: Effect, { allowed, decision, by }: FinalDecision): Attributes {
  return {
    'portico.decision.outcome': allowed ? 'allow' : 'deny',
    'portico.decision.says': decision.outcome,
    'portico.decision.by': by,
    'portico.effect': kind,
    'portico.server': server,
  }
}

function detailOf(effect: Effect, { decision, detail }: FinalDecision): Attributes {
  const item = effect.kind === 'call' || effect.kind === 'flow' ? effect.tool : undefined
  const surface = detail?.surface
  return {
    ...(decision.rule !== undefined && { 'portico.decision.rule': decision.rule }),
    ...(typeof surface === 'string' && { 'portico.decision.surface': surface.slice(0, MAX_NAME) }),
    ...(item !== undefined && { 'gen_ai.tool.name': item.slice(0, MAX_NAME) }),
    ...(effect.kind === 'prompt' && { 'gen_ai.prompt.name': effect.prompt.slice(0, MAX_NAME) }),
  }
}
