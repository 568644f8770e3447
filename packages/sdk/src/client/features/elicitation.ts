/**
 * Elicitation as this side offers it: a handler for forms and one for URLs, each serving live requests and multi-round
 * input alike. Answers to a form get the defaults that were left out and are held against the requested schema. Nothing
 * here opens or fetches a URL: that is the handler's, after it has asked (2026-07-28, elicitation, "Safe URL Handling").
 */

import { INVALID_PARAMS, PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ElicitFormParams, ElicitResult, ElicitUrlParams, ElicitValue } from '../../protocol/elicitation.ts'
import type { Revision } from '../../protocol/revision.ts'
import { writeElicitResult } from '../../protocol/revisions/client-messages.ts'
import { compileJsonSchema, formatIssues } from '../../schema/json-schema/json-schema.ts'
import { FORMATS } from '../../schema/json-schema/json-schema-formats.ts'
import type { AskContext } from '../asking/ask-context.ts'

/** What a person said to a form. Members that are undefined count as left out. */
export interface ElicitAnswer {
  readonly action: ElicitResult['action']
  readonly content?: { readonly [name: string]: ElicitValue | undefined } | undefined
}

/** Answers a question by a form. */
export type FormHandler = (params: ElicitFormParams, context: AskContext) => ElicitAnswer | Promise<ElicitAnswer>

/**
 * Answers a question by a page to visit. `accept` means that the person agreed to open the URL, not that they are done
 * there.
 */
export type UrlHandler = (params: ElicitUrlParams, context: UrlContext) => ElicitResult | Promise<ElicitResult>

/** What a handler of pages to visit is told besides the question. */
export interface UrlContext extends AskContext {
  /** Resolves when the server says that the interaction is over (2025-11-25). Never, where it does not say so. */
  readonly completed: Promise<void>
}

/** Who answers a server's questions: forms, pages, or both. */
export interface ElicitationHandlers {
  readonly form?: FormHandler
  readonly url?: UrlHandler
}

export async function answerElicitation(
  handlers: ElicitationHandlers,
  params: JsonObject,
  revision: Revision,
  context: UrlContext,
): Promise<JsonObject> {
  const url = params.mode === 'url'
  // What a revision does not have cannot be asked by it, whatever this side could answer.
  const handler = url ? (revision.traits.urlElicitation ? handlers.url : undefined) : handlers.form
  if (handler === undefined || (!url && params.mode !== undefined && params.mode !== 'form')) {
    throw new RpcError(
      INVALID_PARAMS,
      `Invalid params: this client does not offer the mode ${JSON.stringify(params.mode)}`,
    )
  }
  if (typeof params.message !== 'string') throw new RpcError(INVALID_PARAMS, 'Invalid params: message must be a string')
  const result = url ? await askUrl(params, context, handlers.url) : await askForm(params, context, handlers.form)
  return writeElicitResult(revision, result)
}

/** Keeps the ids of URL elicitations and tells when the server reports one as complete. Unknown ids are ignored (sec-112). */
export class Completions {
  readonly #waiting = new Map<string, () => void>()

  waitFor(id: unknown): Promise<void> {
    if (typeof id !== 'string') return new Promise(() => {})
    const [oldest] = this.#waiting.keys()
    if (this.#waiting.size >= MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest)
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  complete(id: unknown): void {
    this.#waiting.get(id as string)?.()
    this.#waiting.delete(id as string)
  }
}

const MAX_WAITING = 1_000

async function askUrl(params: JsonObject, context: UrlContext, handler: UrlHandler | undefined): Promise<ElicitResult> {
  if (!isWebUrl(params.url)) throw new RpcError(INVALID_PARAMS, 'Invalid params: url must be an http(s) URL')
  // `url` and `message` were just checked; `mode` is what led here.
  const { action } = (await handler?.(params as unknown as ElicitUrlParams, context)) ?? { action: 'cancel' }
  return { action: requireAction(action) }
}

async function askForm(
  params: JsonObject,
  context: AskContext,
  handler: FormHandler | undefined,
): Promise<ElicitResult> {
  const schema = params.requestedSchema
  if (!isObject(schema) || !isObject(schema.properties)) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: requestedSchema must be an object schema')
  }
  if (Object.values(schema.properties).some((field) => isObject(field) && !isFlat(field))) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: requestedSchema must be flat')
  }
  const validator = compile(schema)
  const result: ElicitAnswer = (await handler?.(params as unknown as ElicitFormParams, context)) ?? { action: 'cancel' }
  if (requireAction(result.action) !== 'accept') return { action: result.action }
  const content = withDefaults(schema.properties, result.content)
  const issues = validator.validate(content)
  if (issues !== undefined) {
    throw new PorticoError('invalid-arguments', `The answer does not fit the form: ${formatIssues(issues)}`)
  }
  return { action: 'accept', content }
}

/** Sent as it is, another word would have the server ask again, and the person be asked again. */
function requireAction(action: ElicitResult['action']): ElicitResult['action'] {
  if (action === 'accept' || action === 'decline' || action === 'cancel') return action
  throw new PorticoError('invalid-arguments', 'The elicitation handler must return accept, decline or cancel as action')
}

function compile(schema: JsonObject) {
  try {
    return compileJsonSchema(schema, { formats: FORMATS })
  } catch (cause) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: requestedSchema is not a valid schema', undefined, cause)
  }
}

/** Fields that the person left out take the default that the server proposed. Field names are the server's to choose. */
function withDefaults(properties: JsonObject, given: ElicitAnswer['content']): { [name: string]: ElicitValue } {
  const content = new Map<string, ElicitValue>()
  for (const [name, field] of Object.entries(properties)) {
    if (isObject(field) && field.default !== undefined) content.set(name, field.default as ElicitValue)
  }
  for (const [name, value] of Object.entries(given ?? {})) if (value !== undefined) content.set(name, value)
  return Object.fromEntries(content)
}

/** A form has single values and choices; whoever draws it need not know more. */
function isFlat({ type, items }: JsonObject): boolean {
  return type === 'array' ? isObject(items) && items.type !== 'object' && items.type !== 'array' : type !== 'object'
}

function isWebUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false
  return ['https:', 'http:'].includes(new URL(value).protocol)
}
