/**
 * The question before something that cannot be taken back. Where nobody can be asked, the answer is no. What is agreed to
 * is always shown whole: nothing that asks may cut its text first (sec-290).
 */

import { createHash } from 'node:crypto'
import { type AskingContext, CapabilityError, ToolError } from '@portico/sdk/server'
import { toPieces } from './text/cut.ts'

const FORM = {
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Go ahead?', description: 'Yes does it, no leaves all as it is' } },
  required: ['confirm'],
} as const

/** Characters that are shown at once; what is longer is agreed to part by part, so that none goes unseen. */
const PAGE = 6_000
/** A call may take ten rounds of questions: what does not fit into them cannot be agreed to. */
const MAX_PARTS = 9
/** Longer than this, a question does not fit above each part and becomes a part of the text. */
const MAX_HEADING = 1_000

/**
 * Returns when the user agreed, or when nobody can be asked and `allowUnasked` was set; throws what to tell the model.
 * `shown` is what the question is about: all of it, however long.
 */
export async function requireConfirmation(
  ctx: Pick<AskingContext, 'elicit' | 'client'>,
  question: string,
  allowUnasked: boolean,
  shown = '',
): Promise<void> {
  const parts = toParts(question, shown)
  if (parts.length > MAX_PARTS && ctx.client.capabilities.elicitation !== undefined) {
    throw new ToolError(
      `The user would have to see ${shown.length} characters before agreeing, and can be shown ${MAX_PARTS * PAGE}. Nothing was done. Do it in smaller steps.`,
    )
  }
  for (const [at, message] of parts.entries()) {
    // The name tells several questions of one call apart, and by its digest a yes is for this question alone: where a call is made
    // anew with its answers, what it is about may have changed since.
    const digest = createHash('sha256').update(message).digest('hex').slice(0, 32)
    await requireYes(ctx, message, allowUnasked, `confirm-${at + 1}-${digest}`)
  }
}

function toParts(question: string, shown: string): string[] {
  const whole = shown === '' ? question : `${question}\n\n${shown}`
  if (question.length <= MAX_HEADING ? shown.length <= PAGE : whole.length <= PAGE) return [whole]
  const [heading, text] = question.length <= MAX_HEADING ? [question, shown] : ['Agree to what follows?', whole]
  const pages = toPieces(text, PAGE)
  return pages.map((page, at) => {
    const isLast = at + 1 === pages.length
    const after = isLast ? 'It is done after this one.' : 'Yes shows the next part; nothing is done yet.'
    return `${heading}\nPart ${at + 1} of ${pages.length}. ${after}\n\n${page}`
  })
}

async function requireYes(
  ctx: Pick<AskingContext, 'elicit'>,
  message: string,
  allowUnasked: boolean,
  name: string,
): Promise<void> {
  try {
    const answer = await ctx.elicit(name, { message, form: FORM })
    if (answer.action === 'accept' && answer.content.confirm) return
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error
    if (allowUnasked) return
    throw new ToolError(
      'This needs the user’s consent, and the client has no way to ask for it. Nothing was done. Use a client that can ask (`portico` in a terminal does), or start the server with the option "allowUnasked" (--allow-unasked), which does it without asking.',
      { cause: error },
    )
  }
  throw new ToolError('The user did not agree. Nothing was done. Do not try again unless they ask for it.')
}
