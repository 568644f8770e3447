/** The tools that read code as an editor does: what is wrong, what is where, and what a name means. */

import { readFile } from 'node:fs/promises'
import { tool } from '@portico/sdk/server'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import { answer, type Context, type EditorHost } from './host.ts'
import { readRange, toPosition } from './positions.ts'

export const PATH_INPUT = {
  type: 'string',
  minLength: 1,
  maxLength: 1000,
  description: 'A file, from the folder',
} as const
const START_INPUT = { type: 'integer', minimum: 0, default: 0, description: '"start" of the next part' } as const
export const PLACE_INPUT = {
  path: PATH_INPUT,
  line: { type: 'integer', minimum: 1, description: 'The line, from 1' },
  word: { type: 'string', minLength: 1, maxLength: 200, description: 'A word in that line; or give column' },
  column: { type: 'integer', minimum: 1, description: 'The column, from 1' },
} as const

const READS = { readOnly: true, idempotent: true, openWorld: false } as const

interface Place {
  readonly path: string
  readonly line: number
  readonly word?: string
  readonly column?: number
}

/** Asks the language server of a file about a place in it. */
export async function askAt(
  host: EditorHost,
  { method, more = {} }: { readonly method: string; readonly more?: object },
  place: Place,
  ctx: Context,
): Promise<unknown> {
  const { path } = await host.file(place.path)
  const position = toPosition(await readFile(path, 'utf8'), place.line, place)
  return host.clientFor(path).ask(method, path, { position, ...more }, ctx.signal)
}

export function createReadTools(host: EditorHost) {
  return {
    diagnostics: diagnosticsTool(host),
    symbols: symbolsTool(host),
    find_symbol: findSymbolTool(host),
    definition: placesTool(host, 'textDocument/definition', 'Definition', 'Where a name is defined'),
    references: placesTool(host, 'textDocument/references', 'References', 'Every place where a name is used'),
    hover: hoverTool(host),
  }
}

const SEVERITIES = ['', 'error', 'warning', 'information', 'hint']

/** One thing that is wrong, in a line. */
export function diagnosticLine(name: string, diagnostic: ReturnType<typeof toObject>): string {
  const { severity, message, code, source, range } = diagnostic
  const { line, character } = readRange(range).start
  const kind = SEVERITIES[typeof severity === 'number' ? severity : 1] ?? 'error'
  const mark = [toLine(source, 40), toLine(code, 40)].filter(Boolean).join(' ')
  return `${name}:${line + 1}:${character + 1} ${kind}: ${toLine(message, 500)}${mark === '' ? '' : ` [${mark}]`}`
}

function diagnosticsTool(host: EditorHost) {
  const input = {
    type: 'object',
    properties: {
      paths: { type: 'array', minItems: 1, maxItems: 20, items: PATH_INPUT, description: 'The files to look at' },
      start: START_INPUT,
    },
    required: ['paths'],
    additionalProperties: false,
  } as const
  const description = 'What is wrong with files as they are on disk: errors and warnings of their language servers'
  return tool({ title: 'Diagnostics', description, input, ...READS }, async ({ paths, start }, ctx: Context) => {
    const lines: string[] = []
    for (const given of paths) {
      const { path } = await host.file(given)
      const found = await host.clientFor(path).diagnose(path, ctx.signal)
      if (found === undefined)
        lines.push(`${host.name(path)}: the language server has said nothing of it yet; ask again`)
      else lines.push(...found.map((diagnostic) => diagnosticLine(host.name(path), diagnostic)))
    }
    return answer(host, lines.length === 0 ? 'Nothing is wrong.' : lines.join('\n'), start)
  })
}

const KINDS = [
  '',
  'file',
  'module',
  'namespace',
  'package',
  'class',
  'method',
  'property',
  'field',
  'constructor',
  'enum',
  'interface',
  'function',
  'variable',
  'constant',
  'string',
  'number',
  'boolean',
  'array',
  'object',
  'key',
  'null',
  'enum member',
  'struct',
  'event',
  'operator',
  'type parameter',
]
const MAX_DEPTH = 10

