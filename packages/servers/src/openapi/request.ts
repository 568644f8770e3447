/** From an operation and a model's arguments to the request that is sent. Decides only; `service.ts` sends. */

import { ToolError } from '@portico/sdk/server'
import { isRecord } from './description.ts'
import { BODY_ARGUMENT, type Operation, type RequestBody } from './operation.ts'
import { writeHeaderValue, writePathValue, writeQueryValue } from './style.ts'

export interface PreparedRequest {
  readonly method: string
  readonly url: URL
  readonly headers: { readonly [name: string]: string }
  readonly cookies: readonly string[]
  readonly body: string | undefined
}

export function prepareRequest(
  operation: Operation,
  base: URL,
  args: { readonly [name: string]: unknown },
): PreparedRequest {
  checkNames(operation, args)
  let path = operation.path
  const query: string[] = []
  const cookies: string[] = []
  const headers: { [name: string]: string } = { accept: 'application/json, */*;q=0.5' }
  for (const parameter of operation.parameters) {
    const value = Object.hasOwn(args, parameter.argument) ? args[parameter.argument] : undefined
    if (value === undefined) continue
    if (parameter.in === 'path') path = path.replaceAll(`{${parameter.name}}`, () => writePathValue(parameter, value))
    else if (parameter.in === 'query') query.push(...writeQueryValue(parameter, value))
    else if (parameter.in === 'header') headers[parameter.name.toLowerCase()] = writeHeaderValue(parameter, value)
    else cookies.push(`${encodeURIComponent(parameter.name)}=${writeHeaderValue(parameter, value)}`)
  }
  const { body: description } = operation
  const given = Object.hasOwn(args, BODY_ARGUMENT) ? args[BODY_ARGUMENT] : undefined
  const written = description === undefined || given === undefined ? undefined : writeBody(description, given)
  if (written !== undefined) headers['content-type'] = written.contentType
  return {
    method: operation.method,
    url: toUrl(base, path, query),
    headers,
    cookies,
    body: written?.text,
  }
}

/** Unknown names are mistakes worth hearing of, and what is required must be there, whichever tool it came by. */
function checkNames(operation: Operation, args: { readonly [name: string]: unknown }): void {
  const { parameters, body } = operation
  const known = new Set(parameters.map(({ argument }) => argument))
  if (body !== undefined) known.add(BODY_ARGUMENT)
  const unknown = Object.keys(args).filter((name) => !known.has(name))
  const names = [...known].join(', ') || 'none'
  if (unknown.length > 0) {
    throw new ToolError(`${operation.id} has no argument ${unknown.slice(0, 5).join(', ')}. It takes: ${names}.`)
  }
  const missing = parameters.filter(({ required, argument }) => required && args[argument] === undefined)
  if (body?.required === true && args[BODY_ARGUMENT] === undefined) missing.push({ argument: BODY_ARGUMENT } as never)
  if (missing.length > 0) {
    throw new ToolError(`${operation.id} needs ${missing.map(({ argument }) => argument).join(', ')}.`)
  }
}

function toUrl(base: URL, path: string, query: readonly string[]): URL {
  const url = new URL(base)
  const wanted = `${base.pathname === '/' ? '' : base.pathname}${path}`
  url.pathname = wanted
  // What the parser made shorter had a step upward in it that nothing before has seen.
  if (url.pathname.split('/').length !== wanted.split('/').length || url.origin !== base.origin) {
    throw new ToolError('The arguments would lead out of their place in the path, and nothing was sent.')
  }
  url.search = query.join('&')
  return url
}

interface WrittenBody {
  readonly contentType: string
  readonly text: string
}

function writeBody({ contentType }: RequestBody, value: unknown): WrittenBody {
  if (/json/i.test(contentType)) return { contentType, text: JSON.stringify(value) }
  if (/^text\//i.test(contentType))
    return { contentType, text: typeof value === 'string' ? value : JSON.stringify(value) }
  if (!isRecord(value)) throw new ToolError(`"${BODY_ARGUMENT}" must be an object with the fields of the form.`)
  const fields = Object.entries(value).flatMap(([name, item]): [string, string][] =>
    [item].flat().map((one) => [name, typeof one === 'object' ? JSON.stringify(one) : String(one)]),
  )
  if (!/^multipart\//i.test(contentType)) return { contentType, text: new URLSearchParams(fields).toString() }
  return writeMultipart(fields)
}

function writeMultipart(fields: readonly (readonly [string, string])[]): WrittenBody {
  const boundary = `portico-${crypto.randomUUID()}`
  const parts = fields.map(([name, text]) => {
    const quoted = name.replace(/["\r\n]/g, (sign) => encodeURIComponent(sign))
    return `--${boundary}\r\ncontent-disposition: form-data; name="${quoted}"\r\n\r\n${text}\r\n`
  })
  return { contentType: `multipart/form-data; boundary=${boundary}`, text: `${parts.join('')}--${boundary}--\r\n` }
}
