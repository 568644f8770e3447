/** What a call on its way through the gateway is told when it begins. */

import type { QuestionMethod } from '@portico/sdk/relay'
import type { AskingContext, JsonObject } from '@portico/sdk/server'
import type { CallPlaces } from './call-places.ts'

export interface RelayedCallOptions {
  /** Names the call between two rounds; unguessable, and made when it is needed unless given. */
  readonly id?: string
  readonly server: string
  /** The principal that the call is for: nobody else can take it up again. */
  readonly principal: string | undefined
  /** Log messages that are kept between two rounds. */
  readonly maxKept: number
  /** Questions that may be open at a time. */
  readonly maxQuestions: number
  /** Takes secrets out of what is passed on beside the result. */
  readonly hide: (text: string) => string
  /** Has a question answered: by `ask`, once the rules allow it, or in place of the client. */
  readonly answer: (question: Asked, ctx: AskingContext, ask: () => Promise<JsonObject>) => Promise<JsonObject>
  /** Whether a question that does not say which call it is of may be another principal's. */
  readonly isAmbiguous: () => boolean
  /** What the call was made with: it is kept for as long as the call waits. */
  readonly request: unknown
  readonly places: CallPlaces
}

/** A question as the rules see it. */
export interface Asked {
  readonly method: QuestionMethod
  readonly params: JsonObject
  /** It was put in an earlier run, so the rules have allowed it. */
  readonly again: boolean
}
