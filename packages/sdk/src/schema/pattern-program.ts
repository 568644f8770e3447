/**
 * Runs the tree of `pattern-syntax.ts` as a set of states that all advance together over the text, one code point at a
 * time (Thompson's construction). Only "does it occur" is asked, so there are no captures and no order among the
 * states, and the work is at most text length times program size, whatever the pattern.
 */

import { PorticoError } from '../jsonrpc/errors.ts'
import type { Budget } from './json-schema-limits.ts'
import type { Assertion, CharSet, PatternNode } from './pattern-syntax.ts'

export interface Program {
  test(text: string, budget?: Budget): boolean
}

type Op =
  | { readonly op: 'set'; readonly accepts: (code: number) => boolean }
  | { readonly op: 'assert'; readonly at: Assertion }
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'match' }

export function compileProgram(root: PatternNode, maxSize: number): Program {
  const ops: Op[] = []
  const sets = new Map<CharSet, (code: number) => boolean>()
  let visits = 0

  // Visits are counted as well as instructions, since an empty group repeated a billion times emits nothing.
  function emit(node: PatternNode): void {
    if (++visits > maxSize || ops.length > maxSize) {
      throw new PorticoError('limit-exceeded', `a pattern needs more than ${maxSize} instructions (maxPatternSize)`)
    }
    if (node.kind === 'set') {
      let accepts = sets.get(node)
      if (accepts === undefined) sets.set(node, (accepts = toTest(node)))
      ops.push({ op: 'set', accepts })
    } else if (node.kind === 'assert') ops.push({ op: 'assert', at: node.at })
    else if (node.kind === 'sequence') for (const part of node.parts) emit(part)
    else if (node.kind === 'choice') emitChoice(node.options)
    else emitRepeat(node.body, node.min, node.max)
  }

  function emitChoice(options: readonly PatternNode[]): void {
    const exits: { first: number; second: number }[] = []
    options.forEach((option, index) => {
      if (index === options.length - 1) return emit(option)
      const fork = split()
      emit(option)
      exits.push(split())
      fork.second = ops.length
    })
    for (const exit of exits) exit.first = exit.second = ops.length
  }

  function emitRepeat(body: PatternNode, min: number, max: number): void {
    for (let i = 0; i < min; i++) emit(body)
    if (max === Number.POSITIVE_INFINITY) {
      const start = ops.length
      const fork = split()
      emit(body)
      const back = split()
      back.first = back.second = start
      fork.second = ops.length
      return
    }
    const forks: { second: number }[] = []
    for (let i = min; i < max; i++) {
      forks.push(split())
      emit(body)
    }
    for (const fork of forks) fork.second = ops.length
  }

  function split(): { first: number; second: number } {
    const fork = { op: 'split' as const, first: ops.length + 1, second: ops.length + 1 }
    ops.push(fork)
    return fork
  }

  emit(root)
  ops.push({ op: 'match' })
  return { test: (text, budget) => run(ops, isAnchored(root), text, budget) }
}

/** Whether every match begins at the start of the text, so that later starts need not be tried. */
export function isAnchored(node: PatternNode): boolean {
  if (node.kind === 'assert') return node.at === 'start'
  if (node.kind === 'sequence') return node.parts[0] !== undefined && isAnchored(node.parts[0])
  if (node.kind === 'choice') return node.options.every(isAnchored)
  return node.kind === 'repeat' && node.min > 0 && isAnchored(node.body)
}

function run(ops: readonly Op[], anchored: boolean, text: string, budget: Budget | undefined): boolean {
  // `seen[pc]` holds the step in which a state was added last, so that nothing needs clearing between steps.
  const seen = new Uint32Array(ops.length)
  const stack: number[] = []
  let current: number[] = []
  let next: number[] = []
  let step = 0
  let work = ops.length >> 4

  function add(list: number[], start: number, at: number): boolean {
    stack.push(start)
    while (stack.length > 0) {
      const pc = stack.pop()!
      work++
      if (seen[pc] === step) continue
      seen[pc] = step
      const op = ops[pc]!
      if (op.op === 'match') return true
      if (op.op === 'set') list.push(pc)
      else if (op.op === 'split') stack.push(op.first, op.second)
      else if (holds(op.at, text, at)) stack.push(pc + 1)
    }
    return false
  }

  step = 1
  if (add(current, 0, 0)) return true
  for (let at = 0; at < text.length; ) {
    if (current.length === 0 && anchored) return false
    const code = text.codePointAt(at)!
    at += code > 0xffff ? 2 : 1
    step++
    budget?.spend(work + current.length + 1)
    work = 0
    for (let i = 0; i < current.length; i++) {
      const op = ops[current[i]!] as { accepts: (code: number) => boolean } // only sets are listed
      if (op.accepts(code) && add(next, current[i]! + 1, at)) return true
    }
    if (!anchored && add(next, 0, at)) return true
    const spare = current
    current = next
    next = spare
    next.length = 0
  }
  return false
}

function holds(assertion: Assertion, text: string, at: number): boolean {
  if (assertion === 'start') return at === 0
  if (assertion === 'end') return at === text.length
  return (isWordAt(text, at - 1) !== isWordAt(text, at)) === (assertion === 'boundary')
}

function isWordAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at) // NaN outside of the text, which is no word
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f
}

function toTest({ ranges, tests, negated }: CharSet): (code: number) => boolean {
  if (ranges.length === 2 && tests.length === 0) {
    const from = ranges[0]!
    const to = ranges[1]!
    return (code) => (code >= from && code <= to) !== negated
  }
  return (code) => {
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
}
