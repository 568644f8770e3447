/**
 * Reads the YAML at the top of a `SKILL.md`. It is the part of YAML that such files are written in: nested mappings and
 * lists, flow lists and mappings of one line, quoted and plain scalars, `|` and `>` blocks, comments. Everything else (anchors, tags, merge keys,
 * several documents) is refused rather than guessed at: what cannot be read with certainty cannot be compared either.
 * It comes from servers that may be hostile, and is read where nobody can end the reader. So no library does it: 64 kB of
 * brackets make the common one end the whole process, out of memory. The ready-made servers, which have a process apart for it, use that one.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import { readScalar, YamlFault } from './skills-scalar.ts'

/**
 * Reads the YAML at the top of a `SKILL.md` as JSON. Throws `invalid-message` when there is none or it cannot be read.
 *
 * @example
 * ```ts
 * import { parseFrontmatter } from '@portico/sdk/skills'
 *
 * const { name } = parseFrontmatter('---\nname: tea\ndescription: Makes tea\n---\nBoil water.')
 * console.log(name) // tea
 * ```
 */
export function parseFrontmatter(text: string): JsonObject {
  const block = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text.slice(0, MAX_LENGTH))?.[1]
  if (block === undefined) throw new PorticoError('invalid-message', 'There is no frontmatter between two lines of ---')
  try {
    const value = new YamlReader(block.split(/\r?\n/)).read()
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new YamlFault(1, 'it is no mapping')
    // A mapping that `YamlReader` made has nothing but own string keys.
    return value as JsonObject
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error
    throw new PorticoError('invalid-message', `The frontmatter cannot be read: ${error.message}`)
  }
}

const MAX_LENGTH = 64 * 1024
const MAX_DEPTH = 32

interface Line {
  readonly number: number
  readonly indent: number
  readonly text: string
}

class YamlReader {
  readonly #raw: readonly string[]
  #at = 0

  constructor(raw: readonly string[]) {
    this.#raw = raw
  }

  read(): unknown {
    const first = this.#peek()
    if (first === undefined) return {}
    const value = this.#block(first.indent, 0)
    const rest = this.#peek()
    if (rest !== undefined) throw new YamlFault(rest.number, 'the indentation fits nothing before it')
    return value
  }

  /** The next line that says something. */
  #peek(): Line | undefined {
    for (; this.#at < this.#raw.length; this.#at++) {
      const raw = this.#raw[this.#at] ?? ''
      const text = raw.trim()
      if (text === '' || text.startsWith('#')) continue
      const indent = raw.length - raw.trimStart().length
      if (raw.slice(0, indent).includes('\t')) throw new YamlFault(this.#at + 1, 'tabs cannot indent')
      return { number: this.#at + 1, indent, text }
    }
    return undefined
  }

  #block(indent: number, depth: number): unknown {
    const line = this.#peek()
    if (depth > MAX_DEPTH) throw new YamlFault(this.#at + 1, 'it is nested too deeply')
    return line !== undefined && isListItem(line.text) ? this.#list(indent, depth) : this.#mapping(indent, depth)
  }

  #list(indent: number, depth: number): unknown[] {
    const items: unknown[] = []
    for (let line = this.#peek(); line?.indent === indent && isListItem(line.text); line = this.#peek()) {
      const rest = line.text.slice(1).trim()
      if (rest !== '' && splitKey(rest, line.number) !== undefined) {
        throw new YamlFault(line.number, 'mappings inside lists are not read')
      }
      this.#at++
      items.push(this.#value(rest, line, depth))
    }
    return items
  }

  #mapping(indent: number, depth: number): JsonObject {
    const entries = new Map<string, unknown>()
    for (let line = this.#peek(); line !== undefined && line.indent === indent; line = this.#peek()) {
      const pair = splitKey(line.text, line.number)
      if (pair === undefined) throw new YamlFault(line.number, 'this is no "key: value"')
      if (entries.has(pair.key)) throw new YamlFault(line.number, `"${pair.key}" is there twice`)
      this.#at++
      entries.set(pair.key, this.#value(pair.rest, line, depth))
    }
    // `fromEntries` defines own properties, so that `__proto__` is a key like any other.
    return Object.fromEntries(entries)
  }

  #value(rest: string, line: Line, depth: number): unknown {
    const block = /^([|>])([+-]?)(?:\s+#.*)?$/.exec(rest)
    if (block !== null) return this.#textBlock(block[1] === '>', block[2] ?? '', line)
    const next = this.#peek()
    if (rest === '' || rest.startsWith('#')) {
      if (next === undefined) return null
      // A list may stand as far left as the key that it belongs to.
      const nested =
        next.indent > line.indent || (next.indent === line.indent && isListItem(next.text) && !isListItem(line.text))
      return nested ? this.#block(next.indent, depth + 1) : null
    }
    if (next !== undefined && next.indent > line.indent) {
      throw new YamlFault(
        next.number,
        'a value that goes on over several lines is not read; use ">" or quotes on one line',
      )
    }
    return readScalar(rest, line.number)
  }

  /** `|` keeps lines, `>` joins them; `-` leaves out the last line break and `+` keeps all. */
  #textBlock(folded: boolean, chomp: string, owner: Line): string {
    const lines: string[] = []
    let indent: number | undefined
    for (; this.#at < this.#raw.length; this.#at++) {
      const raw = this.#raw[this.#at] ?? ''
      const own = raw.length - raw.trimStart().length
      if (raw.trim() === '') {
        lines.push('')
        continue
      }
      if (own <= owner.indent) break
      indent ??= own
      if (own < indent) throw new YamlFault(this.#at + 1, 'a text block is indented unevenly')
      if (folded && own > indent) throw new YamlFault(this.#at + 1, 'lines that are indented further are not folded')
      lines.push(raw.slice(indent))
    }
    const kept = [...lines]
    while (kept.at(-1) === '') kept.pop()
    const body = folded ? fold(kept) : kept.join('\n')
    if (body === '') return ''
    const end = chomp === '-' ? '' : chomp === '+' ? '\n'.repeat(lines.length - kept.length + 1) : '\n'
    return body + end
  }
}

/** Single line breaks become spaces, an empty line stays as one break. */
function fold(lines: readonly string[]): string {
  let text = ''
  let gap = 0
  for (const line of lines) {
    if (line === '') {
      gap++
      continue
    }
    if (text !== '') text += gap === 0 ? ' ' : '\n'.repeat(gap)
    else text += '\n'.repeat(gap)
    text += line
    gap = 0
  }
  return text
}

function isListItem(text: string): boolean {
  return text === '-' || text.startsWith('- ')
}

/** `key: rest`, where the key is plain or quoted. */
function splitKey(text: string, number: number): { key: string; rest: string } | undefined {
  const quoted = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*:(?:\s+(.*))?$/.exec(text)
  if (quoted !== null) return { key: String(readScalar(quoted[1] ?? '', number)), rest: (quoted[2] ?? '').trim() }
  if (/^["'[{]/.test(text)) return undefined
  const colon = text.indexOf(':')
  const key = text.slice(0, Math.max(0, colon)).trim()
  const rest = text.slice(colon + 1)
  if (key === '' || /^\S/.test(rest)) return undefined
  if (/^[&*!|>%@`?]/.test(key) || key === '<<') throw new YamlFault(number, 'anchors, tags and merge keys are not read')
  return { key, rest: rest.trim() }
}
