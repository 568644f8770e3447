/**
 * A server as people write it in one line: a URL, a command as for a shell, or what another program's documentation says
 * to type (`claude mcp add …`, `code --add-mcp …`). Gives an entry in the `mcpServers` form; nothing is run or opened here.
 */

import type { JsonObject } from '@portico/sdk/client'
import { startedWord } from '../command/started-word.ts'

/** A server as `readServerLine` understood it: a name, and an entry as it would stand in `mcpServers`. */
export interface ServerLine {
  /** The name that the line gives, or one made from the command or address. */
  readonly name: string
  /** The line itself says the name. */
  readonly named: boolean
  readonly entry: JsonObject
}

/**
 * Reads one line; undefined where the text is something else, such as a configuration file.
 *
 * @example
 * ```ts
 * import { readServerLine } from '@portico/host/config'
 *
 * readServerLine('npx -y @modelcontextprotocol/server-filesystem ./docs')
 * // { name: 'filesystem', named: false, entry: { command: 'npx', args: ['-y', …, './docs'] } }
 * ```
 */
export function readServerLine(text: string): ServerLine | undefined {
  const line = text
    .replace(/(?:\\|\^|`)\r?\n/g, ' ')
    .trim()
    .replace(/^\$\s+/, '')
  if (line === '' || line.length > MAX_LINE || /[\r\n]/.test(line) || /^[{["]/.test(line)) return undefined
  const words = splitShellWords(line)
  const [first] = words ?? []
  if (words === undefined || first === undefined || /[:=]$/.test(first)) return undefined
  return fromOtherProgram(words) ?? fromAddress(words) ?? fromFolder(words) ?? fromCommand(words)
}

/**
 * Finds the first word of a command line that only a shell would understand, such as a pipe; servers are started
 * without a shell. Returns undefined when there is none.
 *
 * @example
 * ```ts
 * import { shellOnlyWord } from '@portico/host/config'
 *
 * shellOnlyWord('node server.js | tee log.txt') // '|'
 * ```
 */
export function shellOnlyWord(text: string): string | undefined {
  const words = splitShellWords(text) ?? []
  const [first, , third] = words
  const rest = first === 'cd' && third === '&&' ? words.slice(3) : words
  return rest.find((word) => /^(?:&&|\|\|?|;|&|[<>]{1,2})$|^\$\(|;$/.test(word))
}

/**
 * Splits a command line into words as a shell would, but without variables and pipes. Returns undefined where a quote
 * is not closed.
 *
 * @example
 * ```ts
 * import { splitShellWords } from '@portico/host/config'
 *
 * splitShellWords('node "my server.js" --port 3000') // ['node', 'my server.js', '--port', '3000']
 * ```
 */
export function splitShellWords(line: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at)
    if (quote !== undefined) {
      if (char === quote) quote = undefined
      else if (char === '\\' && quote === '"' && /["\\]/.test(line.charAt(at + 1)))
        word = (word ?? '') + line.charAt(++at)
      else word = (word ?? '') + char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else if (char === '\\' && process.platform !== 'win32' && at + 1 < line.length) {
      word = (word ?? '') + line.charAt(++at)
    } else {
      word = (word ?? '') + char
    }
  }
  if (quote !== undefined) return undefined
  if (word !== undefined) words.push(word)
  return words
}

const MAX_LINE = 32_768
/** Of `claude mcp add`, `codex mcp add`, `gemini mcp add`: those that are followed by a value. */
const WITH_VALUE = new Set([
  '-s',
  '--scope',
  '-t',
  '--transport',
  '-e',
  '--env',
  '-H',
  '--header',
  '--url',
  '--timeout',
])

function fromOtherProgram(words: readonly string[]): ServerLine | undefined {
  const [program = '', ...rest] = words
  const json = rest[rest.indexOf('--add-mcp') + 1]
  if (/^(?:code|cursor|code-insiders)$/.test(program) && rest.includes('--add-mcp')) return fromJson(json, undefined)
  const adds = rest[0] === 'mcp' ? rest[1] : undefined
  if (adds === 'add-json') return fromJson(rest[3], rest[2])
  return adds === 'add' ? fromAdd(rest.slice(2)) : undefined
}

function fromAdd(words: readonly string[]): ServerLine | undefined {
  const plain: string[] = []
  const options: [string, string][] = []
  let at = 0
  for (; at < words.length && words[at] !== '--'; at++) {
    const word = words[at] ?? ''
    const [, name = '', value] = /^(--?[\w-]+)(?:=(.*))?$/s.exec(word) ?? []
    if (WITH_VALUE.has(name)) options.push([name, value ?? words[++at] ?? ''])
    // After the name and the command, what looks like an option is the command's own.
    else if (name === '' || plain.length > 1) plain.push(word)
  }
  const [name, ...target] = [...plain, ...words.slice(at + 1)]
  if (name === undefined) return undefined
  const given = (...names: string[]) => options.flatMap(([key, value]) => (names.includes(key) ? [value] : []))
  const url = given('--url')[0] ?? (URL_WORD.test(target[0] ?? '') ? target[0] : undefined)
  const headers = toPairs(given('-H', '--header'), ':')
  const env = toPairs(given('-e', '--env'), '=')
  if (url !== undefined) {
    const type = given('-t', '--transport')[0] === 'sse' ? 'sse' : 'http'
    return { name, named: true, entry: { type, url, ...(headers !== undefined && { headers }) } }
  }
  const [command, ...args] = target
  if (command === undefined) return undefined
  return { name, named: true, entry: toEntry(command, args, env) }
}

function fromJson(text: string | undefined, name: string | undefined): ServerLine | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    // JSON that is an object is what this says.
    const { name: own, ...entry } = value as JsonObject
    const chosen = name ?? (typeof own === 'string' ? own : undefined)
    return { name: chosen ?? 'server', named: chosen !== undefined, entry }
  } catch {
    return undefined
  }
}

const URL_WORD = /^(?:https?|wss?):\/\//i

function fromAddress(words: readonly string[]): ServerLine | undefined {
  const [url = ''] = words
  if (words.length !== 1 || !URL_WORD.test(url) || !URL.canParse(url)) return undefined
  return { name: nameOfHost(new URL(url).hostname), named: false, entry: { type: 'http', url } }
}

/** `cd folder && command` is a command with a folder. */
function fromFolder([cd, folder, and, ...words]: readonly string[]): ServerLine | undefined {
  if (cd !== 'cd' || folder === undefined || and !== '&&') return undefined
  const line = fromCommand(words)
  return line === undefined ? undefined : { ...line, entry: { ...line.entry, cwd: folder } }
}

function fromCommand(words: readonly string[]): ServerLine | undefined {
  const start = words.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word))
  const [command, ...args] = start < 0 ? [] : words.slice(start)
  if (command === undefined) return undefined
  const env = toPairs(words.slice(0, start), '=')
  return { name: nameOfCommand(command, args), named: false, entry: toEntry(command, args, env) }
}

function toEntry(command: string, args: readonly string[], env: { [name: string]: string } | undefined): JsonObject {
  return { command, ...(args.length > 0 && { args }), ...(env !== undefined && { env }) }
}

function toPairs(lines: readonly string[], sign: string): { [name: string]: string } | undefined {
  const pairs = lines.flatMap((line) => {
    const at = line.indexOf(sign)
    return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const]
  })
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
}

/** `mcp.linear.app` is called linear. */
function nameOfHost(host: string): string {
  if (/^[\d.[\]:]+$/.test(host) || !host.includes('.')) return toName(host.replaceAll(/[[\]]/g, ''))
  const labels = host.split('.').slice(0, -1)
  return toName(labels.findLast((label) => !/^(?:mcp|api|www|co|com)$/.test(label)) ?? host)
}

/** After the package or the script that is run; after the program itself where there is none. */
function nameOfCommand(command: string, args: readonly string[]): string {
  const what = startedWord(command, args)
  if (what === command) return toName(withoutExtension(lastSegment(command)))
  const segments = what.split(/[\\/]/).filter((segment) => segment !== '' && segment !== '.')
  const name = withoutExtension((segments.at(-1) ?? what).replace(/(?<=.)@[^@]*$/, ''))
  const plain = /^(?:index|main|server|app|cli)$/.test(name)
    ? lastOf(segments.slice(0, -1), /^(?:src|dist|build|bin)$/)
    : name
  return toName((plain ?? name).replace(/^(?:mcp-)?server-|^mcp-|-mcp(?:-server)?$|-server$/g, ''))
}

function lastOf(segments: readonly string[], left: RegExp): string | undefined {
  return segments.findLast((segment) => !left.test(segment) && segment !== '..')
}

function lastSegment(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path
}

function withoutExtension(name: string): string {
  return name.replace(/\.(?:[cm]?[jt]s|py|exe|cmd|bat|sh)$/i, '')
}

function toName(text: string): string {
  const name = text
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[-.]+|(?<![-.])[-.]+$/g, '')
    .slice(0, 60)
  return name === '' ? 'server' : name
}
