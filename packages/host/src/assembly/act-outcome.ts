/** What comes of an act: a result that is clean and written down, or an error in words that may be shown. */

import type { JsonObject } from '@portico/sdk/client'
import { admitError, toClean } from '../guard/foreign-text.ts'
import type { Permit } from '../guard/guard.ts'
import type { Provenance } from '../guard/provenance.ts'

/**
 * What came of a call, a reading or a prompt that the host made: the server's result, and what was sent to which
 * server.
 */
export interface ActionResult<Result> {
  readonly result: Result
  readonly server: string
  /** As they were sent: a person may have edited them. */
  readonly arguments: JsonObject
  /** Why it was let through. */
  readonly reason: string
}

/** Whose words come back, whose context they enter, and who can end it. */
interface Outcome {
  readonly origin: { readonly server: string; readonly trusted: boolean }
  readonly context: Provenance
  readonly signal?: AbortSignal | undefined
}

/** Does it, and writes down what became of it. */
export async function settle<Result extends object>(
  permit: Pick<Permit, 'finish'>,
  { origin, context, signal }: Outcome,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = toClean(await work())
    permit.finish('isError' in result && result.isError === true ? 'error' : 'ok')
    return result
  } catch (error) {
    const told = admitError(error, origin, context)
    permit.finish(signal?.aborted ? 'cancelled' : 'error', told instanceof Error ? told.message : undefined)
    throw told
  }
}
