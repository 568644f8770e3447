/** Places in files as people and models name them (lines and columns from 1), and as the protocol has them (from 0). */

import { ToolError } from '@portico/sdk/server'
import { toExcerpt } from '../text/cut.ts'
import { spellHidden } from '../text/plain-text.ts'
import { toObject } from '../vendor/values.ts'

interface Position {
  readonly line: number
  readonly character: number
}

interface Range {
  readonly start: Position
  readonly end: Position
}

/** The place that is meant: by its column, or by a word in its line, which models name better than they count. */
export function toPosition(
  text: string,
  line: number,
  { column, word }: { column?: number | undefined; word?: string | undefined },
): Position {
  const content = toLines(text)[line - 1]
  if (content === undefined) throw new ToolError(`The file has no line ${line}.`)
  if (word !== undefined) {
    const character = content.indexOf(word)
    if (character < 0)
      throw new ToolError(
        `Line ${line} does not contain "${spellHidden(word)}": ${spellHidden(toExcerpt(content.trim(), 200))}`,
      )
    return { line: line - 1, character }
  }
  return { line: line - 1, character: Math.min((column ?? 1) - 1, content.length) }
}

/** A range out of an answer, whose shape nobody here decides. */
export function readRange(value: unknown): Range {
  const { start, end } = toObject(value)
  return { start: readPosition(start), end: readPosition(end) }
}

/** Whether a value is a range at all, for whoever would change what is there. */
export function isRange(value: unknown): boolean {
  const { start, end } = toObject(value)
  return [start, end].every((one) => {
    const { line, character } = toObject(one)
    return [line, character].every((count) => Number.isSafeInteger(count) && Number(count) >= 0)
  })
}

function readPosition(value: unknown): Position {
  const { line, character } = toObject(value)
  return { line: toCount(line), character: toCount(character) }
}

function toCount(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}

export interface TextEdit {
  readonly range: Range
  readonly newText: string
}

/** The text after edits, which all speak of the text before; edits that overlap are refused. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const lines = lineSpans(text)
  const placed = edits
    .map(({ range, newText }) => ({
      from: offsetOf(text, lines, range.start),
      to: offsetOf(text, lines, range.end),
      newText,
    }))
    // What is put in at a place stands before what takes the place of the text from there on.
    .sort((a, b) => a.from - b.from || a.to - b.to)
  let result = ''
  let at = 0
  for (const { from, to, newText } of placed) {
    if (from < at || to < from) throw new ToolError('The language server sent edits that overlap. Nothing was changed.')
    result += text.slice(at, from) + newText
    at = to
  }
  return result + text.slice(at)
}

/** What ends a line in the protocol. */
const LINE_END = /\r\n|\n|\r/g

export function toLines(text: string): string[] {
  return text.split(LINE_END)
}

interface Span {
  readonly start: number
  /** Before what ends the line. */
  readonly end: number
}

function lineSpans(text: string): Span[] {
  const spans: Span[] = []
  let start = 0
  for (const { index, 0: end } of text.matchAll(LINE_END)) {
    spans.push({ start, end: index })
    start = index + end.length
  }
  return [...spans, { start, end: text.length }]
}

function offsetOf(text: string, lines: readonly Span[], { line, character }: Position): number {
  const span = lines[line]
  return span === undefined ? text.length : Math.min(span.start + character, span.end)
}
