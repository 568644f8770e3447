/**
 * Finds text in files. Ripgrep does it where it is installed: its regular expressions take linear time, and it is given an
 * argument array in which the pattern cannot be an option. Elsewhere the walker looks for plain text; regular expressions
 * are refused there, since the engine of JavaScript could be kept busy for ever by one.
 */

import { relative, sep } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { ToolError } from '@portico/sdk/server'
import { findProgram, plainEnvironment, runProgram } from '../machine/program.ts'
import { withDirectory, withFile } from './anchor.ts'
import type { Confinement, Reached } from './confine.ts'
import { createGlob, type GlobMatcher } from './glob.ts'
import { isIgnored } from './ignore-files.ts'
import type { FilesSettings } from './options.ts'
import { decodeText, readBytes } from './read.ts'
import { rulesAbove, TRASH, Walk } from './walk.ts'

interface TextQuery {
  readonly pattern: string
  readonly regex: boolean
  readonly ignoreCase: boolean
  readonly glob: string | undefined
  /** Lines before and after each match. */
  readonly context: number
  /** Matches to pass over, and to return at most. */
  readonly skip: number
  readonly limit: number
}

export interface TextMatch {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly before?: string[]
  readonly after?: string[]
}

interface TextFound {
  readonly engine: 'ripgrep' | 'plain'
  readonly matches: readonly TextMatch[]
  readonly hasMore: boolean
  /** False when limits kept the search from seeing everything. */
  readonly complete: boolean
  /** What was not looked through, in words. */
  readonly passedBy?: string
}

interface TextSearch {
  readonly confinement: Confinement
  readonly settings: FilesSettings
  readonly signal: AbortSignal
  readonly progress: (visited: number) => void
}

const SHOWN = 400
/** As much of a file as ripgrep is told to look through. */
const MAX_SEARCHED = 64 * 1024 * 1024
const MAX_OUTPUT = 16 * 1024 * 1024

let ripgrep: Promise<string | undefined> | undefined

export async function searchText(start: Reached, query: TextQuery, search: TextSearch): Promise<TextFound> {
  if (search.settings.ripgrep) {
    ripgrep ??= findProgram('rg')
    const program = await ripgrep
    if (program !== undefined) return searchWithRipgrep(program, start, query, search)
  }
  if (query.regex) {
    throw new ToolError(
      'Regular expressions need ripgrep, which this machine lacks. Search for plain text (regex: false)',
    )
  }
  return searchByWalking(start, query, search)
}

async function searchWithRipgrep(
  program: string,
  start: Reached,
  query: TextQuery,
  { confinement, settings, signal }: TextSearch,
): Promise<TextFound> {
  // The folder is still the one that was judged; from here on it is ripgrep that opens things.
  await withDirectory(start.path, async () => {})
  const outcome = await runProgram(program, {
    args: ripgrepArguments(start.path, query, settings),
    cwd: start.directory.real,
    env: plainEnvironment(),
    maxBytes: MAX_OUTPUT,
    timeoutMs: settings.timeoutMs,
    signal,
  })
  // 1 is "nothing found"; 2 with matches is "some files could not be read".
  if (outcome.code === 2 && outcome.stdout.length === 0) {
    throw new ToolError(`The search failed: ${outcome.stderr.split('\n').slice(0, 5).join(' ').slice(0, 500)}`)
  }
  const matches: TextMatch[] = []
  const isWanted = createFilter(start, query.glob)
  // Ripgrep would read the rules above the configured directory, too, so it reads none above where it begins.
  const above = settings.ignore ? await rulesAbove(start.directory, start.path) : []
  const passedBy = new PassedBy(MAX_SEARCHED)
  const linesAround = createCheck(passedBy)
  let seen = 0
  for (const { path, line, text } of readRipgrep(outcome.stdout)) {
    if (confinement.isDenied(start.directory, path) || !isWanted(path) || isIgnored(above, path, false)) continue
    const lines = await linesAround(path, line, text)
    if (lines === undefined) continue
    if (seen++ < query.skip) continue
    if (matches.length === query.limit) return { engine: 'ripgrep', matches, hasMore: true, ...passedBy.toFound(true) }
    matches.push({ path, line, text: (text ?? '').slice(0, SHOWN), ...around(lines, line, query.context) })
  }
  return { engine: 'ripgrep', matches, hasMore: false, ...passedBy.toFound(!outcome.truncated && !outcome.timedOut) }
}

/**
 * The lines of a file, if one stands where ripgrep says. A folder that was swapped for a link while it searched has led it outside; the
 * file is opened again by the path that was judged, and what does not stand there is passed by.
 */
function createCheck(
  passedBy: PassedBy,
): (path: string, line: number, text: string | undefined) => Promise<readonly string[] | undefined> {
  let last: { readonly path: string; readonly lines: readonly string[] } | undefined
  return async (path, line, text) => {
    // Matches come sorted by path, so that the last file is all that is worth keeping.
    if (last?.path !== path) last = { path, lines: await readAllLines(path, passedBy) }
    return text !== undefined && last.lines[line - 1]?.slice(0, SHOWN) === text.slice(0, SHOWN) ? last.lines : undefined
  }
}

