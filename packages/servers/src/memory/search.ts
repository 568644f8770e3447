/** Finds remembered things by words: in their facts, their names and how they are related. */

import type { Database } from './database.ts'

export interface Row {
  readonly id: number
  readonly name: string
  readonly kind: string
}

/** Things that one word may bring. */
const MOST = 1000
/** A shorter word means itself, not the beginning of others: the 5 of "item 5" is not that of "item 50". */
const SHORTEST_PREFIX = 3

/** Those that have every word, or where there are none those that have some; the more the better, then by rank. */
export function searchEntities(db: Database, owner: string, query: string, limit: number): Row[] {
  const words = wordsOf(query)
  const found = new Map<number, { row: Row; hits: number; rank: number }>()
  for (const word of words) {
    for (const [id, { row, rank }] of having(db, owner, word)) {
      const known = found.get(id) ?? { row, hits: 0, rank: 0 }
      found.set(id, { row, hits: known.hits + 1, rank: known.rank + rank })
    }
  }
  const all = [...found.values()].sort((a, b) => b.hits - a.hits || a.rank - b.rank)
  const best = all[0]?.hits === words.length ? all.filter(({ hits }) => hits === words.length) : all
  return best.slice(0, limit).map(({ row }) => row)
}

/** The things that have one word. */
function having(db: Database, owner: string, word: string): Map<number, { row: Row; rank: number }> {
  const isPrefix = word.length >= SHORTEST_PREFIX
  const byFact = db.all(
    `SELECT e.id, e.name, e.kind, min(w.rank) AS best
     FROM (SELECT rowid, rank FROM words WHERE words MATCH ?) AS w
       JOIN facts f ON f.id = w.rowid JOIN entities e ON e.id = f.entity
     WHERE e.owner = ? GROUP BY e.id ORDER BY best LIMIT ${MOST}`,
    [`"${word}"${isPrefix ? '*' : ''}`, owner],
  )
  const like = `%${escapeLike(keyOf(word))}%`
  const byName = db.all(
    `SELECT id, name, kind, key AS text FROM entities WHERE owner = ? AND key LIKE ? ESCAPE '\\' ORDER BY key LIMIT ${MOST}`,
    [owner, like],
  )
  const byRelation = db.all(
    `SELECT e.id, e.name, e.kind, r.kind AS text FROM relations r
       JOIN entities e ON e.id = r.subject OR e.id = r.object
     WHERE r.owner = ? AND r.kind LIKE ? ESCAPE '\\' ORDER BY r.id LIMIT ${MOST}`,
    [owner, like],
  )
  const fits = (text: unknown): boolean =>
    wordsOf(keyOf(String(text))).some((one) => (isPrefix ? one.startsWith(keyOf(word)) : one === keyOf(word)))
  const found = new Map<number, { row: Row; rank: number }>()
  for (const row of byFact) found.set(Number(row.id), { row: toRow(row), rank: Number(row.best) })
  for (const row of [...byName, ...byRelation]) {
    const id = Number(row.id)
    if (!found.has(id) && fits(row.text)) found.set(id, { row: toRow(row), rank: 0 })
  }
  return found
}

/** Letters and digits alone: the search has a language of its own, which is not for strangers. */
function wordsOf(query: string): string[] {
  return [...new Set(query.match(/[\p{L}\p{N}]+/gu) ?? [])].slice(0, 20)
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
