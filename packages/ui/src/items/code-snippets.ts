/** A call as something to paste: a program with the client library, a command line, plain JSON. */

import type { ServerCard } from 'portico/web-api'
import { type JsonRecord, toJson } from '../parts/json.ts'

export interface Snippet {
  readonly kind: 'tool' | 'resource' | 'prompt'
  readonly server: string
  /** What the server itself calls it; the URI of a resource. */
  readonly ownName: string
  readonly arguments: JsonRecord
  /** Where the server is, as configured. */
  readonly target?: ServerCard['config']['target'] | undefined
}

export function toShell({ kind, server, ownName, arguments: args }: Snippet): string {
  if (kind === 'resource') return `portico read ${quote(server)} ${quote(ownName)}`
  const verb = kind === 'tool' ? 'call' : 'prompt'
  const words = ['portico', verb, quote(server), quote(ownName)]
  const pairs = Object.entries(args)
  const isSimple = pairs.every(
    ([name, value]) => /^[A-Za-z_][\w-]*$/.test(name) && typeof value !== 'object' && !isMistakable(value),
  )
  if (isSimple) words.push(...pairs.map(([name, value]) => quote(`${name}=${String(value)}`)))
  else words.push('--args', quote(JSON.stringify(args)))
  return words.join(' ')
}

/** Text that reads as a number, yes or no, or JSON might be taken for that. */
function isMistakable(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    (value === '' || /^(?:[-\d.@[{"]|true$|false$|null$)/.test(value) || value.includes('\n'))
  )
}

export function toTypeScript(snippet: Snippet): string {
  return [
    "import { connect } from '@portico/sdk/client'",
    '',
    `const client = await connect(${toTarget(snippet)})`,
    ...toCallLines(snippet),
    'await client.close()',
    '',
  ].join('\n')
}

function toCallLines({ kind, ownName, arguments: args }: Snippet): string[] {
  const name = JSON.stringify(ownName)
  if (kind === 'resource') {
    return [`const { contents } = await client.readResource(${name})`, 'console.log(contents)']
  }
  const given = Object.keys(args).length === 0 ? '' : `, ${toJson(args)}`
  if (kind === 'prompt') {
    return [`const { messages } = await client.getPrompt(${name}${given})`, 'console.log(messages)']
  }
  return [
    `const result = await client.callTool(${name}${given})`,
    'console.log(result.structuredContent ?? result.content)',
  ]
}

function toTarget({ target, server }: Snippet): string {
  if (target === undefined) return `'https://…' /* ${server.replaceAll('*/', '')} */`
  if (target.kind === 'in-process')
    return `{ command: 'npx', args: ['-y', 'portico', 'run', ${JSON.stringify(target.module)}] }`
  if (target.kind !== 'stdio') return JSON.stringify(target.url)
  const { command, args, cwd } = target
  return toJson({ command, ...(args.length > 0 && { args }), ...(cwd !== undefined && { cwd }) })
}

/** For a POSIX shell: everything but the plainest words in single quotes. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
