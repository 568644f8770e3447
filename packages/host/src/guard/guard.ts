/**
 * The one decision point. Whoever is about to do something on behalf of a person or a model passes the guard first: it
 * asks the rules, then the person where the rules say so, writes both down, and hands out a permit.
 */

import type { CallToolResult } from '@portico/sdk/client'
import type { Answer, QuestionBody } from '../consent/question.ts'
import type { Decision } from '../policy/decision.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'

/** The permission to do something, with what was decided; `finish` must be told what came of it. */
export interface Permit<E extends Effect = Effect> {
  /** The effect as permitted: its arguments may have been edited. */
  readonly effect: E
  readonly decision: Decision
  /** What the person said, where one was asked now. */
  readonly answer?: Answer
  /** Writes down what became of it. Call exactly once. */
  finish(outcome: 'ok' | 'error' | 'cancelled', detail?: string): void
}

/** Options of `guard.pass` and `guard.review`. */
export interface PassOptions {
  readonly signal?: AbortSignal
  /** Asked in place of a plain approval, where the rules say to ask: a sampling request to look at and edit. */
  readonly question?: QuestionBody
  /** Told the id of the question while a person is being asked, and undefined when no longer. */
  readonly onWaiting?: (question: string | undefined) => void
  /** For `review`: the result comes long after its call was allowed, and is kept back where rules deny the call by now. */
  readonly late?: boolean
}

/** Decides whether something may happen, and asks a person where the rules say so. */
export interface Guard {
  /** Resolves when the effect may happen, rejects with `denied` when not. */
  pass<E extends Effect>(effect: E, circumstances: Circumstances, options?: PassOptions): Promise<Permit<E>>
  /** What would happen, without asking or recording. */
  explain(effect: Effect, circumstances: Circumstances): Promise<Decision & { readonly considered: readonly string[] }>
  /** Shows a result to a person before the model sees it, where rules say so. */
  review(
    effect: Effect,
    result: CallToolResult,
    circumstances: Circumstances,
    options?: PassOptions,
  ): Promise<CallToolResult>
}

/** A guard with the calls by which a host tells it that turns begin and sessions end. */
export interface OpenGuard extends Guard {
  /** The person speaks: what they refused before may be put to them again. */
  beginTurn(session: string): void
  endSession(session: string): void
  /** No longer takes up answers to questions whose asker is gone. */
  close(): void
}
