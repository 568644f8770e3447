/**
 * Regular expressions for `pattern` and `patternProperties`, safe on hostile patterns and texts: matched in linear time
 * by the state-set engine of `pattern-program.ts`, or by the native engine where the pattern plainly cannot backtrack.
 */

import { invalidDefinition, PorticoError } from '../../jsonrpc/errors.ts'
import { type Budget, SCHEMA_LIMITS } from '../json-schema/json-schema-limits.ts'
import { quotePattern, toNative } from './pattern-native.ts'
import { compileProgram, isAnchored } from './pattern-program.ts'
import { type CharSet, complement, NonLinear, type PatternNode, parsePattern } from './pattern-syntax.ts'

export interface Pattern {
  readonly source: string
  /** What it takes of `maxPatternSize`. */
  readonly size: number
  test(text: string, budget?: Budget): boolean
}

interface PatternOptions {
  readonly maxPatternSize?: number
  /** How much of that other patterns have taken already. */
  readonly used?: number
  /** Lets lookaround and backreferences through to the native engine. For patterns of your own only. */
  readonly trusted?: boolean
}

export function compilePattern(source: string, options: PatternOptions = {}): Pattern {
  const maxSize = options.maxPatternSize ?? SCHEMA_LIMITS.maxPatternSize
  const left = maxSize - (options.used ?? 0)
  const tooBig = `the patterns of a schema need more than ${maxSize} instructions (maxPatternSize)`
  if (source.length > left) throw new PorticoError('limit-exceeded', tooBig)
  const native = toNative(source)
  let tree: PatternNode
  try {
    tree = parsePattern(native.source)
  } catch (error) {
    if (!(error instanceof NonLinear)) throw error
    if (options.trusted === true) return fromNative(source, native)
    const reason = `uses ${error.construct}, which cannot be matched in linear time`
    throw invalidDefinition(`the pattern ${quotePattern(source)} ${reason}`)
  }
  if (cannotBacktrack(tree)) return fromNative(source, native)
  const program = compileProgram(tree, left)
  if (program === undefined) throw new PorticoError('limit-exceeded', tooBig)
  return { source, size: program.size, test: program.test }
}

function fromNative(source: string, native: RegExp): Pattern {
  return {
    source,
    size: source.length,
    test(text, budget) {
      budget?.spend(1 + (text.length >> 4))
      return native.test(text)
    },
  }
}

/** The most that an unanchored pattern may read from one starting point and still go to the native engine. */
const SHORT = 100
/** Patterns with more bounded repetition than this stay with our engine: the native one unrolls them. */
const MOST_UNROLLED = 1_000

/**
 * True for a plain row of characters and classes in which each repeated class is disjoint from whatever may follow it:
 * there is then one way to read any text, and giving characters back fails at once. Anything else is not looked into.
 */
function cannotBacktrack(tree: PatternNode): boolean {
  if (tree.kind !== 'sequence' || tree.parts.length > SHORT) return false
  let unrolled = 0
  let unbounded = false
  const parts: { set: CharSet; min: number; max: number }[] = []
  for (const [index, part] of tree.parts.entries()) {
    if (part.kind === 'assert') {
      const outermost = (part.at === 'start' && index === 0) || (part.at === 'end' && index === tree.parts.length - 1)
      if (!outermost) return false
      continue
    }
    const repeat = part.kind === 'repeat' ? part : { body: part, min: 1, max: 1 }
    if (repeat.body.kind !== 'set') return false
    parts.push({ set: repeat.body, min: repeat.min, max: repeat.max })
    unbounded ||= repeat.max === Infinity
    unrolled += repeat.max === Infinity ? repeat.min : repeat.max
  }
  if (unrolled > MOST_UNROLLED || (!isAnchored(tree) && (unbounded || unrolled > SHORT))) return false
  return parts.every((part, index) => {
    if (part.min === part.max) return true
    for (const later of parts.slice(index + 1)) {
      if (!areDisjoint(part.set, later.set)) return false
      if (later.min > 0) return true
    }
    return true
  })
}

function areDisjoint(a: CharSet, b: CharSet): boolean {
  if (a.tests.length > 0 || b.tests.length > 0) return false
  const left = a.negated ? complement(a.ranges) : a.ranges
  const right = b.negated ? complement(b.ranges) : b.ranges
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    if (left[i + 1]! < right[j]!) i += 2
    else if (right[j + 1]! < left[i]!) j += 2
    else return false
  }
  return true
}
