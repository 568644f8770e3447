/**
 * What an entry would start, worked out in the page before anything is sent: the whole command, nothing cut, and what
 * deserves a second look (sec-93, sec-94). The program looks again, more thoroughly, before it runs anything.
 */

import type { ApiParams } from 'portico/web-api'
import { toVisible } from '../../app/text/text.ts'

export type Entry = NonNullable<ApiParams<'servers.add'>['entry']>

export interface EntryPreview {
  readonly name: string
  readonly shown: string
  readonly warnings: readonly string[]
}

export interface EntryForm {
  readonly name: string
  readonly kind: 'stdio' | 'http'
  readonly command: string
  /** One for each line. */
  readonly args: string
  /** `NAME=value`, one for each line. */
  readonly env: string
  readonly cwd: string
  readonly url: string
  /** `Name: value`, one for each line. */
  readonly headers: string
}

export const EMPTY_FORM: EntryForm = {
  name: '',
  kind: 'stdio',
  command: '',
  args: '',
  env: '',
  cwd: '',
  url: '',
  headers: '',
}

export const NAME_RULE = 'Letters, digits, dots, dashes and underscores, up to 64'

export function isName(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name)
}

/** A name that no server has, as like the one given as can be. */
export function toFreeName(wish: string, taken: ReadonlySet<string>): string {
  const name = wish.replace(/[^\w.-]/g, '-').slice(0, 60)
  let free = name
  for (let count = 2; taken.has(free); count++) free = `${name}-${count}`
  return free
}

/** The entry in the `mcpServers` form, or what is missing by field. */
export function toEntry(form: EntryForm): { readonly entry?: Entry; readonly problems: FormProblems } {
  const problems: { -readonly [field in keyof FormProblems]: FormProblems[field] } = {}
  if (!isName(form.name)) problems.name = NAME_RULE
  const env = readPairs(form.env, '=')
  const headers = readPairs(form.headers, ':')
  if (form.kind === 'stdio') {
    if (form.command.trim() === '') problems.command = 'Which program is started?'
    if (env === undefined) problems.env = 'Each line must read NAME=value'
  } else {
    if (!isWebAddress(form.url)) problems.url = 'An address that begins with https:// or http://'
    if (headers === undefined) problems.headers = 'Each line must read Name: value'
  }
  if (Object.keys(problems).length > 0) return { problems }
  if (form.kind === 'http')
    return { problems, entry: { type: 'http', url: form.url.trim(), ...part('headers', headers) } }
  const args = form.args.split('\n').filter((line) => line !== '')
  const cwd = form.cwd.trim()
  return {
    problems,
    entry: {
      command: form.command.trim(),
      ...(args.length > 0 && { args }),
      ...part('env', env),
      ...(cwd !== '' && { cwd }),
    },
  }
}

type FormProblems = { readonly [field in keyof EntryForm]?: string }

export function previewEntry(name: string, entry: Entry): EntryPreview {
  const shown = showEntry(entry)
  return { name, shown, warnings: WARNINGS.filter(({ pattern }) => pattern.test(shown)).map(({ words }) => words) }
}

/** As a shell would need it, so that it is plain where one argument ends. */
function showEntry(entry: Entry): string {
  const url = entry.url ?? entry.serverUrl ?? entry.httpUrl
  if (typeof url === 'string') {
    return [
      toVisible(url),
      ...pairs(entry.headers).map(([name, value]) => `${toVisible(name)}: ${hide(name, value)}`),
    ].join('\n')
  }
  const words = Array.isArray(entry.command) ? entry.command : [entry.command ?? '', ...list(entry.args)]
  const env = pairs(entry.env).map(([name, value]) => `${toVisible(name)}=${hide(name, value)}`)
  const cwd = typeof entry.cwd === 'string' ? [`(in ${quote(entry.cwd)})`] : []
  return [...env, ...words.map((word) => quote(String(word))), ...cwd].join(' ')
}

function quote(word: string): string {
  const shown = toVisible(word).replaceAll('\n', '⟦U+000A⟧')
  return /^[\w@%+=:,./${}-]+$/.test(shown) ? shown : `'${shown.replaceAll("'", `'\\''`)}'`
}

/** A secret that is written out is for nobody's eyes but its owner's, who knows it. */
function hide(name: string, value: string): string {
  const isReference = /^\$\{.+\}$/.test(value)
  return !isReference && SECRET_NAME.test(name) ? '••••' : quote(value)
}

const SECRET_NAME = /token|secret|passw|api[-_]?key|authorization|credential/i

const WARNINGS: readonly { readonly pattern: RegExp; readonly words: string }[] = [
  { pattern: /\b(?:curl|wget|iwr|irm)\b[^|]{0,300}\|/i, words: 'Downloads something and runs it at once.' },
  { pattern: /(?:^|[\s/])(?:sudo|doas|su|runas|pkexec)\s/, words: 'Runs with an administrator’s rights.' },
  {
    pattern: /(?:^|[\s/\\])(?:ba|z|da|fi)?sh(?:\.exe)?\s(?:-\w{0,9}c)\b|\b(?:powershell|pwsh)\b.{0,99}-(?:c|e|enc)/i,
    words: 'Carries commands for a shell instead of a program that can be looked at.',
  },
  { pattern: /\b(?:node|python\d?|perl|ruby)\s(?:-e|-c|--eval)\b/, words: 'Carries its code in its arguments.' },
  { pattern: /\brm\s(?:-\w{0,9}[rf])/, words: 'Deletes files.' },
  { pattern: /(?:^|\s)(?:\/|\/etc|\/root|~|\/home|[cC]:\\)(?=\s|$|')/, words: 'Is given a very wide folder.' },
  { pattern: /\.ssh|\.aws|\.gnupg|id_rsa|\/etc\/shadow/, words: 'Points at keys or passwords.' },
  {
    pattern:
      /(?:^|\s)(?:\S{0,99}\/)?(?:npx|uvx|bunx|pnpx)\s(?:-\S{1,20}\s){0,5}(?:@[\w.-]{1,99}\/)?\w[\w.-]{0,99}(?:@latest)?(?=\s|$)/,
    words: 'Fetches whatever version of the package is newest at each start; name one: package@1.2.3.',
  },
  {
    pattern: /(?:^|\s)(?:LD_PRELOAD|NODE_OPTIONS|PYTHONSTARTUP|DYLD_\w{1,40}|PATH)=/,
    words: 'Changes what programs do before their own code runs.',
  },
  { pattern: /^http:\/\/(?!localhost\b|127\.|\[::1\])/i, words: 'Is talked to without encryption.' },
  { pattern: /⟦U\+/, words: 'Holds characters that cannot be seen or that reorder what is seen.' },
]

function readPairs(text: string, sign: '=' | ':'): { [name: string]: string } | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const read = lines.map((line) => [
    line.slice(0, line.indexOf(sign)).trim(),
    line.slice(line.indexOf(sign) + 1).trim(),
  ])
  if (lines.some((line) => line.indexOf(sign) < 1)) return undefined
  return Object.fromEntries(read)
}

function part(name: string, values: { [name: string]: string } | undefined): { [name: string]: Entry } {
  return values === undefined || Object.keys(values).length === 0 ? {} : { [name]: values }
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text.trim()) && /^https?:$/.test(new URL(text.trim()).protocol)
}

function isRecord(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function pairs(value: unknown): [string, string][] {
  return isRecord(value) ? Object.entries(value).map(([name, one]) => [name, String(one)]) : []
}
