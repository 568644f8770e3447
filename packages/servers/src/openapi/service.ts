/**
 * Calls one operation of the service: prepared by `request.ts`, proven by `credentials.ts`, sent by the guarded fetch, and
 * the answer read, cleaned and turned into what a model gets.
 */

import { type AskingContext, type ContentBlock, ToolError } from '@portico/sdk/server'
import { requireConfirmation } from '../confirmation.ts'
import type { GuardedFetch, NetworkResponse } from '../network/guarded-fetch.ts'
import type { Redactor } from '../network/redaction.ts'
import { toExcerpt } from '../text/cut.ts'
import { spellHidden } from '../text/plain-text.ts'
import type { Credentials } from './credentials.ts'
import type { Operation } from './operation.ts'
import { findNextPage, type NextPage } from './paging.ts'
import { type PreparedRequest, prepareRequest } from './request.ts'
import { isReading } from './selection.ts'

export interface Service {
  readonly credentials: Credentials
  readonly fetch: GuardedFetch
  readonly redactor: Redactor
  readonly allowUnasked: boolean
  baseOf(operation: Operation): URL
}

export interface Answer {
  readonly status: number
  /** Of a JSON answer its value, of a text its text; absent where there was none. */
  readonly body?: unknown
  readonly contentType?: string
  readonly next?: NextPage
  /** Pictures and sounds, which a model gets as such. */
  readonly media?: ContentBlock
}

type Arguments = { readonly [name: string]: unknown }

/** Asks first if the operation may change something; throws a `ToolError` for anything but success. */
export async function callOperation(
  service: Service,
  operation: Operation,
  args: Arguments,
  ctx: AskingContext,
): Promise<Answer> {
  const request = prepareRequest(operation, service.baseOf(operation), args)
  if (!isReading(operation)) {
    await requireConfirmation(ctx, questionFor(service, operation), service.allowUnasked, shownOf(service, request))
  }
  return answerOf(service, operation, { args, request, signal: ctx.signal })
}

/** The same for what only reads, without a person at hand. */
export function readOperation(
  service: Service,
  operation: Operation,
  args: Arguments,
  signal: AbortSignal,
): Promise<Answer> {
  const request = prepareRequest(operation, service.baseOf(operation), args)
  return answerOf(service, operation, { args, request, signal })
}

interface Sending {
  readonly args: Arguments
  readonly request: ReturnType<typeof prepareRequest>
  readonly signal: AbortSignal
}

async function answerOf(service: Service, operation: Operation, { args, request, signal }: Sending): Promise<Answer> {
  let answer = await send(service, operation, request, signal)
  if (answer.status === 401 && isReading(operation) && service.credentials.renew()) {
    answer = await send(service, operation, request, signal)
  }
  const { redactor } = service
  if (answer.status >= 300) throw failure(service, operation, answer)
  const read = readBody(answer, redactor)
  const next = findNextPage(operation, args, { url: answer.url, link: answer.header('link'), body: read.body })
  return {
    status: answer.status,
    ...read,
    // The service chose these words, and an address may repeat a key.
    ...(next !== undefined && { next: redactor.json(next) as NextPage }),
  }
}

async function send(
  { credentials, fetch }: Service,
  operation: Operation,
  request: PreparedRequest,
  signal: AbortSignal,
): Promise<NetworkResponse> {
  const proof = await credentials.proofFor(operation, signal)
  const url = new URL(request.url)
  for (const [name, value] of proof.query) url.searchParams.set(name, value)
  const cookies = [...request.cookies, ...proof.cookies]
  return fetch(url, {
    method: request.method,
    headers: request.headers,
    secretHeaders: { ...proof.headers, ...(cookies.length > 0 && { cookie: cookies.join('; ') }) },
    ...(request.body !== undefined && { body: request.body }),
    signal,
  })
}

function questionFor({ redactor }: Service, operation: Operation): string {
  const what = operation.summary === '' ? operation.id : `${operation.id} (${toExcerpt(operation.summary, 200)})`
  return redactor.text(`Allow ${what}?`)
}

/** All that would be sent. */
function shownOf({ redactor }: Service, { method, url, body }: PreparedRequest): string {
  return redactor.text(spellHidden(`${method} ${url.href}${body === undefined ? '' : `\nContent: ${body}`}`))
}

function readBody(answer: NetworkResponse, redactor: Redactor): Pick<Answer, 'body' | 'contentType' | 'media'> {
  if (answer.body.length === 0) return {}
  const type = (answer.header('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const contentType = redactor.excerpt(type, 100)
  if (/^(image|audio)\/[\w.+-]+$/.test(type) && type !== 'image/svg+xml') {
    const data = Buffer.from(answer.body).toString('base64')
    const kind = type.startsWith('image/') ? 'image' : 'audio'
    return { contentType, media: { type: kind, data, mimeType: type } }
  }
  const isJson = /[/+]json$/.test(type)
  if (!isJson && type !== '' && !/^text\/|xml|yaml|javascript|csv|graphql|x-www-form-urlencoded/.test(type)) {
    return { contentType, body: `(${answer.body.length} bytes of ${contentType}, not shown)` }
  }
  const text = new TextDecoder().decode(answer.body)
  if (isJson) {
    try {
      return { contentType, body: redactor.json(JSON.parse(text)) }
    } catch {
      // Not what it says it is; the text may still tell something.
    }
  }
  return { contentType, body: redactor.text(text) }
}

const ADVICE: { readonly [status: number]: string } = {
  400: 'Look at the arguments again.',
  401: 'The service wants credentials, or others: the operator gives them by the options bearerEnv, apiKeyEnv and the like.',
  403: 'The credentials in use do not allow this.',
  404: 'There is no such thing; look for its right name first.',
  422: 'Look at the arguments again.',
  429: 'The service asks for fewer requests. Wait before the next one.',
}

function failure({ redactor }: Service, operation: Operation, answer: NetworkResponse): ToolError {
  const { body } = readBody(answer, redactor)
  const wait = answer.header('retry-after')
  const detail = body === undefined ? '' : toExcerpt(typeof body === 'string' ? body : JSON.stringify(body), 2_000)
  const parts = [
    `${operation.method} ${operation.path} was answered with HTTP ${answer.status}.`,
    ADVICE[answer.status] ?? (answer.status >= 500 ? 'The service failed; try again later.' : ''),
    wait !== undefined && /^[\w ,:]{1,40}$/.test(wait) ? `Retry after ${wait}${/^\d+$/.test(wait) ? ' s' : ''}.` : '',
    detail,
  ]
  return new ToolError(parts.filter((part) => part !== '').join('\n'))
}
