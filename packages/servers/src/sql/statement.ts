/**
 * Reads a statement far enough to say what kind it is and that it is alone. This is the first of two walls and gives the
 * better message; the second is the engine's own read-only transaction. Nothing is let through here because of what it
 * looks like: only statements that begin with a reading word are.
 */

import { ToolError } from '@portico/sdk/server'
import type { Dialect } from './engine.ts'

const READING: { readonly [D in Dialect]: ReadonlySet<string> } = {
  sqlite: new Set(['SELECT', 'WITH', 'VALUES']),
  postgresql: new Set(['SELECT', 'WITH', 'VALUES', 'TABLE']),
  mysql: new Set(['SELECT', 'WITH', 'VALUES', 'TABLE', 'SHOW']),
  mariadb: new Set(['SELECT', 'WITH', 'VALUES', 'SHOW']),
}

/** What `execute` never runs: it would reach beyond the database that the server was given, or change its own guards. */
const BEYOND: ReadonlySet<string> = new Set([
  ...['ATTACH', 'DETACH', 'VACUUM', 'PRAGMA', 'BEGIN', 'COMMIT', 'END', 'ROLLBACK', 'SAVEPOINT', 'RELEASE', 'START'],
  ...['SET', 'RESET', 'DISCARD', 'COPY', 'LOAD', 'LISTEN', 'NOTIFY', 'PREPARE', 'EXECUTE', 'DEALLOCATE', 'DO', 'CALL'],
  ...['SHUTDOWN', 'KILL', 'INSTALL', 'UNINSTALL', 'CHANGE', 'FLUSH', 'HANDLER', 'LOCK', 'UNLOCK', 'USE', 'XA', 'ABORT'],
])

/** Files of the database's machine, in words that MySQL and MariaDB know. */
const FILE_WORDS: ReadonlySet<string> = new Set(['OUTFILE', 'DUMPFILE', 'LOAD_FILE'])

interface Shape {
  /** The first word, in capitals; empty when there is none. */
  readonly keyword: string
  /** Where its first semicolon stands, or the end of the text. */
  readonly end: number
  /** Whether anything but comments follows a semicolon. */
  readonly several: boolean
  /** `/*!`: a comment that MySQL and MariaDB run. */
  readonly executableComment: boolean
  readonly namesFile: boolean
  /** Every word and every quoted name, in small letters. */
  readonly names: ReadonlySet<string>
  /** `U&"…"`: a name that can be spelled in many ways. */
  readonly spelledName: boolean
}

/**
 * The statement without its semicolon; throws what to do instead when it does not only read. `effects` are functions that do
 * something although they stand in a question: a name has one spelling, so that it can be looked for.
 */
export function requireReading(
  sql: string,
  dialect: Dialect,
  hasWrite: boolean,
  effects: ReadonlySet<string> = new Set(),
): string {
  const shape = inspectStatement(sql, dialect)
  refuseOddities(shape)
  const effect = [...shape.names].find((name) => effects.has(name))
  if (effect !== undefined) {
    throw new ToolError(`The function ${effect} is not available to a question: it does more than read.`)
  }
  if (shape.keyword === 'SHOW' && (shape.names.has('grants') || shape.names.has('user'))) {
    throw new ToolError('Accounts are not shown: their passwords would be, as hashes.')
  }
  if (READING[dialect].has(shape.keyword)) return sql.slice(0, shape.end)
  const words = [...READING[dialect]].join(', ')
  const instead = hasWrite ? 'Use the tool execute for statements that change something.' : WRITE_HINT
  throw new ToolError(`This tool only reads: a statement begins with one of ${words}. ${instead}`)
}

export function requireWritable(sql: string, dialect: Dialect): void {
  const shape = inspectStatement(sql, dialect)
  refuseOddities(shape)
  if (shape.keyword === '') throw new ToolError('There is no statement in this text.')
  if (!BEYOND.has(shape.keyword)) return
  throw new ToolError(
    `${shape.keyword} is not available: it would reach beyond this database or the transaction it runs in.`,
  )
}

const WRITE_HINT = 'This server was started read-only (option "write").'

