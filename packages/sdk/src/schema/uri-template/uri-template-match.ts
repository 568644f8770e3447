/**
 * The inverse of expansion, which RFC 6570 leaves open: a URI to the values that a template could have made it from.
 * Where several readings are possible the leftmost expression takes as much as it can. Found by a table filled from the
 * end of the URI, one pass per part, so no input makes it try again: time is the length times the number of parts.
 *
 * - `{id}` and `{+path}` stand for at least one character; expressions with an operator that writes a first character
 *   (`{/id}`, `{?q}`, `{#part}`) may be absent, and their variables are then absent from the answer.
 * - `{id}`, `{.ext}`, `{;p}` do not cross `/`, `?` or `#`; `{/segment}` takes one segment, `{/path*}` any number;
 *   `{?q}` ends at `#`; `{+path}` and `{#part}` take anything.
 * - Query parameters may come in any order; a name that the expression does not have, or twice, is no match.
 * - Exploded variables are arrays. A list or record that was not exploded comes back as the text with its commas.
 */

import { toPrefix } from './uri-template-expand.ts'
import type { Operator, TemplatePart, Variable } from './uri-template-syntax.ts'
import { TEMPLATE_LIMITS, toUpperEscapes } from './uri-template-syntax.ts'

/** Has no prototype: every key is a variable of the template. */
export type TemplateMatch = { [name: string]: string | string[] }

type Matcher = (uri: string) => TemplateMatch | undefined

/** Part expressions joined where they stand side by side, so that `{?a}{&b}` is read as `{?a,b}`. */
export function createMatcher(parts: readonly TemplatePart[]): Matcher {
  const steps: TemplatePart[] = []
  for (const part of parts) {
    const before = steps.at(-1)
    if (part.kind === 'expression' && before?.kind === 'expression' && continues(before.operator, part.operator)) {
      steps[steps.length - 1] = { ...before, variables: [...before.variables, ...part.variables] }
    } else steps.push(part)
  }
  const [start, end] = [steps[0], steps.length > 1 ? steps.at(-1) : undefined]
  const prefix = start?.kind === 'literal' ? start.text : ''
  const suffix = end?.kind === 'literal' ? end.text : ''
  const inner = steps.slice(prefix === '' ? 0 : 1, suffix === '' ? undefined : -1)

  return (given) => {
    if (given.length > TEMPLATE_LIMITS.maxUriLength) return undefined
    const uri = toUpperEscapes(given)
    const fits = uri.startsWith(prefix) && uri.length >= prefix.length + suffix.length && uri.endsWith(suffix)
    return fits ? matchSteps(inner, uri.slice(prefix.length, uri.length - suffix.length)) : undefined
  }
}

type Expression = TemplatePart & { kind: 'expression' }

function continues(before: Operator, next: Operator): boolean {
  return before.first !== '' && before.first !== '#' && before.separator === next.first
}

/** Matching calls nothing that could match again, so ordinary URIs share one table. */
const shared = new Int32Array(2048)

function matchSteps(steps: readonly TemplatePart[], uri: string): TemplateMatch | undefined {
  const width = uri.length + 1
  const size = width * (steps.length + 1)
  // From the last step to the first: row 0, called reach, has for each i the largest j <= i from which the steps that
  // follow fit to the end; row k + 1 has for each start where expression k then ends.
  const table = size <= shared.length ? shared : new Int32Array(size)
  table.fill(-1, 0, uri.length)
  table[uri.length] = uri.length
  for (let index = steps.length - 1; index >= 0; index--) {
    const step = steps[index]!
    if (step.kind === 'literal') reachLiteral(step.text, uri, table)
    else reachExpression(step, uri, table, (index + 1) * width)
    if (table[uri.length] === -1) return undefined
  }
  return table[0] === 0 ? collect(steps, uri, table) : undefined
}

/** Reads `reach` ahead of where it writes, so one row does. */
function reachLiteral(text: string, uri: string, reach: Int32Array): void {
  let last = -1
  let next = uri.indexOf(text)
  for (let at = 0; at <= uri.length; at++) {
    if (at === next) {
      if (reach[at + text.length] === at + text.length) last = at
      next = uri.indexOf(text, at + 1)
    }
    reach[at] = last
  }
}

const SLASH = 0x2f
const QUESTION = 0x3f
const HASH = 0x23

