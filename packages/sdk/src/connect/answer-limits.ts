/** The bounds on a server's messages, from the options of a client to whatever reads the bytes, and back into its words. */

import { CLIENT_LIMITS, type ClientLimits, type ClientOptions } from '../client/options.ts'

type AnswerLimits = Pick<
  ClientLimits,
  'maxAnswerBytes' | 'maxStringLength' | 'maxDepth' | 'maxKeys' | 'maxItems' | 'maxNodes'
>

/** The bounds in the words of every framing there is: one figure for what each of them calls its own. */
export interface FramedLimits extends AnswerLimits {
  readonly maxLineBytes: number
  readonly maxFrameBytes: number
  readonly maxEventBytes: number
}

export function answerLimits({ limits }: Pick<ClientOptions, 'limits'>): FramedLimits {
  const bound = (name: keyof AnswerLimits) => limits?.[name] ?? CLIENT_LIMITS[name]
  const bytes = bound('maxAnswerBytes')
  return {
    maxAnswerBytes: bytes,
    maxLineBytes: bytes,
    maxFrameBytes: bytes,
    maxEventBytes: bytes,
    maxStringLength: bound('maxStringLength'),
    maxDepth: bound('maxDepth'),
    maxKeys: bound('maxKeys'),
    maxItems: bound('maxItems'),
    maxNodes: bound('maxNodes'),
  }
}

/** A reason that names the bound as the client's user can set it. */
export function inClientWords(reason: string): string {
  return reason.replace(/max(?:Line|Frame|Event)Bytes/, 'maxAnswerBytes')
}
