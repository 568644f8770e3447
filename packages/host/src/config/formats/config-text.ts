/**
 * The text of one configuration file as a tree that knows its lines: bounded before it is parsed, with comments and
 * trailing commas allowed, and with one place to report what is wrong. `read-config.ts` and the files beside it walk the
 * tree; nothing they report ever quotes a value, because values may be secrets.
 */

import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { ConfigPlace, ConfigProblem } from '../server-config.ts'

/**
 * How large a configuration may be: bytes of a file, depth of its JSON, number of servers and reported problems, length
 * of names.
 */
export const CONFIG_LIMITS = {
  /** Of one file. Claude Code keeps its history in the same file and may have `maxHistoryBytes`. */
  maxBytes: 1_048_576,
  maxHistoryBytes: 16 * 1_048_576,
  maxDepth: 64,
  maxServers: 500,
  maxProblems: 200,
  maxNameLength: 128,
} as const

/** A value of the file and the way to it. */
export interface Spot {
  readonly node: Node
  readonly path: string
}

export class ConfigText {
  readonly file: string
  readonly problems: ConfigProblem[] = []
  readonly root: Spot | undefined
  readonly #lineStarts: readonly number[]

  constructor(file: string, text: string, maxBytes: number = CONFIG_LIMITS.maxBytes) {
    this.file = file
    const plain = text.startsWith('\uFEFF') ? text.slice(1) : text
    this.#lineStarts = []
    if (text.length > maxBytes || new TextEncoder().encode(text).length > maxBytes) {
      this.#complain(`The file is larger than ${maxBytes} bytes`, 'Move the servers to a file of their own')
      return
    }
    this.#lineStarts = lineStartsOf(plain)
    const tooDeep = findTooDeep(plain)
    if (tooDeep !== undefined) {
      const message = `Brackets are nested deeper than ${CONFIG_LIMITS.maxDepth} levels`
      this.#complain(message, 'Take out what is not configuration', this.#lineAt(tooDeep))
      return
    }
    const errors: ParseError[] = []
    const node = parseTree(plain, errors, { allowTrailingComma: true, allowEmptyContent: true })
    const [first] = errors
    if (first !== undefined) {
      const line = this.#lineAt(first.offset)
      this.#complain(`This is not JSON: ${inWords(first)}`, 'Correct this place; the whole file is left out', line)
      return
    }
    // An empty file is how some programs begin.
    this.root = node === undefined ? undefined : { node, path: '' }
  }

  place({ node, path }: Spot): ConfigPlace {
    return { file: this.file, path, line: this.#lineAt(node.offset) }
  }

  error(spot: Spot, message: string, remedy: string): void {
    this.#add({ severity: 'error', place: this.place(spot), message, remedy })
  }

  warn(spot: Spot, message: string, remedy: string): void {
    this.#add({ severity: 'warning', place: this.place(spot), message, remedy })
  }

  /** The members of an object by name. Of equal names the last one counts, as for the programs that wrote the file. */
  members(spot: Spot): Map<string, Spot> {
    const found = new Map<string, Spot>()
    for (const property of spot.node.children ?? []) {
      const [key, node] = property.children ?? []
      if (key === undefined || node === undefined) continue
      const name = String(key.value)
      const member: Spot = { node, path: joinPath(spot.path, name) }
      if (found.has(name)) {
        this.warn(
          { node: key, path: member.path },
          'The name is there twice; the last one counts',
          'Remove one of them',
        )
      }
      found.set(name, member)
    }
    return found
  }

  items(spot: Spot): Spot[] {
    return (spot.node.children ?? []).map((node, index) => ({ node, path: `${spot.path}[${index}]` }))
  }

  #complain(message: string, remedy: string, line?: number): void {
    const place = { file: this.file, path: '', ...(line === undefined ? {} : { line }) }
    this.#add({ severity: 'error', place, message, remedy })
  }

  #add(problem: ConfigProblem): void {
    if (this.problems.length < CONFIG_LIMITS.maxProblems) this.problems.push(problem)
  }

  /** The first line is 1. */
  #lineAt(offset: number): number {
    let low = 0
    let high = this.#lineStarts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      // Within bounds by the loop's condition.
      if (this.#lineStarts[middle]! <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/** Plain JSON for a value of the tree. A member called `__proto__` stays an ordinary member. */
export function toJson({ type, value, children = [] }: Node): unknown {
  if (type === 'array') return children.map(toJson)
  if (type !== 'object') return value
  const object = {}
  for (const { children: [key, node] = [] } of children) {
    if (key === undefined || node === undefined) continue
    const member = { value: toJson(node), enumerable: true, configurable: true, writable: true }
    Object.defineProperty(object, String(key.value), member)
  }
  return object
}

/** `mcpServers.github`, `servers["my server"].args`. */
export function joinPath(path: string, name: string): string {
  if (/^[\w$-]{1,64}$/.test(name)) return path === '' ? name : `${path}.${name}`
  const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name
  return `${path}[${JSON.stringify(shown)}]`
}

/**
 * Writes a problem of the configuration in one line for people: where it is, what is wrong, and what to do.
 *
 * @example
 * ```ts
 * import { findConfigFiles, formatProblem, loadConfig } from '@portico/host/config'
 *
 * const { problems } = await loadConfig({ files: await findConfigFiles() })
 * const lines = problems.map(formatProblem)
 * ```
 */
export function formatProblem({ place, severity, message, remedy }: ConfigProblem): string {
  const line = place.line === undefined ? '' : `:${place.line}`
  const path = place.path === '' ? '' : ` ${place.path}:`
  return `${place.file}${line}:${path} ${severity === 'warning' ? 'warning: ' : ''}${message}. ${remedy}.`
}

function lineStartsOf(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/**
 * Where the text nests too deep for a parser that recurses, if it does. Counts brackets outside of strings and comments
 * only, so that nothing which parses is refused.
 */
function findTooDeep(text: string): number | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else if (char === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) at = endOfComment(text, at)
    else if (char === '}' || char === ']') depth--
    else if (char === '{' || char === '[') {
      depth++
      if (depth > CONFIG_LIMITS.maxDepth) return at
    }
  }
  return undefined
}

/** The closing quote, or the end of the line for a string that has none. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '"' || char === '\n' || char === '\r') return at
  }
  return text.length
}

function endOfComment(text: string, start: number): number {
  const isBlock = text[start + 1] === '*'
  const end = text.indexOf(isBlock ? '*/' : '\n', start + 2)
  if (end === -1) return text.length
  return isBlock ? end + 1 : end
}

function inWords({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim()
}
