/**
 * Reads a regular expression in the `u` syntax of ECMA-262 into a small tree that `pattern-program.ts` turns into
 * instructions. The source has passed the native parser before it comes here, so this reader only has to understand
 * what is valid; what cannot be matched in linear time it reports as `NonLinear`.
 */

import { PorticoError } from '../../jsonrpc/errors.ts'

/** Code points as sorted, disjoint, inclusive ranges: `[from, to, from, to, …]`. */
type Ranges = readonly number[]

/** One code point: inside `ranges`, or accepted by one of `tests` (`\p{…}` by the native engine), then negated or not. */
export interface CharSet {
  readonly kind: 'set'
  readonly ranges: Ranges
  readonly tests: readonly RegExp[]
  readonly negated: boolean
}

export type PatternNode =
  | CharSet
  | { readonly kind: 'assert'; readonly at: Assertion }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number }

export type Assertion = 'start' | 'end' | 'boundary' | 'inside'

/** The construct that a linear-time engine cannot offer, in words: "a lookahead". */
export class NonLinear {
  readonly construct: string

  constructor(construct: string) {
    this.construct = construct
  }
}

/** Groups deeper than this are refused, since reading them uses the stack. */
const MAX_GROUP_DEPTH = 200
const MAX_CODE_POINT = 0x10ffff

export function parsePattern(source: string): PatternNode {
  const reader = new Reader(source)
  return reader.choice(0)
}

class Reader {
  readonly #source: string
  #at = 0

  constructor(source: string) {
    this.#source = source
  }

