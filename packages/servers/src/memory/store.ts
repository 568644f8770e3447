/**
 * What is remembered, and for whom. Every method takes the owner first and every statement names them: that is all that
 * keeps one user's memory from another's, so it is in one place. Tools and resources are in the files beside this one.
 */

import { randomBytes } from 'node:crypto'
import { ToolError } from '@portico/sdk/server'
import type { Database, MemoryFile } from './database.ts'
import { MAX_TOLD_RELATIONS, type MemoryLimits } from './limits.ts'
import { escapeLike, keyOf, type Row, searchEntities, toRow } from './search.ts'

interface Fact {
  readonly id: number
  readonly text: string
  readonly at: string
  readonly source?: string
}

/** As the thing it is told about sees it: `from` and `to` are names, one of them its own. */
interface Relation {
  readonly id: number
  readonly from: string
  readonly kind: string
  readonly to: string
}

export interface Entity {
  readonly name: string
  readonly kind: string
  readonly facts: readonly Fact[]
  readonly relations: readonly Relation[]
}

export interface NewFact {
  readonly entity: string
  readonly text: string
  readonly kind?: string | undefined
  readonly source?: string | undefined
}

interface KeptFact {
  readonly entity: string
  readonly factId: number
  /** The thing was not known before. */
  readonly isNew: boolean
  readonly wasKnown: boolean
}

export class MemoryStore {
  readonly #file: MemoryFile
  readonly #limits: MemoryLimits

  constructor(file: MemoryFile, limits: MemoryLimits) {
    this.#file = file
    this.#limits = limits
  }

