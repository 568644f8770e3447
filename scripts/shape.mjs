/**
 * The shape of a source file by its syntax tree: how long its functions and classes are, how many parameters they take, what
 * it exports. `house.mjs` adds these up for the repository.
 *
 * @typedef {{ name: string, line: number, lines: number, parameters: number }} Part
 * @typedef {{ lines: number, functions: Part[], classes: Part[] }} Shape
 */
import { readSyntax, Visitor } from './syntax.mjs'

/**
 * @param {string} file its name says how it is read
 * @param {string} source
 * @returns {Shape}
 */
export function shapeOf(file, source) {
  const { program, lineOf } = readSyntax(file, source)
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
  return { lines: lineOf(source.length) - (source.endsWith('\n') ? 1 : 0), functions, classes }
}
