/** The question before something that cannot simply be undone. Where nobody can be asked, the answer is no. */

import { type AskingContext, CapabilityError, ToolError } from '@portico/sdk/server'
import { toVisible } from './path-text.ts'

/** Nothing to fill in: to accept is to agree. Declared once, so that it is prepared once. */
const AGREE = { type: 'object', properties: {} } as const

/** Returns when the user agreed, or when nobody can be asked and `allowUnasked` is set; throws otherwise. */
export async function confirm(
  ctx: Pick<AskingContext, 'elicit'>,
  key: string,
  message: string,
  allowUnasked: boolean,
): Promise<void> {
  let action: 'accept' | 'decline' | 'cancel'
  try {
    action = (await ctx.elicit(key, { message: toVisible(message), form: AGREE })).action
  } catch (error) {
    if (!(error instanceof CapabilityError)) throw error
    if (allowUnasked) return
    throw new ToolError(
      'This needs the user’s consent, and the client has no way to ask for it (elicitation). ' +
        'Nothing was changed. The option "allowUnasked" of the server allows it without asking',
    )
  }
  if (action === 'accept') return
  throw new ToolError(
    action === 'decline'
      ? 'The user declined. Nothing was changed'
      : 'The user closed the question. Nothing was changed',
  )
}