function refuseOddities({ several, executableComment, namesFile, spelledName }: Shape): void {
  if (spelledName) throw new ToolError('Names and texts spelled by numbers (U&"…") are refused. Write them out.')
  if (several) throw new ToolError('One statement at a time: send what follows the semicolon by itself.')
  if (executableComment) throw new ToolError('Comments that the database runs (/*! … */) are refused. Leave them out.')
  if (namesFile) throw new ToolError('Files of the database’s machine are neither read nor written.')
}

/** What can be skipped as one piece; the rest is read word by word. Sticky, and linear: no two ways to match anything. */
const MYSQL_PIECES =
  /(?:--(?=\s|$)|#)[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^'\\]|''|\\[\s\S])*'?|"(?:[^"\\]|""|\\[\s\S])*"?|`(?:[^`]|``)*`?/y
const PIECES: { readonly [D in Dialect]: RegExp } = {
  sqlite: /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?/y,
  postgresql: /--[^\n]*|'(?:[^']|'')*'?|"(?:[^"]|"")*"?/y,
  mysql: MYSQL_PIECES,
  mariadb: MYSQL_PIECES,
}
const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy
const SPACE = /\s+/y
const ESCAPE_STRING = /[eE]'(?:[^'\\]|''|\\[\s\S])*'?/y
const DOLLAR_TAG = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy

export function inspectStatement(sql: string, dialect: Dialect): Shape {
  let keyword = ''
  let several = false
  let end = sql.length
  let executableComment = false
  let spelledName = false
  const names = new Set<string>()
  const isMysql = dialect === 'mysql' || dialect === 'mariadb'
  for (let at = 0; at < sql.length; ) {
    const skipped = skip(sql, at, dialect)
    if (skipped > at) {
      if (isMysql && /^\/\*M?!/.test(sql.slice(at, at + 4))) executableComment = true
      // A string or quoted name is something; a comment or space is not.
      if (end < at && !/[\s\-#/]/.test(sql.charAt(at))) several = true
      if (/["`[]/.test(sql.charAt(at))) names.add(sql.slice(at + 1, skipped - 1).toLowerCase())
      at = skipped
      continue
    }
    const character = sql.charAt(at)
    const word = match(WORD, sql, at)
    if (character === ';') end = Math.min(end, at)
    else if (end < at) several = true
    // Brackets may stand before the first word; anything else there leaves the statement without one.
    else if (keyword === '' && character !== '(') keyword = word?.toUpperCase() ?? '?'
    if (word !== undefined) names.add(word.toLowerCase())
    if (dialect === 'postgresql' && word?.toLowerCase() === 'u' && /^&["']/.test(sql.slice(at + 1, at + 3))) {
      spelledName = true
    }
    at += word?.length ?? 1
  }
  const namesFile = isMysql && [...FILE_WORDS].some((word) => names.has(word.toLowerCase()))
  const isTrigger = dialect === 'sqlite' && keyword === 'CREATE' && names.has('trigger') && /\bend[\s;]*$/i.test(sql)
  return {
    ...{ keyword: keyword === '?' ? '' : keyword, executableComment, namesFile, names, spelledName },
    // The statements of a trigger end in semicolons of their own.
    ...(isTrigger ? { end: sql.length, several: false } : { end, several }),
  }
}

/** The end of the space, comment, string or quoted name at this place, or the place itself. */
function skip(sql: string, at: number, dialect: Dialect): number {
  const space = match(SPACE, sql, at)
  if (space !== undefined) return at + space.length
  if (dialect === 'postgresql') {
    if (sql.startsWith('/*', at)) return endOfNestedComment(sql, at)
    const tag = match(DOLLAR_TAG, sql, at)
    if (tag !== undefined) {
      const end = sql.indexOf(tag, at + tag.length)
      return end === -1 ? sql.length : end + tag.length
    }
    const escaped = match(ESCAPE_STRING, sql, at)
    if (escaped !== undefined) return at + escaped.length
  }
  return at + (match(PIECES[dialect], sql, at)?.length ?? 0)
}

function endOfNestedComment(sql: string, start: number): number {
  let depth = 0
  for (let at = start; at < sql.length; at++) {
    if (sql.startsWith('/*', at)) depth++
    else if (sql.startsWith('*/', at)) depth--
    else continue
    at++
    if (depth === 0) return at + 1
  }
  return sql.length
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
