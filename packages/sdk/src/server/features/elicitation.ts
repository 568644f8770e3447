/** Elicitation seen from a server: forms checked against their schema, and URLs that are visited until done. */

import { invalidDefinition, PorticoError, RpcError } from '../../jsonrpc/errors.ts'
import { isObject, type JsonObject } from '../../jsonrpc/message.ts'
import type { ElicitFormParams, ElicitResult, FormField, FormSchema } from '../../protocol/elicitation.ts'
import { URL_ELICITATION_REQUIRED } from '../../protocol/errors.ts'
import { liftElicitResult } from '../../protocol/revisions/elicitation-forms.ts'
import { writeElicitParams } from '../../protocol/revisions/questions.ts'
import { type AnySchema, type CompiledSchema, defineSchema } from '../../schema/schema.ts'
import type { LegacySession } from '../../session/legacy-session.ts'
import { randomToken } from '../../session/random-token.ts'
import { type Asker, askClient, requireClient } from '../asking/asking.ts'
import type { ServerCall } from '../call/call.ts'

/** A form to fill in. `form` is a flat object of strings, numbers, booleans and choices. */
export interface FormQuestion<S extends AnySchema> {
  readonly message: string
  readonly form: S
}

/** A page to visit. `accept` means consent; with `done`, the question is repeated until `done` says the visit is over. */
export interface UrlQuestion {
  readonly message: string
  readonly url: string
  readonly done?: () => boolean | Promise<boolean>
}

/** A question to the person who uses the client: a form, or a page to visit. */
export type ElicitQuestion<S extends AnySchema> = FormQuestion<S> | UrlQuestion

/** What came of a question, with the content of the form when it was accepted. */
export type ElicitAnswer<T> =
  | { readonly action: 'accept'; readonly content: T }
  | { readonly action: 'decline' | 'cancel'; readonly content?: undefined }

export function askElicitation(
  asker: Asker,
  call: ServerCall,
  key: string | undefined,
  question: ElicitQuestion<AnySchema>,
): Promise<ElicitAnswer<JsonObject>> {
  return 'url' in question ? askUrl(asker, call, key, question) : askForm(asker, call, key, question)
}

interface PreparedForm {
  readonly schema: FormSchema
  readonly compiled: CompiledSchema
}

/** Forms are prepared once per schema object, however often they are asked. */
const PREPARED = new WeakMap<object, PreparedForm>()

async function askForm(
  asker: Asker,
  call: ServerCall,
  key: string | undefined,
  question: FormQuestion<AnySchema>,
): Promise<ElicitAnswer<JsonObject>> {
  requireClient(call, 'form')
  const { schema, compiled } = prepareForm(question.form)
  const { revision } = call.conversation
  const params: ElicitFormParams = { mode: 'form', message: question.message, requestedSchema: schema }
  const wire = writeElicitParams(revision, params)
  const read = async (response: JsonObject): Promise<ElicitAnswer<JsonObject> | undefined> => {
    const result = readElicitResult(response)
    if (result === undefined) return undefined
    if (result.action !== 'accept') return { action: result.action }
    const lifted = liftElicitResult(revision, params, result)
    const checked = await compiled.validate(lifted.content ?? {})
    return checked.ok ? { action: 'accept', content: checked.value as JsonObject } : undefined
  }
  return askClient(asker, call, { key, kind: 'elicitation', method: 'elicitation/create', params: wire }, read)
}

async function askUrl(
  asker: Asker,
  call: ServerCall,
  key: string | undefined,
  question: UrlQuestion,
): Promise<ElicitAnswer<JsonObject>> {
  requireClient(call, 'url')
  if (question.done !== undefined && (await question.done())) return { action: 'accept', content: {} }
  const { session } = call
  const elicitationId = randomToken()
  const params = { mode: 'url' as const, message: question.message, url: checkedUrl(question.url), elicitationId }
  const wire = writeElicitParams(call.conversation.revision, params)
  const asked = { method: 'elicitation/create', params: wire }
  const answer = await askClient(asker, call, { key, kind: 'elicitation', ...asked }, (response) => {
    const result = readElicitResult(response)
    if (result === undefined) return undefined
    // An accepted visit whose end is still open is asked again on the modern revisions: consent is not completion.
    return result.action === 'accept' ? { action: result.action, content: {} } : { action: result.action }
  })
  if (answer.action !== 'accept' || question.done === undefined || (await question.done())) {
    // Without `done` nobody here knows when the visit ends, so nothing is said of it.
    if (answer.action === 'accept' && question.done !== undefined) announceCompletion(call, elicitationId)
    return answer as ElicitAnswer<JsonObject>
  }
  if (session !== undefined) {
    announceLater(session, elicitationId, question.done, asker.askTimeoutMs)
    throw new RpcError(URL_ELICITATION_REQUIRED, question.message, { elicitations: [wire] })
  }
  // Whoever accepts once more is asked once more, until the visit is over; anything else is the answer.
  const again = key === undefined ? undefined : `${key}_again`
  return askClient(asker, call, { key: again, kind: 'elicitation_again', ...asked }, (response) => {
    const result = readElicitResult(response)
    return result === undefined || result.action === 'accept' ? undefined : { action: result.action }
  })
}