function ripgrepArguments(path: string, query: TextQuery, settings: FilesSettings): string[] {
  return [
    '--no-config',
    '--json',
    '--sort=path',
    '--hidden',
    '--no-follow',
    '--no-messages',
    '--no-require-git',
    '--no-ignore-global',
    '--no-ignore-parent',
    '--no-ignore-exclude',
    ...(settings.ignore ? ['--glob=!.git'] : ['--no-ignore']),
    `--glob=!/${TRASH}`,
    '--regex-size-limit=10M',
    `--max-depth=${settings.maxDepth}`,
    '--max-filesize=64M',
    '--max-columns=4096',
    '--max-columns-preview',
    query.ignoreCase ? '--ignore-case' : '--case-sensitive',
    ...(query.regex ? [] : ['--fixed-strings']),
    `--regexp=${query.pattern}`,
    '--',
    path,
  ]
}

/** Reads the lines of ripgrep's JSON that are matches; a last line that was cut off is left out. */
function* readRipgrep(output: Buffer): Generator<RipgrepLine> {
  for (const line of new StringDecoder('utf8').write(output).split('\n')) {
    if (!line.startsWith('{"type":"match"')) continue
    let message: RipgrepMatch
    try {
      // The shape is ripgrep's own and documented; every member is looked at before it is used.
      message = JSON.parse(line) as RipgrepMatch
    } catch {
      return
    }
    const { path, lines, line_number: number } = message.data ?? {}
    // A name or line that is not UTF-8 comes as `bytes`.
    if (typeof path?.text !== 'string' || typeof number !== 'number') continue
    const text = typeof lines?.text === 'string' ? lines.text.replace(/\r?\n$/, '') : undefined
    yield { path: path.text, line: number, text }
  }
}

interface RipgrepLine {
  readonly path: string
  readonly line: number
  /** Undefined where it is not UTF-8. */
  readonly text: string | undefined
}

interface RipgrepMatch {
  readonly data?: {
    readonly path?: { readonly text?: unknown }
    readonly lines?: { readonly text?: unknown }
    readonly line_number?: unknown
  }
}

async function searchByWalking(start: Reached, query: TextQuery, search: TextSearch): Promise<TextFound> {
  const { confinement, settings, signal, progress } = search
  const walk = new Walk(start.directory, start.path, { ...settings, signal })
  const wanted = query.ignoreCase ? query.pattern.toLowerCase() : query.pattern
  const isWanted = createFilter(start, query.glob)
  const until = performance.now() + settings.timeoutMs
  const passedBy = new PassedBy(settings.maxWriteBytes)
  const matches: TextMatch[] = []
  let seen = 0
  for await (const { path, kind } of walk.entries()) {
    if (walk.visited % 200 === 0) progress(walk.visited)
    if (performance.now() > until) return { engine: 'plain', matches, hasMore: false, ...passedBy.toFound(false) }
    if (kind !== 'file' || !isWanted(path) || confinement.isDenied(start.directory, path)) continue
    const lines = await readAllLines(path, passedBy)
    for (const [index, line] of lines.entries()) {
      if (!(query.ignoreCase ? line.toLowerCase() : line).includes(wanted)) continue
      if (seen++ < query.skip) continue
      if (matches.length === query.limit) return { engine: 'plain', matches, hasMore: true, ...passedBy.toFound(true) }
      matches.push({ path, line: index + 1, text: line.slice(0, SHOWN), ...around(lines, index + 1, query.context) })
    }
  }
  return { engine: 'plain', matches, hasMore: false, ...passedBy.toFound(walk.complete) }
}

/** What stands before and after a line, counted from 1. */
function around(lines: readonly string[], line: number, count: number): Pick<TextMatch, 'before' | 'after'> {
  if (count === 0) return {}
  const shown = (from: number, to: number): string[] =>
    lines.slice(Math.max(0, from), to).map((text) => text.slice(0, SHOWN))
  return { before: shown(line - 1 - count, line - 1), after: shown(line, line + count) }
}

function createFilter(start: Reached, glob: string | undefined): (path: string) => boolean {
  if (glob === undefined) return () => true
  const matches: GlobMatcher = createGlob(glob)
  return (path) => matches(relative(start.path, path).replaceAll(sep, '/'))
}

/** Counts the files that may hold what is looked for and were not looked through. */
class PassedBy {
  readonly maxBytes: number
  large = 0
  /** Neither UTF-8 nor binary: most likely text in another encoding. */
  foreign = 0
  unreadable = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  toFound(complete: boolean): Pick<TextFound, 'complete' | 'passedBy'> {
    const words = [
      ...(this.large > 0 ? [`${this.large} larger than ${this.maxBytes} bytes`] : []),
      ...(this.foreign > 0 ? [`${this.foreign} not in UTF-8`] : []),
      ...(this.unreadable > 0 ? [`${this.unreadable} that cannot be read`] : []),
    ]
    return words.length === 0 ? { complete } : { complete: false, passedBy: `Files: ${words.join(', ')}` }
  }
}

/** Nothing for what is not text, cannot be read or is too large to look through. */
async function readAllLines(path: string, passedBy: PassedBy): Promise<string[]> {
  try {
    return await withFile(path, async (file) => {
      if (file.size > passedBy.maxBytes) {
        passedBy.large++
        return []
      }
      const bytes = await readBytes(file, 0, file.size)
      const text = decodeText(bytes)
      if (text === undefined && !bytes.includes(0)) passedBy.foreign++
      return text === undefined ? [] : text.split(/\r?\n/)
    })
  } catch {
    passedBy.unreadable++
    return []
  }
}
