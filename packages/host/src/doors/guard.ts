/** `@portico/host/guard`: the one decision point, and where the words of a conversation come from. */

export { createGuard, type GuardOptions } from '../guard/create-guard.ts'
export type { ActiveSpan, DecisionTelemetryApi } from '../guard/decision-telemetry.ts'
export type { Guard, OpenGuard, PassOptions, Permit } from '../guard/guard.ts'
export { createProvenance, type Provenance, type ProvenanceOptions, type Sources } from '../guard/provenance.ts'
