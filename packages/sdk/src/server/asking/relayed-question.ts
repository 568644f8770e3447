/**
 * A question of another server's on its way to the client: worded for the client's revision, and otherwise as it came.
 * The features' own questions (`elicitation.ts`, `sampling.ts`, `roots.ts`) are checked as they are written; these were
 * written elsewhere, and are refused when they cannot be read.
 */

import { INVALID_PARAMS, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ElicitParams, ElicitResult } from '../../protocol/elicitation.ts'
import { liftElicitResult } from '../../protocol/revisions/elicitation-forms.ts'
import { writeCreateMessageParams, writeElicitParams } from '../../protocol/revisions/questions.ts'
import type { CreateMessageParams } from '../../protocol/sampling.ts'
import type { ServerCall } from '../call/call.ts'
import { readCreateMessageResult } from '../features/sampling.ts'
import { type Asker, putQuestion, type RelayedQuestion, requireClient } from './asking.ts'

export function askRelayed(
  asker: Asker,
  call: ServerCall,
  { key, method, params }: RelayedQuestion,
): Promise<JsonObject> {
  if (method === 'elicitation/create') return askElicitation(asker, call, key, withoutToken(params))
  if (method === 'sampling/createMessage') return askSampling(asker, call, key, withoutToken(params))
  return askRoots(asker, call, key)
}

async function askElicitation(asker: Asker, call: ServerCall, key: string, params: JsonObject): Promise<JsonObject> {
  const url = params.mode === 'url'
  requireClient(call, url ? 'url' : 'form')
  const { revision } = call.conversation
  // A form without a mode is how the first revision that had forms wrote one.
  const asked = (url ? params : { mode: 'form', ...params }) as unknown as ElicitParams
  const wire = written(() => {
    const schema = params.requestedSchema
    if (!url && !(isObject(schema) && isObject(schema.properties))) throw new TypeError('a form needs properties')
    return writeElicitParams(revision, asked)
  })
  return putQuestion(asker, call, { key, method: 'elicitation/create', params: wire }, (response) => {
    const { action, content } = response
    if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return undefined
    if (content !== undefined && content !== null && !isObject(content)) return undefined
    if (asked.mode === 'url' || action !== 'accept') return { ...response }
    // Action and content were just looked at.
    return { ...liftElicitResult(revision, asked, response as unknown as ElicitResult) }
  })
}

async function askSampling(asker: Asker, call: ServerCall, key: string, params: JsonObject): Promise<JsonObject> {
  requireClient(call, params.tools === undefined && params.toolChoice === undefined ? 'sample' : 'sample-tools')
  const { revision } = call.conversation
  const wire = written(() => {
    if (!Array.isArray(params.messages)) throw new TypeError('messages must be an array')
    return writeCreateMessageParams(revision, params as unknown as CreateMessageParams)
  })
  const asked = { key, method: 'sampling/createMessage', params: wire }
  return putQuestion(asker, call, asked, (response) =>
    readCreateMessageResult(response) === undefined ? undefined : response,
  )
}

async function askRoots(asker: Asker, call: ServerCall, key: string): Promise<JsonObject> {
  requireClient(call, 'roots')
  return putQuestion(asker, call, { key, method: 'roots/list', params: {} }, (response) => {
    const { roots } = response
    const usable = Array.isArray(roots) && roots.every((root) => isObject(root) && typeof root.uri === 'string')
    return usable ? response : undefined
  })
}

/** A question that cannot be worded is the asking server's mistake. */
function written(write: () => JsonObject): JsonObject {
  try {
    return write()
  } catch (cause) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: the question cannot be read', undefined, cause)
  }
}

/** A progress token names the request that carried the question, which ends at this side. */
function withoutToken(params: JsonObject): JsonObject {
  if (!isObject(params._meta)) return params
  const { progressToken: _token, ...meta } = params._meta
  const { _meta, ...own } = params
  return Object.keys(meta).length === 0 ? own : { ...own, _meta: meta }
}
