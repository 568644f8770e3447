/**
 * A tool's arguments from the command line: `key=value` pairs read by the types of the tool's schema, a JSON object, or
 * both. Only what can be told from the schema's first level is checked here; the server checks the rest.
 */

import { readFile } from 'node:fs/promises'
import { nearestName } from '@portico/host/text'
import type { JsonObject, Tool } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import { CliError } from '../../exit-codes.ts'
import { byOption, toRemedy } from '../remedy.ts'
import type { Io } from '../terminal/io.ts'

/** `words` may hold a lone `-`; `json` is what `--args` was given: an object, `-` for standard input, `@file`. */
export async function readArguments(
  words: readonly string[],
  json: string | undefined,
  tool: Pick<Tool, 'name' | 'inputSchema'>,
  io: Io,
): Promise<JsonObject> {
  const source = json ?? (words.includes('-') ? '-' : undefined)
  const given = new Map(Object.entries(source === undefined ? {} : await readJson(source, io)))
  const pairs = words.filter((word) => word !== '-').map((word) => splitPair(word, tool.name, io))
  for (const [key, group] of groupByKey(pairs)) given.set(key, readValue(key, group, propertyOf(tool, key)))
  // Keys are the person's and the server's to choose; `fromEntries` makes them members and nothing else.
  const args = Object.fromEntries(given)
  checkArguments(args, tool, io)
  return args
}

/** How a tool is called, for help and for messages: `city=<string> [days=<integer>]`. */
export function usageOf({ inputSchema }: Pick<Tool, 'inputSchema'>): string {
  const { properties, required } = partsOf(inputSchema)
  return [...properties]
    .map(([name, property]) => {
      const word = `${name}=<${wordOf(property)}>`
      return required.has(name) ? word : `[${word}]`
    })
    .join(' ')
}

/** Everything on standard input. */
export async function readStdin(io: Io): Promise<string> {
  if (io.stdin.isTTY === true) io.say('Reading from standard input; end with Ctrl-D.')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of io.stdin) {
    bytes += (chunk as Buffer).length
    if (bytes > MAX_STDIN) throw new CliError('usage', `Standard input has more than ${MAX_STDIN} bytes`)
    chunks.push(chunk as Buffer)
    io.signal.throwIfAborted()
  }
  return Buffer.concat(chunks).toString('utf8')
}

const MAX_STDIN = 16 * 1024 * 1024

async function readJson(source: string, io: Io): Promise<JsonObject> {
  const place = source === '-' ? 'Standard input' : source.startsWith('@') ? source.slice(1) : '--args'
  const text = source === '-' ? await readStdin(io) : source.startsWith('@') ? await readFile(place, 'utf8') : source
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new CliError(
      'usage',
      `${place} is not JSON: ${error instanceof Error ? error.message.split('\n')[0] : ''}`,
      'Write an object: \'{"city": "Lisbon"}\'.',
    )
  }
  if (isObject(value)) return value
  throw new CliError('usage', `${place} must be a JSON object, not ${nameOfType(value)}`)
}

function splitPair(word: string, tool: string, io: Io): readonly [string, string] {
  const at = word.indexOf('=')
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
  throw new CliError(
    'usage',
    `"${word}" is not an argument`,
    toRemedy(
      `write ${tool}'s arguments as key=value`,
      byOption('args', io, (flag) => `as ${flag} '{…}'`),
    ),
  )
}

function groupByKey(pairs: readonly (readonly [string, string])[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value])
  return groups
}

function readValue(key: string, values: readonly string[], property: JsonObject | undefined): unknown {
  const types = typesOf(property)
  const [first = ''] = values
  if (types.includes('array') && (values.length > 1 || !first.trimStart().startsWith('['))) {
    const items = isObject(property?.items) ? property.items : undefined
    return values.map((value) => readOne(key, value, items))
  }
  if (values.length > 1) throw new CliError('usage', `${key} is given ${values.length} times but takes one value`)
  return readOne(key, first, property)
}

function readOne(key: string, text: string, property: JsonObject | undefined): unknown {
  const types = typesOf(property)
  if (types.length === 0) return parsed(text) ?? text
  const readings = types.map((type) => readAs(type, text))
  const fitting = readings.find((reading) => reading !== undefined)
  if (fitting !== undefined) return fitting.value
  throw wrongType(key, types, `"${text}"`)
}

