/**
 * What changed between two definitions, for people: one entry for each text or value that differs, with the words that
 * went and came marked. Used by the pins (`pins.ts`) and by lock files (`lock.ts`).
 */

import type { JsonObject } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import { differenceOf as differenceOfParts } from '@portico/sdk/internal-text'
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
  return differenceOfParts(wordsOf(before), wordsOf(after)).map(({ kind, parts }) => ({ kind, text: parts.join('') }))
}

/** The longest text of a definition that a model is ever given (`definition.ts`): whoever decides sees as much. */
const MAX_TEXT = DEFINITION_LIMITS.maxDescription
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
