/**
 * What changed between two definitions, for people: one entry for each text or value that differs, with the words that
 * went and came marked. Used by the pins (`pins.ts`) and by lock files (`lock.ts`).
 */

import type { JsonObject } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import { DEFINITION_LIMITS } from '../catalogue/definition.ts'
import type { Quarantine } from '../catalogue/item.ts'
import { bounded, neutralise } from '../catalogue/text.ts'

/** One part of a definition that changed, with its old and its new words. */
export type PartDifference = Quarantine['difference'][number]

/** Words of a text that stayed the same, were removed, or were added. */
export interface WordRun {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
}

/**
 * Compares two definitions and says what differs, one entry for each text or value: parts in the order of the new
 * definition, then those that are gone. Removed words read `[-so-]`, new ones `{+so+}`.
 *
 * @example
 * ```ts
 * import { differenceOf } from '@portico/host/upstream'
 *
 * differenceOf({ description: 'Reads a file' }, { description: 'Sends a file' })
 * // [{ part: 'description', before: '[-Reads -]a file', after: '{+Sends +}a file' }]
 * ```
 */
export function differenceOf(before: JsonObject, after: JsonObject): PartDifference[] {
  const old = leavesOf(before)
  const now = leavesOf(after)
  const parts = [...new Set([...now.keys(), ...old.keys()])].filter((part) => old.get(part) !== now.get(part))
  return parts.map((part) => comparePart(part, old.get(part), now.get(part)))
}

/**
 * Compares two texts word by word and returns them as runs of words that stayed, went or came.
 *
 * @example
 * ```ts
 * import { wordDifference } from '@portico/host/upstream'
 *
 * wordDifference('Reads a file', 'Sends a file')
 * // [{ kind: 'removed', text: 'Reads ' }, { kind: 'added', text: 'Sends ' }, { kind: 'same', text: 'a file' }]
 * ```
 */
export function wordDifference(before: string, after: string): WordRun[] {
  const [a, b] = [wordsOf(before), wordsOf(after)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  const runs: WordRun[] = []
  add(runs, 'same', a.slice(0, start))
  between(runs, a.slice(start, a.length - end), b.slice(start, b.length - end))
  add(runs, 'same', a.slice(a.length - end))
  return runs
}

/** The longest text of a definition that a model is ever given (`definition.ts`): whoever decides sees as much. */
const MAX_TEXT = DEFINITION_LIMITS.maxDescription
/** The table of a longest common sequence grows with the product of both lengths. */
const MAX_CELLS = 250_000
/** Deeper than any schema that the catalogue takes. */
const MAX_DEPTH = 64

function comparePart(part: string, before: string | undefined, after: string | undefined): PartDifference {
  const name = neutralise(bounded(part, 200)).text
  const [old, now] = [before ?? '', after ?? ''].map((text) => neutralise(bounded(text, MAX_TEXT)).text) as [
    string,
    string,
  ]
  if (before === undefined || after === undefined) return { part: name, before: old, after: now }
  const runs = wordDifference(old, now)
  const isNew = runs.every(({ kind, text }) => kind !== 'same' || text.trim() === '')
  if (isNew) return { part: name, before: old, after: now }
  const write = (left: WordRun['kind'], mark: (text: string) => string) =>
    runs.flatMap(({ kind, text }) => (kind === 'same' ? [text] : kind === left ? [mark(text)] : [])).join('')
  return {
    part: name,
    before: write('removed', (text) => `[-${text}-]`),
    after: write('added', (text) => `{+${text}+}`),
  }
}

/** Every scalar by its path; objects and lists that are empty count as one. */
function leavesOf(value: JsonObject): Map<string, string> {
  const leaves = new Map<string, string>()
  const visit = (path: string, one: unknown, depth: number): void => {
    const isNested = (isObject(one) || Array.isArray(one)) && depth < MAX_DEPTH
    const entries = isNested ? Object.entries(one) : []
    if (entries.length === 0) leaves.set(path, typeof one === 'string' ? one : (JSON.stringify(one) ?? ''))
    for (const [key, inner] of entries) visit(path === '' ? key : `${path}.${key}`, inner, depth + 1)
  }
  visit('', value, 0)
  return leaves
}

/** Words with the space after them, so that joining gives the text back. */
function wordsOf(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? []
}

function add(runs: WordRun[], kind: WordRun['kind'], words: readonly string[]): void {
  if (words.length === 0) return
  const text = words.join('')
  const last = runs.at(-1)
  if (last?.kind === kind) runs[runs.length - 1] = { kind, text: last.text + text }
  else runs.push({ kind, text })
}

/** Longest common sequence of words, where the table stays small; otherwise all went and all came. */
function between(runs: WordRun[], a: readonly string[], b: readonly string[]): void {
  if (a.length * b.length > MAX_CELLS || a.length === 0 || b.length === 0) {
    add(runs, 'removed', a)
    add(runs, 'added', b)
    return
  }
  const width = b.length + 1
  const longest = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number) => longest[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(runs, 'same', [a[i++] ?? ''])
      j++
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) add(runs, 'removed', [a[i++] ?? ''])
    else add(runs, 'added', [b[j++] ?? ''])
  }
}