/** Undefined when the text is nothing of that type. Strings come last in a union, since every text is one. */
function readAs(type: string, text: string): { readonly value: unknown } | undefined {
  switch (type) {
    case 'string':
      return { value: text }
    case 'number':
    case 'integer': {
      const number = Number(text)
      const fits = text.trim() !== '' && Number.isFinite(number) && (type === 'number' || Number.isInteger(number))
      return fits ? { value: number } : undefined
    }
    case 'boolean':
      return text === 'true' || text === 'false' ? { value: text === 'true' } : undefined
    case 'null':
      return text === 'null' ? { value: null } : undefined
    default: {
      const value = parsed(text)
      return nameOfType(value) === type ? { value } : undefined
    }
  }
}

function checkArguments(args: JsonObject, tool: Pick<Tool, 'name' | 'inputSchema'>, io: Io): void {
  const { properties, required } = partsOf(tool.inputSchema)
  const remedy = `${tool.name} takes: ${usageOf(tool) || 'nothing'}`
  for (const name of required) {
    if (!Object.hasOwn(args, name)) {
      const typed = Object.keys(args).find((key) => !properties.has(key) && nearestName(key, [name]) === name)
      const hint = typed === undefined ? remedy : `Did you mean "${name}" by "${typed}"? ${remedy}`
      throw new CliError('usage', `${name} is missing`, hint)
    }
  }
  for (const [name, value] of Object.entries(args)) {
    const property = properties.get(name)
    if (property === undefined) {
      const near = nearestName(
        name,
        // What was given has been written as meant.
        [...properties.keys()].filter((one) => !Object.hasOwn(args, one)),
      )
      const hint = near === undefined ? remedy : `Did you mean "${near}"? ${remedy}`
      const message = `${tool.name} has no argument "${name}"`
      if (tool.inputSchema.additionalProperties === false) throw new CliError('usage', message, hint)
      // Where the schema says nothing, the server may still take it; the person may have meant another.
      if (tool.inputSchema.additionalProperties === undefined && properties.size > 0)
        io.say(`${io.paint.yellow('note')}: ${message}; it is sent anyway.\n  ${hint}`)
      continue
    }
    const types = typesOf(property)
    const type = nameOfType(value)
    const isWhole = type === 'number' && Number.isInteger(value)
    if (types.length > 0 && !types.includes(type) && !(isWhole && types.includes('integer'))) {
      throw wrongType(name, types, JSON.stringify(value))
    }
    if (Array.isArray(property.enum) && !property.enum.some((one) => one === value) && typeof value !== 'object') {
      throw new CliError(
        'usage',
        `${name} must be one of ${property.enum.join(', ')}, not ${JSON.stringify(value)}`,
        remedy,
      )
    }
  }
}

function wrongType(name: string, types: readonly string[], found: string): CliError {
  return new CliError('usage', `${name} must be of type ${types.join(' or ')}, not ${found}`)
}

function propertyOf(tool: Pick<Tool, 'inputSchema'>, key: string): JsonObject | undefined {
  return partsOf(tool.inputSchema).properties.get(key)
}

function partsOf(schema: JsonObject): {
  readonly properties: ReadonlyMap<string, JsonObject>
  readonly required: ReadonlySet<string>
} {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : []
  return {
    properties: new Map(properties.map(([name, one]) => [name, isObject(one) ? one : {}])),
    required: new Set(required.map(String)),
  }
}

/** The types that a property may have, as far as its schema says so outright; strings last. */
function typesOf(property: JsonObject | undefined): string[] {
  if (property === undefined) return []
  const choices = property.anyOf ?? property.oneOf
  const types: unknown[] = Array.isArray(choices)
    ? choices.map((choice) => (isObject(choice) ? choice.type : undefined))
    : [property.type].flat()
  if (types.length === 0 || types.some((type) => typeof type !== 'string')) return []
  return types.map(String).sort((a, b) => Number(a === 'string') - Number(b === 'string'))
}

function wordOf(property: JsonObject): string {
  if (Array.isArray(property.enum) && property.enum.length <= 8) return property.enum.join('|')
  return typesOf(property).join('|') || 'json'
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function nameOfType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
