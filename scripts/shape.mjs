/**
 * The shape of a source file by its syntax tree: how long its functions and classes are, how many parameters they take, what
 * it exports. `house.mjs` adds these up for the repository.
 *
 * @typedef {{ name: string, line: number, lines: number, parameters: number }} Part
 * @typedef {{ lines: number, functions: Part[], classes: Part[] }} Shape
 */
import { parseSync, Visitor } from 'rolldown/utils'

/**
 * @param {string} file its name says how it is read
 * @param {string} source
 * @returns {Shape}
 */
export function shapeOf(file, source) {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`)
  const starts = lineStarts(source)
  const lineOf = (offset) => upperBound(starts, offset)
  /** @type {Part[]} */
  const functions = []
  /** @type {Part[]} */
  const classes = []
  const toPart = (name, node, parameters) => {
    const line = lineOf(node.start)
    return { name, line, lines: lineOf(node.end) - line + 1, parameters }
  }
  // A function is told by what holds it: the method, the variable or the member that is named.
  const names = new Map()
  const name = (holder, value) => {
    if (value !== undefined && value !== null) names.set(value, source.slice(holder.start, holder.end))
  }
  const ofFunction = (node) => {
    if (node.body === null || node.body === undefined) return
    functions.push(toPart(node.id?.name ?? names.get(node) ?? '(anonymous)', node, node.params.length))
  }
  new Visitor({
    MethodDefinition: (node) => name(node.key, node.value),
    PropertyDefinition: (node) => name(node.key, node.value),
    Property: (node) => name(node.key, node.value),
    VariableDeclarator: (node) => name(node.id, node.init),
    FunctionDeclaration: ofFunction,
    FunctionExpression: ofFunction,
    ArrowFunctionExpression: ofFunction,
    ClassDeclaration: (node) => void classes.push(toPart(node.id?.name ?? '(anonymous)', node, 0)),
  }).visit(program)
  return { lines: starts.length - (source.endsWith('\n') ? 1 : 0), functions, classes }
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
