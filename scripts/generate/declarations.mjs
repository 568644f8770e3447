/**
 * Reads one exported declaration out of a TypeScript source: its kind, its comment, and its code without bodies and private
 * members.
 *
 * @typedef {{ name: string, kind: string, comment: string, code: string }} Declaration
 */
import { readSyntax } from '../syntax.mjs'

/** Longer values say less than they take room for. */
const LONGEST_VALUE = 40

const KINDS = {
  FunctionDeclaration: 'function',
  TSDeclareFunction: 'function',
  ClassDeclaration: 'class',
  TSInterfaceDeclaration: 'interface',
  TSTypeAliasDeclaration: 'type',
  VariableDeclaration: 'const',
}

const READERS = {
  function: readFunctions,
  class: ([node], text) => readClass(node, text),
  interface: ([node], { cut }) => cut(node.start, node.end),
  type: ([node], { cut }) => cut(node.start, node.end),
  const: ([node], text) => readConst(node, text),
}

/**
 * @param {string} source
 * @param {string} name
 * @returns {Declaration | undefined}
 */
export function readDeclaration(source, name) {
  const text = readText(source)
  const found = text.program.body.filter(
    ({ type, declaration }) => type === 'ExportNamedDeclaration' && nameOf(declaration) === name,
  )
  const kind = KINDS[found[0]?.declaration.type]
  if (kind === undefined) return undefined
  // Overloads stand one after the other.
  const nodes = found.map(({ declaration }) => declaration)
  const comment = text.commentBefore(found[0].start)
  return { name, kind, comment: plain(comment), code: READERS[kind](nodes, text) }
}

function readText(source) {
  const { program, comments } = readSyntax('module.ts', source)
  return {
    program,
    cut: (start, end) => source.slice(start, end).trimEnd(),
    commentBefore(offset) {
      const last = comments.findLast(({ end }) => end <= offset)
      const isDirect =
        last?.type === 'Block' && last.value.startsWith('*') && source.slice(last.end, offset).trim() === ''
      return isDirect ? source.slice(last.start, last.end) : ''
    },
  }
}

function nameOf(declaration) {
  return declaration?.type === 'VariableDeclaration' ? declaration.declarations[0]?.id.name : declaration?.id?.name
}

/** The one that has the body is hidden by the overloads. */
function readFunctions(nodes, { cut }) {
  const overloads = nodes.filter(({ type }) => type === 'TSDeclareFunction')
  const heads = overloads.length > 0 ? overloads : nodes
  return heads.map(({ start, end, body }) => cut(start, body?.start ?? end)).join('\n')
}

function readClass({ start, body }, text) {
  const members = body.body.filter(isPublic).map((member) => {
    const comment = text.commentBefore(member.start)
    return `${comment === '' ? '' : `  ${comment}\n`}  ${memberText(member, text)}`
  })
  return [`${text.cut(start, body.start)} {`, ...members, '}'].join('\n')
}

function isPublic({ type, key, accessibility, declare }) {
  if (type === 'StaticBlock' || key?.type === 'PrivateIdentifier' || declare) return false
  return accessibility !== 'private' && accessibility !== 'protected'
}

/** A member without its body or its value. */
function memberText({ type, start, end, value }, { cut }) {
  if (type !== 'PropertyDefinition') return cut(start, value?.body?.start ?? end)
  return cut(start, value?.start ?? end).replace(/\s*=$/, '')
}

function readConst({ start, end, declarations }, { cut }) {
  const whole = cut(start, end)
  if (whole.split('\n').length <= LONGEST_VALUE && !/=>|function/.test(whole)) return whole
  return cut(start, declarations[0]?.init?.start ?? end).replace(/\s*=$/, '')
}

/** What a comment says, without its stars. */
function plain(comment) {
  return comment
    .replace(/^\/\*\*\s?/, '')
    .replace(/\s*\*\/$/, '')
    .replace(/^\s*\* ?/gm, '')
    .trim()
}
