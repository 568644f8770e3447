/** Completion from the client's side: what a proposal must hold. */

import { PorticoError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { type CompleteResult, MAX_COMPLETIONS } from '../../protocol/completion.ts'

export function readCompletion(result: JsonObject): CompleteResult {
  const { completion } = result
  if (!isObject(completion) || !Array.isArray(completion.values)) {
    throw new PorticoError('invalid-message', 'The completion has no values', { delivery: 'unknown' })
  }
  const values = completion.values.filter((value) => typeof value === 'string').slice(0, MAX_COMPLETIONS)
  return { ...result, completion: { ...completion, values } }
}
