/**
 * The part of `@opentelemetry/api` that `telemetry.ts` uses, by its shape. The library is the caller's: naming the shape here
 * keeps it out of this package's dependencies, at compile time too. Contexts are opaque here: they come from the API and go
 * back to it.
 */

/** The attributes of a span or a measurement. */
export interface Attributes {
  [name: string]: string | number | boolean
}

/** A span, as OpenTelemetry has it. */
export interface Span {
  setAttributes(attributes: Attributes): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

/** What names a span in a trace. */
export interface SpanContext {
  traceId: string
  spanId: string
  traceFlags: number
}

/** The part of `@opentelemetry/api` that is used. */
export interface TelemetryApi {
  readonly trace: {
    getTracer(name: string): {
      startSpan(
        name: string,
        options: { kind: number; attributes: Attributes; startTime?: number; links?: { context: SpanContext }[] },
        context: unknown,
      ): Span
    }
    setSpan(context: unknown, span: unknown): unknown
    getSpanContext(context: unknown): SpanContext | undefined
  }
  readonly context: {
    active(): unknown
    with<T>(context: unknown, action: () => T): T
  }
  readonly propagation: {
    extract(context: unknown, carrier: { [key: string]: string }): unknown
  }
  readonly metrics: {
    getMeter(name: string): {
      createHistogram(
        name: string,
        options: { description: string; unit: string; advice: { explicitBucketBoundaries: number[] } },
      ): { record(value: number, attributes: Attributes): void }
    }
  }
  readonly SpanKind: { readonly SERVER: number }
  readonly SpanStatusCode: { readonly ERROR: number }
}
