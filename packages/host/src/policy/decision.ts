/** What the rules say of an effect, and why. */

/** What rules can say: it may happen, a person is asked first, or it must not happen. */
export type Outcome = 'allow' | 'ask' | 'deny'

/** Whether something is allowed, denied or has to be asked about, and why. */
export interface Decision {
  readonly outcome: Outcome
  /** The rule that decided; absent when none matched and the default did. */
  readonly rule?: string
  /** Nothing but the default says so: no rule, and nothing that is in the context. */
  readonly byDefault?: true
  /** In words a person can follow. */
  readonly reason: string
  /** What shadow rules would have said, where they differ. */
  readonly shadow?: { readonly outcome: Outcome; readonly rule: string }
}
