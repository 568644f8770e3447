/**
 * Server text made safe to look at: what a person cannot see or what turns the line around is written out as ⟦U+202E⟧,
 * and reported. Definitions and instructions pass here before anybody reads them (`definition.ts`); results may, too.
 * Characters that scripts and emoji need in their place are left alone. The table is `config/command/hidden-characters.ts`.
 */

import { replaceHidden, toCode, toCodes } from '@portico/sdk/internal-text'
import { mixedScripts } from '@portico/sdk/lint'
import type { TextFinding } from './item.ts'

/** Text with its hidden characters written out, and what they were. */
export interface Neutralised {
  readonly text: string
  /** What was made visible; empty for text that was plain. */
  readonly findings: readonly TextFinding[]
}

/**
 * Makes a server's text safe to look at: characters that a person cannot see, or that turn the line around, are written
 * out as `⟦U+202E⟧` and reported. `part` says in the findings where the text is from.
 *
 * @example
 * ```ts
 * import { neutralise } from '@portico/host/upstream'
 *
 * neutralise('Read\u200b this', 'description')
 * // { text: 'Read⟦U+200B⟧ this', findings: [{ part: 'description', what: 'invisible', codes: ['U+200B'] }] }
 * ```
 */
export function neutralise(text: string, part = 'text'): Neutralised {
  const found = new Map<TextFinding['what'], Set<string>>()
  const visible = replaceHidden(text, (hidden) => {
    for (const one of hidden) {
      const point = one.codePointAt(0) ?? 0
      const what = kindOf(point)
      const codes = found.get(what) ?? new Set()
      if (codes.size < MAX_CODES) codes.add(toCode(point))
      found.set(what, codes)
    }
    return toCodes(hidden)
  })
  return { text: visible, findings: [...found].map(([what, codes]) => ({ part, what, codes: [...codes] })) }
}

/** Letters of a name that look like others, so that it can be taken for another name. */
export function inspectName(name: string, part = 'name'): readonly TextFinding[] {
  const letters = mixedScripts(name)?.letters ?? []
  if (letters.length === 0) return []
  const codes = letters.slice(0, MAX_CODES).map((letter) => toCode(letter.codePointAt(0) ?? 0))
  return [{ part, what: 'mixed-scripts', codes }]
}

/**
 * Cuts text to at most `most` characters and says at its end how many were cut.
 *
 * @example
 * ```ts
 * import { bounded } from '@portico/host/upstream'
 *
 * bounded('A long description', 6) // 'A long… (12 more characters were cut)'
 * ```
 */
export function bounded(text: string, most: number): string {
  if (text.length <= most) return text
  // Half a surrogate pair is no character.
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most
  return `${text.slice(0, end)}… (${text.length - end} more characters were cut)`
}

const MAX_CODES = 32

function kindOf(point: number): TextFinding['what'] {
  if (point >= 0xe0000 && point <= 0xe007f) return 'tag'
  if (point === 0x1b || point === 0x9b || point === 0x9d || point === 0x90) return 'escape-sequence'
  if (point === 0x61c || point === 0x200e || point === 0x200f) return 'bidirectional'
  if ((point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069)) return 'bidirectional'
  const isControl = point < 0x20 || (point >= 0x7f && point <= 0x9f) || point === 0x2028 || point === 0x2029
  return isControl || (point >= 0xd800 && point <= 0xdfff) ? 'control' : 'invisible'
}
