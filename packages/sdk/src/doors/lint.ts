/** `@portico/sdk/lint`: a server seen with a model's eyes, and a lock on what it promises. For builds and tests. */

export type { Catalogue } from '../server/check/catalogue.ts'
export {
  type Catalogued,
  type Difference,
  fingerprint,
  type ItemLock,
  type Lock,
  verifyFingerprint,
} from '../server/check/fingerprint.ts'
export { type LintOptions, lintForm, lintServer } from '../server/check/lint.ts'
export type { Finding, Severity } from '../server/check/lint-finding.ts'
export { type MixedScripts, mixedScripts } from '../server/check/mixed-scripts.ts'
