/**
 * What a person is asked, on whatever surface they use: questions wait in the inbox until somebody answers, they are
 * withdrawn, or their time is up. Plain JSON, so that they survive a restart and travel to a browser.
 */

import type { JsonObject } from '@portico/sdk/server'
import type { Effect } from '../policy/effect.ts'

/**
 * What is asked, by kind: the approval of something that is about to happen, a form or a page of a server, a sampling
 * request and so on.
 */
export type QuestionBody =
  /** May this happen? Arguments may be edited where the effect has some. `warnings` are what to look at first. */
  | {
      readonly kind: 'approval'
      readonly effect: Effect
      readonly reason: string
      readonly warnings: readonly string[]
      /** Asked only because no rule speaks. */
      readonly byDefault?: true
    }
  /** May the model see this result? It may be edited. */
  | { readonly kind: 'result'; readonly effect: Effect; readonly result: JsonObject }
  /** A server's sampling request, before the model sees it. */
  | {
      readonly kind: 'sampling'
      readonly request: JsonObject
      readonly models: readonly string[]
      readonly warnings?: readonly string[]
    }
  /** The model's answer, before the server sees it. */
  | { readonly kind: 'sampling-answer'; readonly request: JsonObject; readonly answer: JsonObject }
  | {
      readonly kind: 'form'
      readonly message: string
      readonly schema: JsonObject
      readonly warnings?: readonly string[]
    }
  | {
      readonly kind: 'url'
      readonly message: string
      readonly url: string
      readonly host: string
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'roots'; readonly offered: readonly string[] }
  /** A definition changed. */
  | {
      readonly kind: 'definition'
      readonly item: string
      readonly difference: readonly { readonly part: string; readonly before: string; readonly after: string }[]
    }
  /** A project's own file wants to add servers. */
  | { readonly kind: 'trust'; readonly file: string; readonly servers: readonly string[] }

/** A question that waits for a person; `createdAt` and `expiresAt` are in milliseconds since 1970. */
export interface Question {
  readonly id: string
  readonly server: string
  readonly session: string
  readonly principal?: string
  readonly workspace?: string
  readonly createdAt: number
  readonly expiresAt?: number
  readonly body: QuestionBody
  /** It waits in another process with the same state folder, which gets the answer. */
  readonly elsewhere?: true
}

/** A question before the inbox has taken it. */
export type NewQuestion = Omit<Question, 'id' | 'createdAt' | 'elsewhere'>

/** How long an answer holds: for this one time, for the session, for the project folder, or always. */
export type Remember = 'once' | 'session' | 'workspace' | 'always'
/** What a remembered answer holds for. */
export type Breadth = 'server' | 'item' | 'arguments'

/** A person's answer to a question: yes, no or neither, and for how long and how widely it is to be remembered. */
export interface Answer {
  readonly action: 'allow' | 'deny' | 'cancel'
  readonly remember?: Remember
  readonly breadth?: Breadth
  /** For `breadth: 'arguments'`: the values that must be equal; all of the call's unless given. */
  readonly pattern?: JsonObject
  /** Edited arguments, edited request or answer, the form's content, the chosen roots: by the question's kind. */
  readonly content?: JsonObject
  /** What is remembered holds for risky tools even while untrusted text is in the context. */
  readonly evenIfTainted?: boolean
  /** For sampling: the model that is to answer. */
  readonly model?: string
  /** The surface it was given on: `workbench`, `terminal`. */
  readonly by?: string
}
