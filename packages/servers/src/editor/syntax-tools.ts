/** The tool that shows how a file is built, by its grammar alone: it works where no language server does. */

import { tool } from '@portico/sdk/server'
import { toLine } from '../vendor/values.ts'
import { START_INPUT } from '../vendor/vendor-host.ts'
import { answer, type EditorHost } from './host.ts'
import { PATH_INPUT } from './read-tools.ts'
import type { Syntax, SyntaxNode } from './syntax.ts'

interface Wish {
  readonly kind: string | undefined
  readonly depth: number
  readonly from: number
  readonly to: number
  readonly until: number
}

const MAX_LINES = 2_000
const MAX_NODES = 500_000

export function createSyntaxTool(host: EditorHost, syntax: Syntax) {
  const input = {
    type: 'object',
    properties: {
      path: PATH_INPUT,
      kind: { type: 'string', maxLength: 100, description: 'Only nodes of this kind: "function_declaration"' },
      depth: { type: 'integer', minimum: 1, maximum: 20, default: 4, description: 'How deep, without kind' },
      from: { type: 'integer', minimum: 1, description: 'The first line' },
      to: { type: 'integer', minimum: 1, description: 'The last line' },
      start: START_INPUT,
    },
    required: ['path'],
    additionalProperties: false,
  } as const
  const description = 'How a file is built: its syntax tree with lines; what cannot be read is marked ERROR'
  const traits = { readOnly: true, idempotent: true, openWorld: false } as const
  return tool({ title: 'Syntax tree', description, input, ...traits }, async (given) => {
    const { kind, depth = 4, from = 1, to = Number.MAX_SAFE_INTEGER, start } = given
    const { path, text } = await host.open(given.path)
    const lines = await syntax.read(path, text, (root, until) => nodeLines(root, { kind, depth, from, to, until }))
    return answer(host, lines.join('\n'), start)
  })
}

/** Without recursion: how deep a file nests is decided by whoever wrote it. */
function nodeLines(root: SyntaxNode, { kind, depth, from, to, until }: Wish): string[] {
  const lines: string[] = []
  const open: { readonly node: SyntaxNode; readonly level: number }[] = [{ node: root, level: 0 }]
  for (let seen = 0; seen < MAX_NODES && lines.length < MAX_LINES && performance.now() < until; seen++) {
    const next = open.pop()
    if (next === undefined) return lines
    const { node, level } = next
    const [first, last] = [node.startPosition.row + 1, node.endPosition.row + 1]
    if (last < from || first > to) continue
    if (kind === undefined || node.type === kind) {
      const name = toLine(node.childForFieldName('name')?.text, 80)
      const indent = kind === undefined ? '  '.repeat(level) : ''
      lines.push(`${indent}${node.type}${name === '' ? '' : ` ${name}`} ${first}–${last}`)
    }
    if (kind === undefined && level + 1 >= depth) continue
    for (const child of node.namedChildren.toReversed())
      if (child !== null) open.push({ node: child, level: level + 1 })
  }
  return [...lines, '[There is more: give kind, or the lines from and to.]']
}
