/**
 * A rule as a person writes it. Everything that is given must hold for the rule to match; what is not given does not
 * matter. Rules come from files: `rule-text.ts` turns JSON into these, or says what is wrong with it.
 */

import type { Outcome } from './decision.ts'
import type { EffectKind } from './effect.ts'

/**
 * A rule: what it says (`outcome`), and the conditions under which it holds. A condition that is not given is always
 * met.
 */
export interface Rule {
  readonly id: string
  readonly outcome: Outcome
  /** What it is about, in words that are shown with the decision. */
  readonly because?: string
  readonly effect?: readonly EffectKind[]
  /** Names with `*` and `?`; one of them must match. */
  readonly server?: readonly string[]
  /** Tool, prompt, URI, command line (`connect`), web host (`elicit` by URL), `background` or `in-call` (`sample`). */
  readonly item?: readonly string[]
  /** Servers whose data is about to flow; for `flow` alone. */
  readonly from?: readonly string[]
  /** By path into the arguments: `city`, `files.*.path`. */
  readonly arguments?: { readonly [path: string]: ValueTest }
  readonly annotations?: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly openWorld?: boolean }
  readonly principal?: PrincipalTest
  readonly time?: TimeTest
  /** `allow` holds for the first `max`, `ask` and `deny` after them. */
  readonly count?: { readonly max: number; readonly per: CountPeriod }
  /** A condition in Cedar's language. */
  readonly when?: string
  /** Only written down, never followed. */
  readonly shadow?: boolean
  /** Results of calls and readings that match are shown to a person before the model sees them. */
  readonly review?: boolean
  /** For `allow`: holds even for risky tools while untrusted text is in the context. */
  readonly evenIfTainted?: boolean
}

/** Each test that is given must hold. */
export interface ValueTest {
  readonly equals?: unknown
  readonly oneOf?: readonly unknown[]
  readonly glob?: string
  readonly prefix?: string
  readonly range?: { readonly min?: number; readonly max?: number }
  /** A folder: the value is a path or file URI in it, once `..` is worked out. */
  readonly under?: string
}

/** Whom a rule is about, by name, role or claims; everything that is given must hold. */
export interface PrincipalTest {
  /** A name with `*` and `?`. */
  readonly id?: string
  /** One of them. */
  readonly roles?: readonly string[]
  /** All of them, compared whole. */
  readonly claims?: { readonly [name: string]: unknown }
}

/** A day of the week. */
export type Weekday = 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'

/** When a rule holds: on which days, and between which times of day. */
export interface TimeTest {
  readonly days?: readonly Weekday[]
  /** `09:00`. Later than `to` means over midnight, counted to the day it begins on. */
  readonly from?: string
  readonly to?: string
  /** `Europe/Berlin`; the machine's own unless given. */
  readonly zone?: string
}

/** The time over which a rule counts: the session, the last hour, or the last day. */
export type CountPeriod = 'session' | 'hour' | 'day'

export const EFFECT_KINDS: readonly EffectKind[] = [
  'connect',
  'call',
  'read',
  'prompt',
  'complete',
  'sample',
  'elicit',
  'root',
  'flow',
]

export const WEEKDAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
