/** The tools that read code as an editor does: what is wrong, what is where, and what a name means. */

import { basename } from 'node:path'
import { ToolError, tool } from '@portico/sdk/server'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import { START_INPUT } from '../vendor/vendor-host.ts'
import { toUri } from './file-uri.ts'
import { answer, type Context, type EditorHost } from './host.ts'
import type { Language } from './languages.ts'
import { readRange, toPosition } from './positions.ts'

export const PATH_INPUT = {
  type: 'string',
  minLength: 1,
  maxLength: 1000,
  description: 'A file, from the folder',
} as const
export const PLACE_INPUT = {
  path: PATH_INPUT,
  line: { type: 'integer', minimum: 1, description: 'The line, from 1' },
  word: { type: 'string', minLength: 1, maxLength: 200, description: 'A word in that line; or give column' },
  column: { type: 'integer', minimum: 1, description: 'The column, from 1' },
  start: START_INPUT,
} as const

const READS = { readOnly: true, idempotent: true, openWorld: false } as const

interface Place {
  readonly path: string
  readonly line: number
  readonly word?: string
  readonly column?: number
  readonly start?: number
}

/** Asks the language server of a file about a place in it. */
export async function askAt(
  host: EditorHost,
  { method, more = {} }: { readonly method: string; readonly more?: object },
  place: Place,
  ctx: Context,
): Promise<unknown> {
  const { path, text } = await host.open(place.path)
  const position = toPosition(text, place.line, place)
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
function diagnosticLine(name: string, diagnostic: ReturnType<typeof toObject>): string {
  const { severity, message, code, source, range } = diagnostic
  const { line, character } = readRange(range).start
  const kind = SEVERITIES[typeof severity === 'number' ? severity : 1] ?? 'error'
  const mark = [toLine(source, 40), toLine(code, 40)].filter(Boolean).join(' ')
  return `${name}:${line + 1}:${character + 1} ${kind}: ${toLine(message, 500)}${mark === '' ? '' : ` [${mark}]`}`
}

/** All that is known to be wrong with one file, and how much more there was. */
export function diagnosticLines(name: string, found: readonly ReturnType<typeof toObject>[], more: number): string[] {
  const lines = found.map((diagnostic) => diagnosticLine(name, diagnostic))
  return [...lines, ...leftOut(more).map((note) => `${name}: ${note}`)]
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
      const client = host.clientFor(path)
      const found = await client.diagnose(path, ctx.signal)
      if (found === undefined)
        lines.push(`${host.name(path)}: the language server has said nothing of it yet; ask again`)
      else lines.push(...diagnosticLines(host.name(path), found, client.diagnostics.leftOut(toUri(path))))
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
const MAX_SYMBOLS = 5_000
const MAX_FOUND = 200
const MAX_PLACES = 500

/** What a list that was cut says at its end. */
export function leftOut(count: number): string[] {
  return count > 0 ? [`[${count} more are left out.]`] : []
}

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
      return answer(host, symbolLines(found).join('\n'), start)
    },
  )
}

/** Bounded in depth and number: whoever answers decides both. */
function symbolLines(symbols: unknown): string[] {
  const lines: string[] = []
  let isCut = false
  const add = (list: unknown, depth: number): void => {
    for (const { name, kind, range, location, children } of toList(list)) {
      if (lines.length >= MAX_SYMBOLS || depth > MAX_DEPTH) {
        isCut = true
        return
      }
      const { start, end } = readRange(range ?? toObject(location).range)
      const what = KINDS[Number(kind)] ?? 'symbol'
      lines.push(`${'  '.repeat(depth)}${what} ${toLine(name)} ${start.line + 1}–${end.line + 1}`)
      add(children, depth + 1)
    }
  }
  add(symbols, 0)
  return isCut ? [...lines, `[More is left out: at most ${MAX_SYMBOLS} symbols, ${MAX_DEPTH} levels deep.]`] : lines
}

function findSymbolTool(host: EditorHost) {
  const input = {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, maxLength: 200, description: 'Part of a name' },
      near: PATH_INPUT,
      start: START_INPUT,
    },
    required: ['query'],
    additionalProperties: false,
  } as const
  const description =
    'Where in the folder something of this name is defined; "near" is a file of the language that is meant'
  return tool(
    { title: 'Find a symbol', description, input, ...READS },
    async ({ query, near, start }, ctx: Context) => {
      const languages = near === undefined ? host.languages : [await nearest(host, near, ctx)]
      const lines: string[] = []
      for (const language of languages) {
        // One that cannot be used says so; the others answer all the same.
        const found = await symbolPlaces(host, language, query, ctx).catch((error: unknown) => {
          if (!(error instanceof ToolError) || languages.length === 1) throw error
          return [`[${basename(language.command[0] ?? '')}: ${error.message}]`]
        })
        lines.push(...found)
      }
      return answer(host, lines.join('\n'), start)
    },
  )
}

async function symbolPlaces(host: EditorHost, language: Language, query: string, ctx: Context): Promise<string[]> {
  const answered = await host.clientOf(language).askAll('workspace/symbol', { query }, ctx.signal)
  const all = toList(answered)
  const found = all.slice(0, MAX_FOUND)
  const places = await host.places(found.map(({ location }) => location))
  const lines = found.flatMap(({ name, kind }, at) =>
    places[at] === undefined ? [] : [`${KINDS[Number(kind)] ?? 'symbol'} ${toLine(name)}  ${places[at]}`],
  )
  return [...lines, ...leftOut(all.length - found.length)]
}

/** Language servers read a project once a file of it is shown. */
async function nearest(host: EditorHost, given: string, ctx: Context): Promise<Language> {
  const { path } = await host.file(given)
  const client = host.clientFor(path)
  await client.show(path, ctx.signal)
  return client.language
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
      const places = await host.places(all.slice(0, MAX_PLACES))
      const shown = places.filter((one) => one !== undefined)
      const elsewhere = places.length - shown.length
      const notes = [
        ...(elsewhere === 0 ? [] : [`[${elsewhere} outside of the folder]`]),
        ...leftOut(all.length - places.length),
      ]
      return answer(host, [...shown, ...notes].join('\n'), place.start)
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
    async (place, ctx: Context) => {
      const { contents } = toObject(await askAt(host, { method: 'textDocument/hover' }, place, ctx))
      return answer(host, hoverText(contents), place.start)
    },
  )
}

/** One text, or a list of texts; lists within lists are none of the protocol's. */
function hoverText(contents: unknown): string {
  const all = Array.isArray(contents) ? contents : [contents]
  return all.map((one) => (typeof one === 'string' ? one : toText(toObject(one).value))).join('\n')
}
