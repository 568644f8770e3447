/** Places in files as people and models name them (lines and columns from 1), and as the protocol has them (from 0). */

import { ToolError } from '@portico/sdk/server'
import { spellHidden, toExcerpt } from '../text/plain-text.ts'
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
  const content = text.split('\n')[line - 1]
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
  const starts = lineStarts(text)
  const placed = edits
    .map(({ range, newText }) => ({
      from: offsetOf(text, starts, range.start),
      to: offsetOf(text, starts, range.end),
      newText,
    }))
    .sort((a, b) => a.from - b.from)
  let result = ''
  let at = 0
  for (const { from, to, newText } of placed) {
    if (from < at || to < from) throw new ToolError('The language server sent edits that overlap. Nothing was changed.')
    result += text.slice(at, from) + newText
    at = to
  }
  return result + text.slice(at)
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function offsetOf(text: string, starts: readonly number[], { line, character }: Position): number {
  const start = starts[line]
  if (start === undefined) return text.length
  const next = starts[line + 1]
  const end = next === undefined ? text.length : next - 1
  return Math.min(start + character, end)
}
