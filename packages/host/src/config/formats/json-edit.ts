/**
 * Small edits of JSON text that leave every other byte alone: set a member, take one out, append to a list. Written in
 * the manner of the text around: its indentation, line ends, trailing commas and comments. Knows nothing of servers.
 */

import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser'

type MemberPath = readonly string[]

/** Makes the objects on the way where there are none. Throws when something else is in the way. */
export function setMember(text: string, path: MemberPath, value: unknown): string {
  const root = parse(text)
  for (let length = path.length; length >= 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length))
    if (node === undefined) continue
    const rest = path.slice(length)
    const [name] = rest
    // What the last names on the way enclose.
    const inner = rest.slice(1).reduceRight<unknown>((content, key) => ({ [key]: content }), value)
    if (name === undefined) return replace(text, node, value)
    if (node.type === 'object')
      return insert(text, node, (indent) => `${JSON.stringify(name)}: ${toText(inner, indent)}`)
    if (node.type === 'null') return replace(text, node, { [name]: inner })
    throw new Error(`${JSON.stringify(path.slice(0, length).join('.'))} is not an object`)
  }
  return text
}

export function removeMember(text: string, path: MemberPath): string {
  const node = findNodeAtLocation(parse(text), [...path])
  const property = node?.parent
  const siblings = property?.parent?.children ?? []
  if (property === undefined) return text
  const at = siblings.indexOf(property)
  const before = siblings[at - 1]
  const end = endOf(property)
  // The last one goes with the comma before it, others with the one after.
  if (before !== undefined) return text.slice(0, endOf(before)) + text.slice(end)
  const comma = /^\s*,\s*/.exec(text.slice(end))?.[0] ?? ''
  return text.slice(0, property.offset) + text.slice(end + comma.length)
}

export function appendItem(text: string, path: MemberPath, value: unknown): string {
  const list = findNodeAtLocation(parse(text), [...path])
  if (list?.type !== 'array') return setMember(text, path, [value])
  return insert(text, list, (indent) => toText(value, indent))
}

interface Manner {
  readonly unit: string
  readonly eol: string
}

function mannerOf(text: string): Manner {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
  return { unit: indent.startsWith('\t') ? '\t' : indent, eol: text.includes('\r\n') ? '\r\n' : '\n' }
}

/** Adds at the end of an object or list. */
function insert(text: string, node: Node, write: (indent: Indent) => string): string {
  const manner = mannerOf(text)
  const outer = indentAt(text, node.offset)
  const last = node.children?.at(-1)
  const isTight = last !== undefined && !text.slice(node.offset, last.offset).includes('\n')
  const prefix = last === undefined || isTight ? outer + manner.unit : indentAt(text, last.offset)
  const content = write({ ...manner, prefix: isTight ? outer : prefix })
  if (last === undefined) return insertFirst(text, node, `${manner.eol}${prefix}${content}`, manner.eol + outer)
  const end = endOf(last)
  if (isTight) return `${text.slice(0, end)}, ${content}${text.slice(end)}`
  // After a comment that belongs to the line; a trailing comma says that there is to be one again.
  const [line = '', , comma] = /^([ \t]*(?:(,)[ \t]*)?(?:\/\/[^\r\n]*)?)(?=\r?\n)/.exec(text.slice(end)) ?? []
  const kept = comma === undefined ? `,${line}` : line
  const added = `${manner.eol}${prefix}${content}${comma ?? ''}`
  return text.slice(0, end) + kept + added + text.slice(end + line.length)
}

function insertFirst(text: string, node: Node, content: string, closing: string): string {
  const start = node.offset + 1
  const rest = text.slice(start, endOf(node) - 1)
  return (
    text.slice(0, start) + content + (rest.includes('\n') ? rest.trimEnd() : '') + closing + text.slice(endOf(node) - 1)
  )
}

function replace(text: string, node: Node, value: unknown): string {
  const content = toText(value, { ...mannerOf(text), prefix: indentAt(text, node.offset) })
  return text.slice(0, node.offset) + content + text.slice(endOf(node))
}

interface Indent extends Manner {
  /** What every line after the first begins with. */
  readonly prefix: string
}

function toText(value: unknown, { unit, eol, prefix }: Indent): string {
  return JSON.stringify(value, null, unit).replaceAll('\n', () => eol + prefix)
}

/** The white space that the line at this place begins with. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

function endOf({ offset, length }: Node): number {
  return offset + length
}

function parse(text: string): Node {
  const root = parseTree(text, [], { allowTrailingComma: true })
  if (root === undefined) throw new Error('there is no JSON in the text')
  return root
}
