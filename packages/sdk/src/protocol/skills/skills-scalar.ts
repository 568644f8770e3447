/** The values of `skills-frontmatter.ts`: quoted and plain scalars by YAML's core schema, and flow lists and mappings. */

export class YamlFault extends Error {
  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`)
    this.name = 'YamlFault'
  }
}

/** Reads the one value that `text` is, a comment after it included. */
export function readScalar(text: string, line: number): unknown {
  const reader = new FlowReader(text, line)
  const value = reader.value(false, 0)
  reader.end()
  return value
}

const MAX_DEPTH = 32
const ESCAPES: { readonly [letter: string]: string } = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
}

class FlowReader {
  readonly #text: string
  readonly #line: number
  #at = 0

  constructor(text: string, line: number) {
    this.#text = text
    this.#line = line
  }

  value(inFlow: boolean, depth: number): unknown {
    if (depth > MAX_DEPTH) throw this.#fault('it is nested too deeply')
    const char = this.#text[this.#at]
    if (char === '"') return this.#double()
    if (char === "'") return this.#single()
    if (char === '[') return this.#list(depth)
    if (char === '{') return this.#mapping(depth)
    if (char !== undefined && '&*!|>%@`'.includes(char)) throw this.#fault('anchors, tags and the like are not read')
    return toPlainValue(this.#plain(inFlow))
  }

  /** Nothing but a comment may follow. */
  end(): void {
    if (/^\s*(?:\s#.*)?$/.test(this.#text.slice(this.#at))) return
    throw this.#fault('there is something after the value')
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = []
    this.#at++
    for (;;) {
      this.#skip()
      if (this.#take(']')) return items
      items.push(this.value(true, depth + 1))
      this.#skip()
      if (this.#take(']')) return items
      if (!this.#take(',')) throw this.#fault('a list lacks its "]"')
    }
  }

  #mapping(depth: number): object {
    const entries = new Map<string, unknown>()
    this.#at++
    for (;;) {
      this.#skip()
      if (this.#take('}')) return Object.fromEntries(entries)
      const start = this.#text[this.#at]
      const key = start === '"' ? this.#double() : start === "'" ? this.#single() : this.#plain(true, true)
      this.#skip()
      if (!this.#take(':')) throw this.#fault('a key lacks its ":"')
      this.#skip()
      if (entries.has(key)) throw this.#fault(`"${key}" is there twice`)
      entries.set(key, this.value(true, depth + 1))
      this.#skip()
      if (this.#take('}')) return Object.fromEntries(entries)
      if (!this.#take(',')) throw this.#fault('a mapping lacks its "}"')
    }
  }

  #plain(inFlow: boolean, isKey = false): string {
    const start = this.#at
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at] ?? ''
      const next = this.#text[this.#at + 1]
      if (inFlow && ',[]{}'.includes(char)) break
      if (char === '#' && this.#at > start && /\s/.test(this.#text[this.#at - 1] ?? '')) break
      if (char === ':' && (next === undefined || /\s/.test(next))) {
        if (isKey) break
        throw this.#fault('a plain value may not hold ": "; put it in quotes')
      }
    }
    const text = this.#text.slice(start, this.#at).trim()
    // What follows the text (a comment, a bracket) is looked at by the caller.
    this.#at = start + this.#text.slice(start, this.#at).trimEnd().length
    return text
  }

  #double(): string {
    let value = ''
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at] ?? ''
      if (char === '"') {
        this.#at++
        return value
      }
      value += char === '\\' ? this.#escape() : char
    }
    throw this.#fault('a quote is not closed')
  }

  #escape(): string {
    const letter = this.#text[++this.#at] ?? ''
    const plain = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined
    if (plain !== undefined) return plain
    const length = letter === 'x' ? 2 : letter === 'u' ? 4 : letter === 'U' ? 8 : 0
    const digits = this.#text.slice(this.#at + 1, this.#at + 1 + length)
    const point = Number.parseInt(digits, 16)
    if (length === 0 || !/^[0-9a-f]+$/i.test(digits) || digits.length !== length || point > 0x10ffff) {
      throw this.#fault('an escape is not known')
    }
    this.#at += length
    return String.fromCodePoint(point)
  }

  #single(): string {
    let value = ''
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at] ?? ''
      if (char === "'" && this.#text[this.#at + 1] !== "'") {
        this.#at++
        return value
      }
      if (char === "'") this.#at++
      value += char
    }
    throw this.#fault('a quote is not closed')
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at++
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }

  #fault(reason: string): YamlFault {
    return new YamlFault(this.#line, reason)
  }
}

/** YAML 1.2, core schema: only these plain words are not strings. */
function toPlainValue(text: string): unknown {
  if (text === '' || /^(?:~|null|Null|NULL)$/.test(text)) return null
  if (/^(?:true|True|TRUE)$/.test(text)) return true
  if (/^(?:false|False|FALSE)$/.test(text)) return false
  if (/^[-+]?\d+$/.test(text)) return Number(text)
  if (/^0o[0-7]+$/.test(text)) return Number.parseInt(text.slice(2), 8)
  if (/^0x[0-9a-fA-F]+$/.test(text)) return Number.parseInt(text.slice(2), 16)
  if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(text)) return Number(text)
  return text
}
