/** What the rules say of an effect, and why. */

export type Outcome = 'allow' | 'ask' | 'deny'

export interface Decision {
  readonly outcome: Outcome
  /** The rule that decided; absent when none matched and the default did. */
  readonly rule?: string
  /** In words a person can follow. */
  readonly reason: string
  /** What shadow rules would have said, where they differ. */
  readonly shadow?: { readonly outcome: Outcome; readonly rule: string }
}