/** Tells the client that the visit is over, on the one revision that has a message for it (2025-11-25; sec-112). */
function announceCompletion(call: ServerCall, elicitationId: string): void {
  if (!call.conversation.revision.serverNotifications.has('notifications/elicitation/complete')) return
  call.notify('notifications/elicitation/complete', { elicitationId })
}

/** How often an open visit is looked at again. */
const LOOK_AGAIN_MS = 1000

/** After `-32042` the client waits for the visit to end: it is told as soon as `done` says so, while the session lasts. */
function announceLater(
  session: LegacySession,
  elicitationId: string,
  done: () => boolean | Promise<boolean>,
  forMs: number,
): void {
  const until = performance.now() + forMs
  const look = async (): Promise<void> => {
    if (session.phase === 'closed') return
    if (await done()) {
      const notice = { jsonrpc: '2.0', method: 'notifications/elicitation/complete', params: { elicitationId } }
      session.post(JSON.stringify(notice), 'keep')
    } else if (performance.now() < until) {
      wait()
    }
  }
  const wait = (): void => {
    // A visit that cannot be looked at ends the looking; the client still has its own way to go on.
    const timer = setTimeout(() => void look().catch(() => {}), LOOK_AGAIN_MS)
    if (typeof timer === 'object') timer.unref()
  }
  wait()
}

function prepareForm(form: AnySchema): PreparedForm {
  const known = PREPARED.get(form)
  if (known !== undefined) return known
  const compiled = defineSchema(form, { io: 'input', defaults: false })
  const prepared = { schema: toFormSchema(compiled.json), compiled }
  PREPARED.set(form, prepared)
  return prepared
}

const FIELD_MEMBERS = new Set([
  'type',
  'title',
  'description',
  'minLength',
  'maxLength',
  'format',
  'default',
  'minimum',
  'maximum',
  'enum',
  'enumNames',
  'oneOf',
  'items',
  'minItems',
  'maxItems',
])
const FORMATS = new Set(['email', 'uri', 'date', 'date-time'])

/** Narrows a JSON Schema to the flat form that elicitation allows, or says which field cannot be asked for. */
function toFormSchema(json: JsonObject): FormSchema {
  if (json.type !== 'object' || !isObject(json.properties)) {
    throw invalidDefinition('A form must be an object schema with properties')
  }
  const fields: [string, FormField][] = Object.entries(json.properties).map(([name, field]) => {
    if (!isObject(field) || !['string', 'number', 'integer', 'boolean', 'array'].includes(String(field.type))) {
      throw invalidDefinition(`Form field "${name}" must be a string, number, boolean or choice`)
    }
    if (field.type === 'array' && !isChoices(field.items)) {
      throw invalidDefinition(`Form field "${name}" must name its choices: items needs enum or anyOf`)
    }
    const kept = Object.entries(field).filter(
      ([member, value]) => FIELD_MEMBERS.has(member) && (member !== 'format' || FORMATS.has(String(value))),
    )
    // The type was checked and unknown members are gone; finer rules are the revision's own schema.
    return [name, Object.fromEntries(kept) as unknown as FormField]
  })
  const required = Array.isArray(json.required) ? json.required.filter((name) => typeof name === 'string') : []
  const properties = Object.fromEntries(fields)
  return required.length > 0 ? { type: 'object', properties, required } : { type: 'object', properties }
}

function isChoices(items: unknown): boolean {
  return isObject(items) && (Array.isArray(items.enum) || Array.isArray(items.anyOf))
}

function readElicitResult(response: JsonObject): ElicitResult | undefined {
  const { action, content } = response
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') return undefined
  if (content !== undefined && content !== null && !isObject(content)) return undefined
  return content ? { action, content: content as NonNullable<ElicitResult['content']> } : { action }
}

/** A URL to show a person: absolute, and over TLS unless it stays on this machine (sec-109). */
function checkedUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const local = parsed !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(parsed.hostname)
  if (parsed === undefined || !(parsed.protocol === 'https:' || (parsed.protocol === 'http:' && local))) {
    throw new PorticoError('invalid-arguments', 'ctx.elicit: url must be https, or http on this machine')
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new PorticoError('invalid-arguments', 'ctx.elicit: url must not carry credentials')
  }
  return url
}
