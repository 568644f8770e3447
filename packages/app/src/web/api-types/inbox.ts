/** `inbox.*`, `grants.*`: what waits for a person, and which of their answers are remembered. */

import type { Answer, MemoryWords, Question } from '@portico/host/consent'
import type { Method } from './method.ts'

export interface InboxApi {
  'inbox.list': Method<{}, { readonly questions: readonly ShownQuestion[] }>
  'inbox.answer': Method<{ readonly id: string; readonly answer: Answer }>
  'grants.list': Method<{}, { readonly grants: readonly GrantView[] }>
  'grants.revoke': Method<{ readonly id: string }>
}

/** A question with what goes beside its answers. */
export interface ShownQuestion extends Question {
  /** What an answer holds for, by how long it is remembered; where it can be. */
  readonly memory?: MemoryWords
}

export interface GrantView {
  readonly id: string
  readonly outcome: 'allow' | 'deny'
  readonly words: string
  readonly remember: string
  readonly at: number
}
