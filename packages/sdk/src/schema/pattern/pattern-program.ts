/**
 * Runs the tree of `pattern-syntax.ts` as a set of states that all advance together over the text, one code point at a
 * time (Thompson's construction). Only "does it occur" is asked, so there are no captures and no order among the
 * states, and the work is at most text length times program size, whatever the pattern.
 */

import type { Budget } from '../json-schema/json-schema-limits.ts'
import type { Assertion, CharSet, PatternNode } from './pattern-syntax.ts'

interface Program {
  readonly size: number
  test(text: string, budget?: Budget): boolean
}

/** Instructions as columns: `kind[pc]`, and by kind the set to test or the two places to go on from. */
interface Ops {
  readonly kind: number[]
  readonly first: number[]
  readonly second: number[]
  readonly sets: (CharTest | undefined)[]
}

type CharTest = (code: number) => boolean

const SET = 0
const SPLIT = 1
const MATCH = 2
/** Assertions follow: `ASSERT + index`. */
const ASSERT = 3
const ASSERTIONS: readonly Assertion[] = ['start', 'end', 'boundary', 'inside']

/** Undefined if the program would have more than `maxSize` instructions. */
export function compileProgram(root: PatternNode, maxSize: number): Program | undefined {
  const ops: Ops = { kind: [], first: [], second: [], sets: [] }
  const tests = new Map<CharSet, CharTest>()
  let visits = 0

  function push(kind: number, set?: CharTest): number {
    ops.first.push(ops.kind.length + 1)
    ops.second.push(ops.kind.length + 1)
    ops.sets.push(set)
    return ops.kind.push(kind) - 1
  }

  // Visits are counted rather than instructions, since an empty group repeated a billion times emits none. Each visit
  // emits at most three.
  function emit(node: PatternNode): void {
    if (++visits > maxSize) return
    if (node.kind === 'set') {
      const test = tests.get(node) ?? toTest(node)
      tests.set(node, test)
      push(SET, test)
    } else if (node.kind === 'assert') push(ASSERT + ASSERTIONS.indexOf(node.at))
    else if (node.kind === 'sequence') for (const part of node.parts) emit(part)
    else if (node.kind === 'choice') emitChoice(node.options)
    else emitRepeat(node.body, node.min, node.max)
  }

  function emitChoice(options: readonly PatternNode[]): void {
    const exits: number[] = []
    for (const option of options.slice(0, -1)) {
      const fork = push(SPLIT)
      emit(option)
      exits.push(push(SPLIT))
      ops.second[fork] = ops.kind.length
    }
    emit(options.at(-1)!)
    for (const exit of exits) ops.first[exit] = ops.second[exit] = ops.kind.length
  }

  function emitRepeat(body: PatternNode, min: number, max: number): void {
    for (let i = 0; i < min && visits <= maxSize; i++) emit(body)
    const forks: number[] = []
    const isEndless = max === Infinity
    for (let i = min; i < (isEndless ? min + 1 : max) && visits <= maxSize; i++) {
      forks.push(push(SPLIT))
      emit(body)
    }
    if (isEndless) {
      const back = push(SPLIT)
      ops.first[back] = ops.second[back] = forks[0]!
    }
    for (const fork of forks) ops.second[fork] = ops.kind.length
  }

  emit(root)
  push(MATCH)
  if (visits > maxSize) return undefined
  const machine = new Machine(ops, isAnchored(root))
  return { size: visits, test: (text, budget) => machine.run(text, budget) }
}

/** Whether every match begins at the start of the text, so that later starts need not be tried. */
export function isAnchored(node: PatternNode): boolean {
  if (node.kind === 'assert') return node.at === 'start'
  if (node.kind === 'sequence') return node.parts[0] !== undefined && isAnchored(node.parts[0])
  if (node.kind === 'choice') return node.options.every(isAnchored)
  return node.kind === 'repeat' && node.min > 0 && isAnchored(node.body)
}

/** Keeps its working memory from one run to the next; a run is synchronous and calls nothing that could run it again. */
class Machine {
  readonly #ops: Ops
  readonly #anchored: boolean
  readonly #stack: number[] = []
  #current: Int32Array
  #next: Int32Array
  /** How many states `#next` holds. */
  #count = 0
  /** The step in which a state was added last, so that nothing needs clearing between steps. */
  readonly #seen: Float64Array
  #step = 0
  #work = 0

  constructor(ops: Ops, anchored: boolean) {
    this.#ops = ops
    this.#anchored = anchored
    this.#seen = new Float64Array(ops.kind.length)
    this.#current = new Int32Array(ops.kind.length)
    this.#next = new Int32Array(ops.kind.length)
  }

  run(text: string, budget: Budget | undefined): boolean {
    const sets = this.#ops.sets
    const anchored = this.#anchored
    this.#begin()
    this.#stack.length = 0
    if (this.#add(0, text, 0)) return true
    for (let at = 0; at < text.length; ) {
      const count = this.#count
      if (count === 0 && anchored) return false
      const code = text.codePointAt(at)!
      at += code > 0xffff ? 2 : 1
      this.#begin()
      const current = this.#current
      for (let i = 0; i < count; i++) {
        const pc = current[i]!
        if (sets[pc]!(code) && this.#add(pc + 1, text, at)) return true
      }
      if (!anchored && this.#add(0, text, at)) return true
      budget?.spend(this.#work + count + 1)
      this.#work = 0
    }
    return false
  }

  /** What was next is current now, and next is empty. */
  #begin(): void {
    const spare = this.#current
    this.#current = this.#next
    this.#next = spare
    this.#count = 0
    this.#step++
  }

  /** Adds a state and all that follow from it without reading on; true when the end of the pattern is among them. */
  #add(start: number, text: string, at: number): boolean {
    const { kind, first, second } = this.#ops
    const seen = this.#seen
    const stack = this.#stack
    const step = this.#step
    let pc: number | undefined = start
    for (; pc !== undefined; pc = stack.pop()) {
      if (seen[pc] === step) continue
      seen[pc] = step
      this.#work++
      const op = kind[pc]!
      if (op === SET) this.#next[this.#count++] = pc
      else if (op === SPLIT) stack.push(first[pc]!, second[pc]!)
      else if (op === MATCH) return true
      else if (holds(ASSERTIONS[op - ASSERT]!, text, at)) stack.push(pc + 1)
    }
    return false
  }
}

function holds(assertion: Assertion, text: string, at: number): boolean {
  if (assertion === 'start') return at === 0
  if (assertion === 'end') return at === text.length
  return (isWordAt(text, at - 1) !== isWordAt(text, at)) === (assertion === 'boundary')
}

function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at) // NaN outside of the text, which is no word
  return (
    (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f
  )
}

function toTest({ ranges, tests, negated }: CharSet): CharTest {
  const [from, to] = ranges
  if (ranges.length === 2 && tests.length === 0) return (code) => (code >= from! && code <= to!) !== negated
  const search = (code: number): boolean => {
    // Binary search for the last range that starts at or before the code.
    let low = 0
    let high = ranges.length / 2
    while (low < high) {
      const middle = (low + high) >> 1
      if (ranges[2 * middle]! <= code) low = middle + 1
      else high = middle
    }
    let inside = low > 0 && code <= ranges[2 * low - 1]!
    for (let i = 0; !inside && i < tests.length; i++) inside = tests[i]!.test(String.fromCodePoint(code))
    return inside !== negated
  }
  const ascii = new Uint8Array(128).map((_, code) => Number(search(code)))
  return (code) => (code < 128 ? ascii[code] === 1 : search(code))
}
