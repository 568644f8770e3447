/** `@portico/host/policy`: rules about every effect, and attribute-based access by Cedar and how it is put on a server. */

export { type CedarPolicyOptions, createCedarPolicy } from '../policy/cedar/cedar.ts'
export type { CedarEntity, CedarUid } from '../policy/cedar/cedar-entities.ts'
export type { CedarRecord, CedarValue } from '../policy/cedar/cedar-values.ts'
export { type Counter, type Counts, createCounter } from '../policy/counts.ts'
export type { Decision, Outcome } from '../policy/decision.ts'
export { DEFAULTS, type Default } from '../policy/defaults.ts'
export type { Circumstances, Effect, EffectKind } from '../policy/effect.ts'
export { type KnownNames, lintRules, type RuleFinding, type RuleFindingKind } from '../policy/lint.ts'
export type { CountPeriod, PrincipalTest, Rule, TimeTest, ValueTest, Weekday } from '../policy/rule.ts'
export { type ReadRules, type RuleProblem, readRules } from '../policy/rule-text.ts'
export { type Considered, createRules, type Explanation, type Rules } from '../policy/rules.ts'
export { enforcePolicy, type Judged, type ServerPolicyOptions, visibleBy } from '../policy/server-policy.ts'
