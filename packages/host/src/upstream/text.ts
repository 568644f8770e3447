/**
 * Server text made safe to look at: what a person cannot see or what turns the line around is written out as ⟦U+202E⟧,
 * and reported. Definitions and instructions pass here before anybody reads them (`definition.ts`); results may, too.
 * Characters that scripts and emoji need in their place are left alone.
 */

import type { TextFinding } from './item.ts'

export interface Neutralised {
  readonly text: string
  /** What was made visible; empty for text that was plain. */
  readonly findings: readonly TextFinding[]
}

/** `part` names the place in the findings. */
export function neutralise(text: string, part = 'text'): Neutralised {
  if (!SUSPICIOUS.test(text)) return { text, findings: [] }
  const found = new Map<TextFinding['what'], Set<string>>()
  const visible = text.replace(SUSPICIOUS_ALL, (match, offset: number) => {
    if (isInPlace(match, text, offset)) return match
    const points = [...match].map((one) => one.codePointAt(0) ?? 0)
    for (const point of points) {
      const what = kindOf(point)
      const codes = found.get(what) ?? new Set()
      if (codes.size < MAX_CODES) codes.add(toCode(point))
      found.set(what, codes)
    }
    return show(points)
  })
  return { text: visible, findings: [...found].map(([what, codes]) => ({ part, what, codes: [...codes] })) }
}

/** Cuts text to a length, saying so. */
export function bounded(text: string, most: number): string {
  if (text.length <= most) return text
  // Half a surrogate pair is no character.
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? '') ? most - 1 : most
  return `${text.slice(0, end)}… (${text.length - end} more characters were cut)`
}

const MAX_CODES = 32

/*
 * Controls but tab and line ends (a lone carriage return overwrites the line on a terminal), separators, soft hyphens and
 * fillers, joiners and zero widths, direction marks, variation selectors, tags, and halves of surrogate pairs. Runs of
 * tags and of selectors are taken together: they spell.
 */
const CLASSES = String.raw`[\u{E0000}-\u{E007F}]+|[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]+|\r(?!\n)|[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}]|\p{Surrogate}`
const SUSPICIOUS = new RegExp(CLASSES, 'u')
const SUSPICIOUS_ALL = new RegExp(CLASSES, 'gu')

/** The flags of England, Scotland and Wales are spelled in tags. */
const FLAG_TAGS = new Set(
  ['gbeng', 'gbsct', 'gbwls'].map(
    (name) => `${String.fromCodePoint(...[...name].map((one) => 0xe0000 + one.charCodeAt(0)))}\u{E007F}`,
  ),
)

const BEFORE_JOINER =
  /(?:\u{FE0F}|[\u{1F3FB}-\u{1F3FF}]|[\p{Extended_Pictographic}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Khmer}\p{Script=Myanmar}])$/u
const AFTER_JOINER =
  /^[\p{Extended_Pictographic}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Whether a character does here what it is for. */
function isInPlace(match: string, text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 2), offset)
  if (match === '\u200C' || match === '\u200D') {
    const after = text.slice(offset + 1, offset + 3)
    return BEFORE_JOINER.test(before) && AFTER_JOINER.test(after)
  }
  // One selector after a character that has two looks; a second one spells something.
  if (match === '\uFE0F' || match === '\uFE0E') return /[\p{Emoji}\p{Extended_Pictographic}]$/u.test(before)
  return FLAG_TAGS.has(match) && before === '\u{1F3F4}'
}

function show(points: readonly number[]): string {
  const isTags = points.every((point) => point >= 0xe0020 && point < 0xe007f)
  if (isTags) return `⟦tags: ${String.fromCodePoint(...points.map((point) => point - 0xe0000))}⟧`
  if (points.length <= 8) return points.map((point) => `⟦${toCode(point)}⟧`).join('')
  const first = points.slice(0, 8).map(toCode).join(' ')
  return `⟦${first} and ${points.length - 8} more⟧`
}

function kindOf(point: number): TextFinding['what'] {
  if (point >= 0xe0000 && point <= 0xe007f) return 'tag'
  if (point === 0x1b || point === 0x9b || point === 0x9d || point === 0x90) return 'escape-sequence'
  if (point === 0x61c || point === 0x200e || point === 0x200f) return 'bidirectional'
  if ((point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069)) return 'bidirectional'
  const isControl = point < 0x20 || (point >= 0x7f && point <= 0x9f) || point === 0x2028 || point === 0x2029
  return isControl || (point >= 0xd800 && point <= 0xdfff) ? 'control' : 'invisible'
}

function toCode(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
}
