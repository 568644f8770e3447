/**
 * The syntax of RFC 6570 URI templates: source text to parts, with the operator table of its appendix A. Expansion and
 * matching, the two neighbours of this module, both work on the parts.
 */

import { invalidDefinition, type PorticoError } from '../../jsonrpc/errors.ts'

export const TEMPLATE_LIMITS = {
  /** Characters of a template. */
  maxTemplateLength: 4096,
  /** Variables of a template, repeated ones counted. */
  maxVariables: 64,
  /** Characters of a URI that is matched; a longer one matches nothing. */
  maxUriLength: 65_536,
} as const

export interface Operator {
  /** What comes before the first defined variable. */
  readonly first: string
  readonly separator: string
  /** Whether values are written as `name=value`. */
  readonly named: boolean
  /** What follows the name of an empty value. */
  readonly ifEmpty: string
  /** Whether reserved characters stay as they are. */
  readonly reserved: boolean
}

export interface Variable {
  readonly name: string
  readonly explode: boolean
  /** Characters that are taken from the value; undefined for all. */
  readonly prefix: number | undefined
}

export type TemplatePart =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'expression'; readonly operator: Operator; readonly variables: readonly Variable[] }

const SIMPLE: Operator = { first: '', separator: ',', named: false, ifEmpty: '', reserved: false }

const OPERATORS = new Map<string, Operator>([
  ['+', { first: '', separator: ',', named: false, ifEmpty: '', reserved: true }],
  ['#', { first: '#', separator: ',', named: false, ifEmpty: '', reserved: true }],
  ['.', { first: '.', separator: '.', named: false, ifEmpty: '', reserved: false }],
  ['/', { first: '/', separator: '/', named: false, ifEmpty: '', reserved: false }],
  [';', { first: ';', separator: ';', named: true, ifEmpty: '', reserved: false }],
  ['?', { first: '?', separator: '&', named: true, ifEmpty: '=', reserved: false }],
  ['&', { first: '&', separator: '&', named: true, ifEmpty: '=', reserved: false }],
])

export function parseParts(source: string): TemplatePart[] {
  if (source.length > TEMPLATE_LIMITS.maxTemplateLength) {
    throw invalid(`is longer than maxTemplateLength (${TEMPLATE_LIMITS.maxTemplateLength})`)
  }
  const parts: TemplatePart[] = []
  let variables = 0
  for (let at = 0; at < source.length; ) {
    const open = source.indexOf('{', at)
    const literal = source.slice(at, open === -1 ? source.length : open)
    if (literal !== '') parts.push({ kind: 'literal', text: parseLiteral(literal) })
    if (open === -1) break
    const close = source.indexOf('}', open)
    if (close === -1) throw invalid('has a "{" that is not closed')
    const expression = parseExpression(source.slice(open + 1, close))
    variables += expression.variables.length
    if (variables > TEMPLATE_LIMITS.maxVariables) {
      throw invalid(`has more than maxVariables (${TEMPLATE_LIMITS.maxVariables})`)
    }
    parts.push(expression)
    at = close + 1
  }
  return parts
}

/** Percent-encodes what may not stand in a URI at all; reserved characters and escapes stay. */
export function encodeReserved(text: string): string {
  return toWellFormed(text).replace(NOT_IN_URI, encodeURIComponent)
}

/** Percent-encodes all but unreserved characters. */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(toWellFormed(text)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

const NOT_IN_URI = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/gu

/** Half a surrogate pair has no UTF-8; it is written as U+FFFD, as everywhere on the web. */
function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, String.fromCharCode(0xfffd))
}

/**
 * Section 2.1: no controls, spaces, `"`, `<`, `>`, `\`, `^`, backquote, `|`, `}`, nor `%` outside of an escape. The
 * apostrophe, which the section leaves out, is an ordinary character of URIs (RFC 3986, section 2.2) and is allowed.
 */
function parseLiteral(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const bad = /[\u0000-\u0020\u007f"<>\\^`|}]|%(?![0-9A-Fa-f]{2})/.exec(text)
  if (bad !== null) throw invalid(`holds ${JSON.stringify(bad[0])} outside of an expression`)
  return toUpperEscapes(encodeReserved(text))
}

/** `%c3` and `%C3` are the same octet (RFC 3986, section 6.2.2.1). */
export function toUpperEscapes(text: string): string {
  return text.includes('%') ? text.replace(/%[0-9A-Fa-f]{2}/g, (octet) => octet.toUpperCase()) : text
}

function parseExpression(body: string): TemplatePart & { kind: 'expression' } {
  const operator = OPERATORS.get(body.charAt(0))
  const list = operator === undefined ? body : body.slice(1)
  const variables = list.split(',').map((spec): Variable => {
    const [, name, prefix, explode] = VARIABLE.exec(spec) ?? []
    if (name === undefined) throw invalid(`has an expression {${body}} that is not one of RFC 6570`)
    return { name, prefix: prefix === undefined ? undefined : Number(prefix), explode: explode !== undefined }
  })
  return { kind: 'expression', operator: operator ?? SIMPLE, variables }
}

// Each character fits one alternative only, so this takes linear time.
const VARIABLE = /^((?:\w|%[0-9A-Fa-f]{2})(?:\.?(?:\w|%[0-9A-Fa-f]{2}))*)(?::([1-9][0-9]{0,3})|(\*))?$/

function invalid(what: string): PorticoError {
  return invalidDefinition(`the URI template ${what}`)
}
