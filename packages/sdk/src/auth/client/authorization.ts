/**
 * What senders of requests know of authorization: headers to put on, and what to do about a refusal. Apart from
 * `authorizer.ts`, so that whoever does not sign in does not load what signs in.
 */

export interface OutgoingHead {
  readonly method: string
  readonly url: URL
}

/** The head of an answer. */
export interface AnswerHead {
  readonly status: number
  header(name: string): string | undefined
}

export type AuthHeaders = { readonly [name: string]: string }

/** Gives the token that a request is sent with, and answers a refusal. */
export interface Authorizer {
  /** A person may be asked to sign in, which takes longer than requests otherwise do. */
  readonly interactive: boolean
  /** The headers that authorize a request; none where there are no tokens yet, or for another origin. */
  headers(request: OutgoingHead): AuthHeaders | Promise<AuthHeaders>
  /** Looks at every answer. True for one that `challenge` is to be asked about. */
  note(answer: AnswerHead, sent: AuthHeaders): boolean
  /**
   * Answers a challenge if it can: `retry` means that the request may be sent again, with new headers. The signal tells
   * that the request is no longer wanted; a sign-in that nobody waits for any more is given up.
   */
  challenge(answer: AnswerHead, sent: AuthHeaders, signal?: AbortSignal): Promise<'retry' | 'fail'>
  /** Revokes and forgets the tokens. */
  signOut(): Promise<void>
  /** Gives up what is under way. */
  close(): void
}

/** How often one request is sent again before its refusal is final: sign-in, nonce, step-up, and one to spare. */
export const MAX_RETRIES = 4
