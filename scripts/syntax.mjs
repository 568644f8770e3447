/**
 * Source files as syntax trees, by the parser that bundles them too (oxc, which comes with rolldown). `imports.mjs`, `shape.mjs`,
 * `exported.mjs` and the makers of pages read what they need from the trees.
 *
 * @typedef {{ program: any, comments: { type: string, value: string, start: number, end: number }[], lineOf(offset: number): number }} Syntax
 */
import { parseSync } from 'rolldown/utils'

export { Visitor } from 'rolldown/utils'

/**
 * @param {string} file its name says how it is read
 * @param {string} source
 * @returns {Syntax}
 */
export function readSyntax(file, source) {
  const { program, comments, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`)
  const starts = lineStarts(source)
  return { program, comments, lineOf: (offset) => upperBound(starts, offset) }
}

function lineStarts(source) {
  const starts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** The number of starts at or before an offset: the offset's line, counted from 1. */
function upperBound(starts, offset) {
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (starts[middle] <= offset) low = middle + 1
    else high = middle
  }
  return low
}
