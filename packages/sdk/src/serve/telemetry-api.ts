/**
 * The part of `@opentelemetry/api` that `telemetry.ts` uses, by its shape. The library is the caller's: naming the shape here
 * keeps it out of this package's dependencies, at compile time too.
 */

export interface Attributes {
  [name: string]: string | number | boolean
}

export interface Span {
  setAttributes(attributes: Attributes): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

export interface TelemetryApi {
  readonly trace: {
    getTracer(name: string): {
      // The context is opaque here: it comes from the API and goes back to it.
      startSpan(
        name: string,
        options: { kind: number; attributes: Attributes; startTime?: number },
        // biome-ignore lint/suspicious/noExplicitAny: the context's type is the library's own
        context: any,
      ): Span
    }
    // biome-ignore lint/suspicious/noExplicitAny: as above; a span of this shape is one that the API has made
    setSpan(context: any, span: any): unknown
  }
  readonly context: {
    active(): unknown
    // biome-ignore lint/suspicious/noExplicitAny: as above
    with<T>(context: any, action: () => T): T
  }
  readonly propagation: {
    // biome-ignore lint/suspicious/noExplicitAny: as above
    extract(context: any, carrier: { [key: string]: string }): unknown
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