  /** A key that this file keeps: made at first use. */
  secret(name: string): Promise<Uint8Array> {
    return this.#file.transaction((db) => {
      const found = db.get('SELECT value FROM secrets WHERE name = ?', [name])?.value
      if (found instanceof Uint8Array) return found
      const made = new Uint8Array(randomBytes(32))
      db.run('INSERT INTO secrets (name, value) VALUES (?, ?)', [name, made])
      return made
    })
  }

  /** All of them or none. */
  remember(owner: string, facts: readonly NewFact[]): Promise<KeptFact[]> {
    return this.#file.transaction((db) => facts.map((fact) => this.#keep(db, owner, fact)))
  }

  /** The text before; undefined when there is no such fact. */
  change(owner: string, name: string, id: number, text: string): Promise<string | undefined> {
    return this.#file.transaction((db) => {
      const row = find(db, owner, name)
      const before = row && db.get('SELECT text FROM facts WHERE id = ? AND entity = ?', [id, row.id])
      if (row === undefined || before === undefined) return undefined
      const twin = db.get('SELECT id FROM facts WHERE entity = ? AND text = ? AND id <> ?', [row.id, text, id])
      if (twin !== undefined) throw new ToolError(`That is known already, as fact ${twin.id}. Forget one of the two.`)
      db.run('UPDATE facts SET text = ?, at = ? WHERE id = ?', [text, now(), id])
      db.run('UPDATE words SET text = ? WHERE rowid = ?', [`${row.name} ${text}`, id])
      return String(before.text)
    })
  }

  relate(owner: string, from: string, kind: string, to: string) {
    return this.#file.transaction((db) => {
      const subject = this.#touch(db, owner, from)
      const object = this.#touch(db, owner, to)
      const ids = [subject.row.id, kind, object.row.id]
      const known = db.get('SELECT id FROM relations WHERE subject = ? AND kind = ? AND object = ?', ids)
      const names = { from: subject.row.name, to: object.row.name, isNew: subject.isNew || object.isNew }
      if (known !== undefined) return { ...names, relationId: Number(known.id) }
      if (count(db, 'SELECT count(*) AS n FROM relations WHERE owner = ?', owner) >= this.#limits.maxRelations) {
        throw full(`${this.#limits.maxRelations} relations`, 'maxRelations')
      }
      const { lastId } = db.run('INSERT INTO relations (subject, kind, object, owner, at) VALUES (?, ?, ?, ?, ?)', [
        ...ids,
        owner,
        now(),
      ])
      return { ...names, relationId: lastId }
    })
  }

  entity(owner: string, name: string): Promise<Entity | undefined> {
    return this.#file.read((db) => {
      const row = find(db, owner, name)
      return row && tell(db, row)
    })
  }

  /** Things whose facts, names or relations have the words: those with all of them, or else those with some, best first. */
  search(owner: string, query: string, limit: number): Promise<Entity[]> {
    return this.#file.read((db) => searchEntities(db, owner, query, limit).map((row) => tell(db, row)))
  }

  /** In the order of their names; `after` is the last name of the page before. */
  list(owner: string, { after = '', kind, limit }: { after?: string; kind?: string; limit: number }) {
    return this.#file.read((db) =>
      db
        .all(
          `SELECT name, kind, (SELECT count(*) FROM facts WHERE entity = entities.id) AS facts FROM entities
           WHERE owner = ? AND key > ? AND (? IS NULL OR kind = ?) ORDER BY key LIMIT ?`,
          [owner, keyOf(after), kind ?? null, kind ?? null, limit],
        )
        .map((row) => ({
          name: String(row.name),
          kind: String(row.kind),
          facts: Number(row.facts),
        })),
    )
  }

  names(owner: string, prefix: string, limit: number): Promise<string[]> {
    return this.#file.read((db) =>
      db
        .all(`SELECT name FROM entities WHERE owner = ? AND key LIKE ? ESCAPE '\\' ORDER BY key LIMIT ?`, [
          ...[owner, `${escapeLike(keyOf(prefix))}%`, limit],
        ])
        .map(({ name }) => String(name)),
    )
  }

  /** Everything about some things, for an export; `after` is an entity's number. */
  page(owner: string, after: number, limit: number): Promise<{ entities: Entity[]; last: number | undefined }> {
    return this.#file.read((db) => {
      const rows = db.all('SELECT id, name, kind FROM entities WHERE owner = ? AND id > ? ORDER BY id LIMIT ?', [
        ...[owner, after, limit],
      ])
      const entities = rows.map((row) => tell(db, toRow(row)))
      const last = rows.at(-1)?.id
      return { entities, last: rows.length < limit ? undefined : Number(last) }
    })
  }

  /** False when there was no such thing, fact or relation. */
  forget(owner: string, name: string, what: { fact?: number; relation?: number }): Promise<boolean> {
    return this.#file.transaction((db) => {
      const row = find(db, owner, name)
      if (row === undefined) return false
      if (what.fact !== undefined) {
        return db.run('DELETE FROM facts WHERE id = ? AND entity = ?', [what.fact, row.id]).changes > 0
      }
      if (what.relation !== undefined) {
        const ids = [what.relation, row.id, row.id]
        return db.run('DELETE FROM relations WHERE id = ? AND (subject = ? OR object = ?)', ids).changes > 0
      }
      // The words of its facts are dropped by the facts' own trigger, which a cascade does not set off everywhere.
      db.run('DELETE FROM facts WHERE entity = ?', [row.id])
      return db.run('DELETE FROM entities WHERE id = ?', [row.id]).changes > 0
    })
  }

  close(): void {
    this.#file.close()
  }

  #keep(db: Database, owner: string, { entity, text, kind, source }: NewFact): KeptFact {
    const { row, isNew } = this.#touch(db, owner, entity, kind)
    const known = db.get('SELECT id FROM facts WHERE entity = ? AND text = ?', [row.id, text])
    if (known !== undefined) return { entity: row.name, factId: Number(known.id), isNew, wasKnown: true }
    if (count(db, 'SELECT count(*) AS n FROM facts WHERE entity = ?', row.id) >= this.#limits.maxFacts) {
      throw full(`${this.#limits.maxFacts} facts about one thing`, 'maxFacts')
    }
    const { lastId } = db.run('INSERT INTO facts (entity, text, source, at) VALUES (?, ?, ?, ?)', [
      ...[row.id, text, source ?? null, now()],
    ])
    return { entity: row.name, factId: lastId, isNew, wasKnown: false }
  }

  #touch(db: Database, owner: string, name: string, kind?: string): { row: Row; isNew: boolean } {
    const found = find(db, owner, name)
    if (found !== undefined) {
      const changes = kind === undefined ? [now(), found.kind, found.id] : [now(), kind, found.id]
      db.run('UPDATE entities SET changed = ?, kind = ? WHERE id = ?', changes)
      return { row: found, isNew: false }
    }
    if (count(db, 'SELECT count(*) AS n FROM entities WHERE owner = ?', owner) >= this.#limits.maxEntities) {
      throw full(`${this.#limits.maxEntities} things`, 'maxEntities')
    }
    const made = db.run('INSERT INTO entities (owner, name, key, kind, changed) VALUES (?, ?, ?, ?, ?)', [
      ...[owner, name, keyOf(name), kind ?? '', now()],
    ])
    return { row: { id: made.lastId, name, kind: kind ?? '' }, isNew: true }
  }
}

function find(db: Database, owner: string, name: string): Row | undefined {
  const row = db.get('SELECT id, name, kind FROM entities WHERE owner = ? AND key = ?', [owner, keyOf(name)])
  return row === undefined ? undefined : toRow(row)
}

function tell(db: Database, { id, name, kind }: Row): Entity {
  const facts = db.all('SELECT id, text, source, at FROM facts WHERE entity = ? ORDER BY id', [id])
  const relations = db.all(
    `SELECT r.id, s.name AS "from", r.kind, o.name AS "to" FROM relations r
     JOIN entities s ON s.id = r.subject JOIN entities o ON o.id = r.object
     WHERE r.subject = ? OR r.object = ? ORDER BY r.id LIMIT ${MAX_TOLD_RELATIONS}`,
    [id, id],
  )
  return {
    name,
    kind,
    facts: facts.map((fact) => ({
      id: Number(fact.id),
      text: String(fact.text),
      at: String(fact.at),
      ...(fact.source !== null && { source: String(fact.source) }),
    })),
    relations: relations.map((one) => ({
      id: Number(one.id),
      from: String(one.from),
      kind: String(one.kind),
      to: String(one.to),
    })),
  }
}

function count(db: Database, sql: string, value: string | number): number {
  return Number(db.get(sql, [value])?.n ?? 0)
}

function now(): string {
  return new Date().toISOString()
}

function full(what: string, option: string): ToolError {
  return new ToolError(`The memory holds ${what} and no more (option "${option}"). Forget something first.`)
}
