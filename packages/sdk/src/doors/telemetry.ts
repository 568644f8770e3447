/** `@portico/sdk/telemetry`: what a server does, for those who run it: structured logs, traces and measurements. */

export {
  createLogger,
  type Logger,
  type LoggerOptions,
  type LogSeverity,
  logHooks,
  logRequests,
} from '../serve/observe/log.ts'
export { withTelemetry } from '../serve/observe/telemetry.ts'
export type { Attributes, Span, SpanContext, TelemetryApi } from '../serve/observe/telemetry-api.ts'
export { SLOW_TIMES, type SlowTimes } from '../server/slow.ts'
export type { SlowHook, SlowReport } from '../server/slow-report.ts'
