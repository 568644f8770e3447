/** The question before something that cannot be taken back. Where nobody can be asked, the answer is no. */

import { type AskingContext, CapabilityError, ToolError } from '@portico/sdk/server'

const FORM = {
  type: 'object',
  properties: { confirm: { type: 'boolean', title: 'Go ahead?', description: 'Yes does it, no leaves all as it is' } },
  required: ['confirm'],
} as const

/** Returns when the user agreed, or when nobody can be asked and `allowUnasked` was set; throws what to tell the model. */
export async function requireConfirmation(
  ctx: Pick<AskingContext, 'elicit'>,
  message: string,
  allowUnasked: boolean,
  /** Tells several questions of one call apart. */
  name = 'confirm',
): Promise<void> {
  try {
    const answer = await ctx.elicit(name, { message, form: FORM })
    if (answer.action === 'accept' && answer.content.confirm) return
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error
    if (allowUnasked) return
    throw new ToolError(
      'This needs the user’s consent, and the client has no way to ask for it. Nothing was done. The option "allowUnasked" of the server allows it without asking.',
      { cause: error },
    )
  }
  throw new ToolError('The user did not agree. Nothing was done. Do not try again unless they ask for it.')
}
