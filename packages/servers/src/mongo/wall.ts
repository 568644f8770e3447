/**
 * What may be asked of MongoDB: stages that read, of collections of the one database, without code of the asker's that the
 * database would run. The role decides in the end; this says no first, and in plain words.
 */

import { ToolError } from '@portico/sdk/server'
import { spellHidden } from '../text/plain-text.ts'

/** Stages that only read what they are given. Whatever MongoDB adds later is refused until it is named here. */
const STAGES: ReadonlySet<string> = new Set([
  ...['$match', '$project', '$group', '$sort', '$limit', '$skip', '$unwind', '$count', '$sample', '$facet', '$redact'],
  ...[
    '$lookup',
    '$graphLookup',
    '$unionWith',
    '$bucket',
    '$bucketAuto',
    '$sortByCount',
    '$addFields',
    '$set',
    '$unset',
  ],
  ...['$replaceRoot', '$replaceWith', '$geoNear', '$densify', '$fill', '$setWindowFields'],
  ...['$search', '$searchMeta', '$vectorSearch'],
])

/** Wherever they stand: code for the database to run, places to write to, and what a driver would take for values of its own. */
const FORBIDDEN: ReadonlySet<string> = new Set([
  ...['$where', '$function', '$accumulator', '$code', '$scope', '$eval', '$out', '$merge', '$dbPointer', '__proto__'],
  ...['_bsontype', 'toBSON'],
])

const MAX_DEPTH = 50
const MAX_NODES = 10_000
const MAX_STAGES = 100

/** Throws unless every part of a filter, projection or sort order only reads. */
export function requireReadingFilter(filter: unknown, mayRead: (collection: string) => void): void {
  walk(filter, { depth: 0, nodes: { left: MAX_NODES }, mayRead })
}

/** The same for the stages of an aggregation, and for those inside of them. */
export function requireReadingPipeline(pipeline: unknown, mayRead: (collection: string) => void): void {
  checkPipeline(pipeline, { depth: 0, nodes: { left: MAX_NODES }, mayRead })
}

/** The name of a collection that is somebody's data: not one of the database's own, and no other kind of name. */
export function requireCollectionName(name: unknown): string {
  if (typeof name === 'string' && name.length > 0 && name.length <= 200) {
    const isPlain = !name.includes('$') && !name.includes('\0') && !name.startsWith('.') && !name.endsWith('.')
    if (isPlain && !/^system\./i.test(name)) return name
  }
  throw new ToolError('This is no collection that can be read here. list_collections shows what there is.')
}

interface Walk {
  readonly depth: number
  readonly nodes: { left: number }
  readonly mayRead: (collection: string) => void
}

function walk(value: unknown, at: Walk): void {
  if (--at.nodes.left < 0 || at.depth > MAX_DEPTH) throw new ToolError('This is nested too deeply, or too long.')
  if (typeof value !== 'object' || value === null) return
  const inside = { ...at, depth: at.depth + 1 }
  if (Array.isArray(value)) {
    for (const item of value) walk(item, inside)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    if (FORBIDDEN.has(name) || name.startsWith('$_')) throw refused(name)
    walk(member, inside)
  }
}

function checkPipeline(pipeline: unknown, at: Walk): void {
  if (!Array.isArray(pipeline) || pipeline.length > MAX_STAGES) {
    throw new ToolError(`A pipeline is a list of at most ${MAX_STAGES} stages.`)
  }
  for (const stage of pipeline) {
    const entries = Object.entries(toMembers(stage))
    const [only, ...more] = entries
    if (only === undefined || more.length > 0)
      throw new ToolError('Each stage is an object with one member: { "$match": … }.')
    checkStage(only[0], only[1], { ...at, depth: at.depth + 1 })
  }
}

function checkStage(name: string, body: unknown, at: Walk): void {
  if (!STAGES.has(name)) throw refused(name)
  walk(body, at)
  const members = toMembers(body)
  switch (name) {
    case '$facet':
      for (const pipeline of Object.values(members)) checkPipeline(pipeline, at)
      return
    case '$lookup':
    case '$graphLookup':
      // Without a collection its pipeline brings documents of its own.
      if (members.from !== undefined || name === '$graphLookup') at.mayRead(requireCollectionName(members.from))
      if (members.pipeline !== undefined) checkPipeline(members.pipeline, at)
      return
    case '$unionWith': {
      const other = typeof body === 'string' ? body : members.coll
      at.mayRead(requireCollectionName(other))
      if (members.pipeline !== undefined) checkPipeline(members.pipeline, at)
      return
    }
  }
}

function toMembers(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as never) : {}
}

function refused(name: string): ToolError {
  return new ToolError(
    `${spellHidden(name.slice(0, 60))} is refused: only what reads, and runs no code in the database, is sent.`,
  )
}
