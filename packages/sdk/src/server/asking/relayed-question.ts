/**
 * A question of another server's on its way to the client: worded for the client's revision, and otherwise as it came.
 * The features' own questions (`elicitation.ts`, `sampling.ts`, `roots.ts`) are checked as they are written; these were
 * written elsewhere, and are refused when they cannot be read. Answers are held against the question as everywhere.
 */

import { INVALID_PARAMS, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import { onDemand } from '../../jsonrpc/on-demand.ts'
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
  const fits = url ? undefined : await formOf(params)
  return putQuestion(asker, call, { key, method: 'elicitation/create', params: wire }, (response) => {
    const { action, content, ...more } = response
    if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return undefined
    if (content !== undefined && content !== null && !isObject(content)) return undefined
    // Only an accepted form has content.
    if (fits === undefined || action !== 'accept') return { ...more, action }
    const given = content ?? {}
    if (!Object.values(given).every(isElicitValue)) return undefined
    // Action and content were just looked at.
    const answer = { ...more, action, content: given } as unknown as ElicitResult
    const lifted = liftElicitResult(revision, asked, answer)
    return fits(lifted.content) ? { ...lifted } : undefined
  })
}

const engine = onDemand(async () => {
  const [{ compileJsonSchema }, { FORMATS }] = await Promise.all([
    import('../../schema/json-schema/json-schema.ts'),
    import('../../schema/json-schema/json-schema-formats.ts'),
  ])
  return { compile: (schema: unknown) => compileJsonSchema(schema, { formats: FORMATS }) }
})

/** What may be answered to a form. Its schema is a stranger's, and so is the answer: both are looked at within bounds. */
async function formOf({ requestedSchema }: JsonObject): Promise<(content: unknown) => boolean> {
  const { compile } = await engine()
  const validator = written(() => compile(requestedSchema))
  return (content) => validator.validate(content) === undefined
}

/** The values that a form can have, whatever its schema says (`ElicitResult` of every revision that has forms). */
function isElicitValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((one) => typeof one === 'string')
  return ['string', 'number', 'boolean'].includes(typeof value)
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
function written<T>(write: () => T): T {
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