function reachExpression(step: Expression, uri: string, table: Int32Array, row: number): void {
  const { first, separator, reserved } = step.operator
  const isOptional = first !== ''
  const firstCode = isOptional ? first.charCodeAt(0) : -1
  const isQuery = separator === '&'
  const segments = first !== '/' || step.variables.some(({ explode }) => explode) ? 0 : step.variables.length
  const slashes: number[] = []
  let stop = uri.length
  for (let at = uri.length; at >= 0; at--) {
    const code = at < uri.length ? uri.charCodeAt(at) : -1
    let limit = stop
    if (code === HASH || code === SLASH || code === QUESTION) {
      if (code === SLASH && segments > 0) {
        // The slash after the last segment that the variables can take.
        limit = Math.min(stop, slashes[slashes.length - segments] ?? stop)
        slashes.push(at)
      }
      const isStop = !reserved && (code === HASH || (!isQuery && (code === QUESTION || first !== '/')))
      if (isStop) stop = limit = at
    }
    const end = firstCode === -1 || code === firstCode ? table[limit]! : -1
    table[row + at] = end > at ? end : isOptional && table[at] === at ? at : -1
  }
  let last = -1
  for (let at = 0; at <= uri.length; at++) {
    if (table[row + at] !== -1) last = at
    table[at] = last
  }
}

function collect(steps: readonly TemplatePart[], uri: string, table: Int32Array): TemplateMatch | undefined {
  const found: TemplateMatch = Object.create(null)
  const prefixes: { name: string; prefix: number; value: string }[] = []
  const give = (variable: Variable, value: string | string[]): boolean => {
    if (variable.prefix !== undefined && typeof value === 'string') {
      prefixes.push({ name: variable.name, prefix: variable.prefix, value })
      return true
    }
    const known = found[variable.name]
    found[variable.name] = value
    return known === undefined || String(known) === String(value)
  }
  let at = 0
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index]!
    if (step.kind === 'literal') {
      at += step.text.length
      continue
    }
    const end = table[(index + 1) * (uri.length + 1) + at]!
    if (end > at) {
      const body = uri.slice(at + step.operator.first.length, end)
      const isRead = step.operator.named ? readNamed(step, body, give) : readOrdered(step, body, give)
      if (!isRead) return undefined
    }
    at = end
  }
  // A cut value must be the start of the whole one, where the URI has both.
  for (const { name, prefix, value } of prefixes) {
    if (value !== toPrefix(String(found[name] ?? value), prefix)) return undefined
    found[name] ??= value
  }
  return found
}

type Give = (variable: Variable, value: string | string[]) => boolean

/** Values by position. An exploded variable takes what the others leave; without one, the last takes the rest. */
function readOrdered(
  { operator, variables }: TemplatePart & { kind: 'expression' },
  body: string,
  give: Give,
): boolean {
  const exploded = variables.findIndex((variable) => variable.explode)
  if (variables.length === 1 && exploded === -1) return giveText(variables[0]!, body, give)
  const items = body.split(operator.separator)
  let at = 0
  for (let index = 0; index < variables.length && at < items.length; index++) {
    const variable = variables[index]!
    const others = variables.length - index - 1
    if (variable.explode) {
      const count = index === exploded ? Math.max(1, items.length - at - others) : 1
      const values = decodeAll(items.slice(at, at + count))
      if (values === undefined || !give(variable, values)) return false
      at += count
    } else {
      const count = others === 0 ? items.length - at : 1
      if (!giveText(variable, items.slice(at, at + count).join(operator.separator), give)) return false
      at += count
    }
  }
  return true
}

/** `name=value` pairs in any order. */
function readNamed({ operator, variables }: Expression, body: string, give: Give): boolean {
  if (body === '') return true
  const values = new Map<string, string[]>()
  for (const pair of body.split(operator.separator)) {
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    const value = equals === -1 ? '' : pair.slice(equals + 1)
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  let read = 0
  for (const variable of variables) {
    const texts = values.get(variable.name)
    if (texts === undefined) continue
    read++
    if (variable.explode) {
      const list = decodeAll(texts)
      if (list === undefined || !give(variable, list)) return false
    } else if (texts.length > 1 || !giveText(variable, texts[0]!, give)) return false
  }
  return read === values.size
}

function giveText(variable: Variable, text: string, give: Give): boolean {
  const value = decode(text)
  return value !== undefined && give(variable, value)
}

function decodeAll(texts: readonly string[]): string[] | undefined {
  const values: string[] = []
  for (const text of texts) {
    const value = decode(text)
    if (value === undefined) return undefined
    values.push(value)
  }
  return values
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
