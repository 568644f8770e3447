/** Finds remembered things by words: in their facts, their names and how they are related. */

import type { Database } from './database.ts'

export interface Row {
  readonly id: number
  readonly name: string
  readonly kind: string
}

/** Things that are looked at for the sake of names, and of relations. */
const MOST = 1000
/** A shorter word means itself, not the beginning of others: the 5 of "item 5" is not that of "item 50". */
const SHORTEST_PREFIX = 3

/** Those that have every word, or where there are none those that have some; the more the better, then by rank. */
export function searchEntities(db: Database, owner: string, query: string, limit: number): Row[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const matches = words.map(toMatch)
  const outside = JSON.stringify(outsideFacts(db, owner, words))
  const whole = db.all(havingAll(words.length), [owner, ...matches.flatMap((match) => [match, outside])])
  // Most questions are for one thing, which needs no rank.
  if (whole.length === 1) return whole.map(toRow)
  return db.all(toSearch(words.length), [...matches, outside, owner, ...matches, limit]).map(toRow)
}

/** Two at most of those that have every word. */
function havingAll(words: number): string {
  const having = Array.from({ length: words }, (_, at) => {
    const named = `SELECT value ->> 1 FROM json_each(?) WHERE value ->> 0 = ${at}`
    return `SELECT * FROM (SELECT f.entity FROM words w JOIN facts f ON f.id = w.rowid WHERE w.words MATCH ? UNION ALL ${named})`
  })
  return `SELECT id, name, kind FROM entities WHERE owner = ? AND id IN (${having.join(' INTERSECT ')}) LIMIT 2`
}

/** What words have in common is found inside SQLite, and only that is ranked: most rows never leave it. */
function toSearch(words: number): string {
  const each = (select: (word: number) => string): string =>
    Array.from({ length: words }, (_, at) => select(at)).join('')
  const inFacts = (word: number) =>
    `SELECT ${word}, f.entity FROM words w JOIN facts f ON f.id = w.rowid WHERE w.words MATCH ? UNION ALL `
  const ranks = (word: number) =>
    `SELECT ${word} AS word, f.entity, min(w.rank) AS rank FROM words w JOIN facts f ON f.id = w.rowid
     WHERE w.words MATCH ? AND f.entity IN (SELECT id FROM best) GROUP BY f.entity UNION ALL `
  return `WITH hits (word, entity) AS (${each(inFacts)} SELECT value ->> 0, value ->> 1 FROM json_each(?)),
    mine AS MATERIALIZED (
      SELECT e.id, e.name, e.kind, count(DISTINCT word) AS hits FROM hits JOIN entities e ON e.id = hits.entity
      WHERE e.owner = ? GROUP BY e.id),
    best AS MATERIALIZED (
      SELECT * FROM mine WHERE hits = ${words} OR NOT EXISTS (SELECT 1 FROM mine WHERE hits = ${words}))
    SELECT id, name, kind FROM best
      LEFT JOIN (SELECT entity, sum(rank) AS rank FROM (${each(ranks)} SELECT NULL, NULL, 0) GROUP BY entity) ON entity = id
    ORDER BY hits DESC, coalesce(rank, 0) LIMIT ?`
}

/** A word in the language of the full-text index, which composes no letters: as it was written, and as names are kept. */
function toMatch(word: string): string {
  return [...new Set([word, keyOf(word)])].map((one) => `"${one}"${isPrefix(word) ? '*' : ''}`).join(' OR ')
}

/** Which things have which words in how they are related, or in a name that their facts do not tell in the same letters. */
function outsideFacts(db: Database, owner: string, words: readonly string[]): [word: number, entity: number][] {
  const keys = words.map(keyOf)
  const found: [word: number, entity: number][] = []
  const take = (id: unknown, text: unknown): void => {
    for (const [at, key] of keys.entries()) if (hasWord(text, key)) found.push([at, Number(id)])
  }
  const names = db.all(
    `SELECT id, key FROM entities WHERE owner = ? AND (${keys.map(() => 'instr(key, ?) > 0').join(' OR ')})
       AND (key <> lower(name) OR NOT EXISTS (SELECT 1 FROM facts WHERE entity = entities.id))
     ORDER BY key LIMIT ${MOST}`,
    [owner, ...keys],
  )
  for (const { id, key } of names) take(id, key)
  const kinds = db
    .all('SELECT DISTINCT kind FROM relations WHERE owner = ?', [owner])
    .flatMap(({ kind }) => (keys.some((key) => hasWord(kind, key)) ? [String(kind)] : []))
  if (kinds.length === 0) return found
  const relations = db.all(
    `SELECT subject, object, kind FROM relations WHERE owner = ? AND kind IN (SELECT value FROM json_each(?))
     ORDER BY id LIMIT ${MOST}`,
    [owner, JSON.stringify(kinds)],
  )
  for (const { subject, object, kind } of relations) for (const id of [subject, object]) take(id, kind)
  return found
}

function hasWord(text: unknown, key: string): boolean {
  return wordsOf(keyOf(String(text))).some((one) => (isPrefix(key) ? one.startsWith(key) : one === key))
}

function isPrefix(word: string): boolean {
  return word.length >= SHORTEST_PREFIX
}

/**
 * Letters and digits alone: the search has a language of its own, which is not for strangers. An accent that is written as a sign of
 * its own ends no word, as it ends none in the index, which drops them all.
 */
function wordsOf(query: string): string[] {
  const composed = query.normalize('NFC').replace(/[\u0300-\u0331]/g, '')
  return [...new Set(composed.match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, 20)
}

/** Two spellings of a name that differ in case or composition are one name. */
export function keyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim()
}

export function toRow(row: { readonly [column: string]: unknown }): Row {
  return { id: Number(row.id), name: String(row.name), kind: String(row.kind) }
}

export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
