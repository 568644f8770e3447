/** `@portico/sdk/lint`: a server seen with a model's eyes, and the fingerprint of what it promises. For builds and tests. */

export type { Catalogue } from '../server/check/catalogue.ts'
export {
  type Catalogued,
  type Difference,
  type Fingerprint,
  fingerprint,
  type ItemFingerprint,
  verifyFingerprint,
} from '../server/check/fingerprint.ts'
export { type LintOptions, lintForm, lintServer } from '../server/check/lint.ts'
export type { Finding, Severity } from '../server/check/lint-finding.ts'
export { type MixedScripts, mixedScripts } from '../server/check/mixed-scripts.ts'