  choice(depth: number): PatternNode {
    if (depth > MAX_GROUP_DEPTH) {
      throw new PorticoError('limit-exceeded', `a pattern nests groups deeper than ${MAX_GROUP_DEPTH}`)
    }
    const options = [this.#sequence(depth)]
    while (this.#take('|')) options.push(this.#sequence(depth))
    return options.length === 1 ? options[0]! : { kind: 'choice', options }
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = []
    while (this.#at < this.#source.length && this.#peek() !== '|' && this.#peek() !== ')') {
      parts.push(this.#quantified(this.#atom(depth)))
    }
    return { kind: 'sequence', parts }
  }

  #atom(depth: number): PatternNode {
    const char = this.#next()
    if (char === '^') return { kind: 'assert', at: 'start' }
    if (char === '$') return { kind: 'assert', at: 'end' }
    if (char === '.') return set([0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029], true)
    if (char === '[') return this.#class()
    if (char === '(') return this.#group(depth)
    if (char !== '\\') return single(char.codePointAt(0)!)
    const escaped = this.#peek()
    if (escaped === 'b' || escaped === 'B') {
      this.#at++
      return { kind: 'assert', at: escaped === 'b' ? 'boundary' : 'inside' }
    }
    if ((escaped >= '1' && escaped <= '9') || escaped === 'k') throw new NonLinear('a backreference')
    const item = this.#escape()
    return typeof item === 'number' ? single(item) : item
  }

  #group(depth: number): PatternNode {
    if (this.#take('?')) {
      if (this.#take('=') || this.#take('!')) throw new NonLinear('a lookahead')
      if (this.#take('<')) {
        if (this.#take('=') || this.#take('!')) throw new NonLinear('a lookbehind')
        this.#through('>')
      } else if (!this.#take(':')) throw new NonLinear('a group modifier')
    }
    const body = this.choice(depth + 1)
    this.#take(')')
    return body
  }

  #quantified(body: PatternNode): PatternNode {
    let min = 0
    let max = Infinity
    if (this.#take('+')) min = 1
    else if (this.#take('?')) max = 1
    else if (this.#take('{')) {
      const [from, to] = this.#through('}').split(',')
      min = Number(from)
      max = to === undefined ? min : to === '' ? max : Number(to)
    } else if (!this.#take('*')) return body
    this.#take('?') // lazy or greedy: the same strings match
    return { kind: 'repeat', body, min, max }
  }

  #class(): CharSet {
    const negated = this.#take('^')
    const ranges: number[] = []
    const tests: RegExp[] = []
    while (!this.#take(']')) {
      const item = this.#classItem()
      if (typeof item !== 'number') {
        ranges.push(...item.ranges)
        tests.push(...item.tests)
      } else if (this.#peek() === '-' && this.#source[this.#at + 1] !== ']') {
        this.#at++
        // The native parser has refused a range that ends in a class such as \d.
        ranges.push(item, this.#classItem() as number)
      } else ranges.push(item, item)
    }
    return { kind: 'set', ranges: merged(ranges), tests, negated }
  }

  #classItem(): number | CharSet {
    const char = this.#next()
    if (char !== '\\') return char.codePointAt(0)!
    if (this.#take('b')) return 0x08
    return this.#escape()
  }

  #escape(): number | CharSet {
    const char = this.#next()
    const known = ESCAPES.get(char)
    if (known !== undefined) return known
    if (char === 'c') return this.#next().charCodeAt(0) % 32
    if (char === 'x') return this.#hex(2)
    if (char === 'u') return this.#unicode()
    if (char === 'p' || char === 'P') {
      return {
        kind: 'set',
        ranges: [],
        tests: [new RegExp(`^\\${char}${this.#through('}')}}$`, 'u')],
        negated: false,
      }
    }
    return char.codePointAt(0)!
  }

  #unicode(): number {
    if (this.#take('{')) return Number.parseInt(this.#through('}'), 16)
    const high = this.#hex(4)
    if (high < 0xd800 || high > 0xdbff || !this.#source.startsWith('\\u', this.#at)) return high
    const low = Number.parseInt(this.#source.slice(this.#at + 2, this.#at + 6), 16)
    if (!(low >= 0xdc00 && low <= 0xdfff)) return high
    this.#at += 6
    return (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000
  }

  #hex(digits: number): number {
    this.#at += digits
    return Number.parseInt(this.#source.slice(this.#at - digits, this.#at), 16)
  }

  #through(end: string): string {
    const from = this.#at
    const stop = this.#source.indexOf(end, from)
    this.#at = stop + 1
    return this.#source.slice(from, stop)
  }

  #peek(): string {
    return this.#source[this.#at] ?? ''
  }

  #next(): string {
    const char = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0)
    this.#at += char.length
    return char
  }

  #take(char: string): boolean {
    if (this.#source[this.#at] !== char) return false
    this.#at++
    return true
  }
}

function single(code: number): CharSet {
  return set([code, code], false)
}

function set(ranges: Ranges, negated: boolean): CharSet {
  return { kind: 'set', ranges, tests: [], negated }
}

function merged(ranges: number[]): number[] {
  const pairs: [number, number][] = []
  for (let i = 0; i < ranges.length; i += 2) pairs.push([ranges[i]!, ranges[i + 1]!])
  pairs.sort((a, b) => a[0] - b[0])
  const out: number[] = []
  for (const [from, to] of pairs) {
    if (out.length > 0 && from <= out[out.length - 1]! + 1) out[out.length - 1] = Math.max(out[out.length - 1]!, to)
    else out.push(from, to)
  }
  return out
}

/** The code points outside of `ranges`. */
export function complement(ranges: Ranges): number[] {
  const out: number[] = []
  let next = 0
  for (let i = 0; i < ranges.length; i += 2) {
    if (ranges[i]! > next) out.push(next, ranges[i]! - 1)
    next = ranges[i + 1]! + 1
  }
  if (next <= MAX_CODE_POINT) out.push(next, MAX_CODE_POINT)
  return out
}

const DIGIT = [0x30, 0x39]
const WORD = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]
const SPACE = [0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029].concat([
  0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff,
])

const ESCAPES = new Map<string, number | CharSet>([
  ['d', set(DIGIT, false)],
  ['D', set(complement(DIGIT), false)],
  ['w', set(WORD, false)],
  ['W', set(complement(WORD), false)],
  ['s', set(SPACE, false)],
  ['S', set(complement(SPACE), false)],
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
  ['0', 0],
])