function symbolsTool(host: EditorHost) {
  const input = {
    type: 'object',
    properties: { path: PATH_INPUT, start: START_INPUT },
    required: ['path'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Symbols', description: 'What a file defines, in its order, with lines', input, ...READS },
    async ({ path: given, start }, ctx: Context) => {
      const { path } = await host.file(given)
      const found = await host.clientFor(path).ask('textDocument/documentSymbol', path, {}, ctx.signal)
      return answer(host, symbolLines(found, 0).join('\n'), start)
    },
  )
}

function symbolLines(symbols: unknown, depth: number): string[] {
  if (depth > MAX_DEPTH) return []
  return toList(symbols).flatMap((symbol) => {
    const { name, kind, range, location, children } = symbol
    const { start, end } = readRange(range ?? toObject(location).range)
    const line = `${'  '.repeat(depth)}${KINDS[Number(kind)] ?? 'symbol'} ${toLine(name)} ${start.line + 1}–${end.line + 1}`
    return [line, ...symbolLines(children, depth + 1)]
  })
}

function findSymbolTool(host: EditorHost) {
  const input = {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 200, description: 'Part of a name' },
      near: PATH_INPUT,
    },
    required: ['query'],
    additionalProperties: false,
  } as const
  const description =
    'Where in the folder something of this name is defined; "near" is a file of the language that is meant'
  return tool({ title: 'Find a symbol', description, input, ...READS }, async ({ query, near }, ctx: Context) => {
    const clients = near === undefined ? host.everyClient() : [await nearest(host, near)]
    const lines: string[] = []
    for (const client of clients) {
      const found = toList(await client.askAll('workspace/symbol', { query }, ctx.signal))
      for (const { name, kind, location } of found.slice(0, 200)) {
        const place = await host.place(location)
        if (place !== undefined) lines.push(`${KINDS[Number(kind)] ?? 'symbol'} ${toLine(name)}  ${place}`)
      }
    }
    return answer(host, lines.join('\n'))
  })
}

/** Language servers read a project once a file of it is shown. */
async function nearest(host: EditorHost, given: string) {
  const { path } = await host.file(given)
  const client = host.clientFor(path)
  await client.show(path)
  return client
}

function placesTool(host: EditorHost, method: string, title: string, description: string) {
  const input = {
    type: 'object',
    properties: PLACE_INPUT,
    required: ['path', 'line'],
    additionalProperties: false,
  } as const
  return tool(
    { title, description: `${description}, with the lines`, input, ...READS },
    async (place, ctx: Context) => {
      const found = await askAt(host, { method, more: { context: { includeDeclaration: true } } }, place, ctx)
      const all = toList(Array.isArray(found) ? found : found === null ? [] : [found])
      const places = await Promise.all(all.slice(0, 500).map((location) => host.place(location)))
      const shown = places.filter((one) => one !== undefined)
      const elsewhere = places.length - shown.length
      return answer(
        host,
        `${shown.join('\n')}${elsewhere === 0 ? '' : `\n[${elsewhere} outside of the folder]`}`.trim(),
      )
    },
  )
}

function hoverTool(host: EditorHost) {
  const input = {
    type: 'object',
    properties: PLACE_INPUT,
    required: ['path', 'line'],
    additionalProperties: false,
  } as const
  return tool(
    { title: 'Hover', description: 'The type and the documentation of a name', input, ...READS },
    async (place, ctx: Context) =>
      answer(host, hoverText(toObject(await askAt(host, { method: 'textDocument/hover' }, place, ctx)).contents)),
  )
}

function hoverText(contents: unknown): string {
  if (typeof contents === 'string') return contents
  if (Array.isArray(contents)) return contents.map(hoverText).join('\n')
  return toText(toObject(contents).value)
}
