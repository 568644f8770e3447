/** What a model can do with a MongoDB database: see what there is, ask for documents, and see how a question would be run. */

import { tool } from '@portico/sdk/server'
import type { Document } from 'mongodb'
import { type Asker, askerOf } from '../caller.ts'
import { CURSOR_INPUT, countFrom, toCursor } from '../cursor.ts'
import { spellHidden } from '../text/plain-text.ts'
import { Page, toAnswer } from './answer.ts'
import type { MongoDatabase } from './database.ts'
import { Shape } from './shape.ts'
import { requireCollectionName, requireReadingFilter, requireReadingPipeline } from './wall.ts'

export interface MongoHost {
  readonly database: MongoDatabase
  /** Throws unless a collection is among those that the operator named. */
  readonly mayRead: (collection: string) => void
}

type Objects = { readonly [name: string]: unknown }

const READS = { readOnly: true, idempotent: true, openWorld: false } as const
const COLLECTION = { type: 'string', minLength: 1, maxLength: 200, description: 'Its name' } as const
const FILTER = {
  type: 'object',
  description: 'As MongoDB has it; ids as {"$oid": "…"}, dates as {"$date": "…"}',
} as const
const PIPELINE = { type: 'array', items: { type: 'object' }, maxItems: 100, description: 'Stages that read' } as const
const SORT = { type: 'object', description: '{"field": 1} or -1; the first counts most' } as const
const SAMPLE = 100

export function createTools(host: MongoHost) {
  return {
    list_collections: listTool(host),
    describe_collection: describeTool(host),
    find: findTool(host),
    aggregate: aggregateTool(host),
    explain: explainTool(host),
  }
}

function listTool({ database, mayRead }: MongoHost) {
  return tool(
    {
      description: 'The collections and views of the database',
      input: { type: 'object', properties: {}, additionalProperties: false },
      ...READS,
    },
    async (_, ctx) => {
      return toAnswer(database.name, await collectionLines({ database, mayRead }, askerOf(ctx)))
    },
  )
}

/** A line for each collection that may be read, whatever is in its name. */
export async function collectionLines({ database, mayRead }: MongoHost, asker: Asker): Promise<string> {
  const lines = (await database.collections(asker)).flatMap(({ name, type }) => {
    try {
      mayRead(requireCollectionName(name))
    } catch {
      return []
    }
    return [`${toLine(String(name))}${type === 'view' ? ' (view)' : ''}`]
  })
  const shown = lines.sort().slice(0, MAX_COLLECTIONS)
  const more = lines.length > shown.length ? `\n… and ${lines.length - shown.length} more` : ''
  return shown.length === 0 ? 'No collections.' : shown.join('\n') + more
}

const MAX_COLLECTIONS = 1000

function describeTool(host: MongoHost) {
  const { database } = host
  return tool(
    {
      description: 'The fields of a collection with their types, from a sample of documents, and its indexes',
      input: {
        type: 'object',
        properties: {
          collection: COLLECTION,
          sample: {
            type: 'integer',
            minimum: 1,
            maximum: 1000,
            description: `Documents to look at: ${SAMPLE} unless given`,
          },
        },
        required: ['collection'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ collection, sample: size = SAMPLE }, ctx) => {
      const name = nameOf(host, collection)
      const shape = new Shape()
      let looked = 0
      const pipeline = [{ $sample: { size } }]
      await database.read(
        name,
        { pipeline },
        (document) => {
          shape.add(document)
          return ++looked < size
        },
        askerOf(ctx),
      )
      const indexes = (await database.indexes(name, askerOf(ctx))).map((index) => {
        const { name: called, key, unique } = index
        return `${toLine(String(called))} ${toLine(JSON.stringify(database.toJson(key as Document)))}${unique === true ? ' unique' : ''}`
      })
      const fields = shape.toLines().map(toLine)
      return toAnswer(
        sourceOf(host, name),
        [
          `Fields (of ${looked} documents):`,
          ...fields,
          'Indexes:',
          ...(indexes.length === 0 ? ['none'] : indexes),
        ].join('\n'),
      )
    },
  )
}

function findTool(host: MongoHost) {
  const { database } = host
  const { maxDocuments } = database.limits
  return tool(
    {
      description: 'Documents that a filter fits, as extended JSON, in pages',
      input: {
        type: 'object',
        properties: {
          collection: COLLECTION,
          filter: FILTER,
          projection: { type: 'object', description: '{"field": 1} for those that are wanted' },
          sort: SORT,
          limit: limitSchema(maxDocuments),
          cursor: { ...CURSOR_INPUT, description: 'From the page before, with the same filter and sort' },
        },
        required: ['collection'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ collection, filter = {}, projection = {}, sort = {}, limit = DEFAULT_LIMIT, cursor }, ctx) => {
      const name = nameOf(host, collection)
      for (const part of [filter, projection, sort]) requireReadingFilter(part, host.mayRead)
      const wanted = Math.min(limit, maxDocuments)
      const question = [name, filter, sort]
      const skip = countFrom(cursor, question)
      const page = new Page(database.limits, wanted)
      const shape = {
        projection: database.toBson(projection),
        sort: database.toBson(sort),
        skip,
        // One more tells whether there is another page.
        limit: wanted + 1,
      }
      const take = (document: Document): boolean => page.add(database.toJson(document))
      await database.read(name, { filter: database.toBson(filter), shape }, take, askerOf(ctx))
      return page.answer(
        sourceOf(host, name),
        (count) => `Ask again with cursor "${toCursor(String(skip + count), question)}".`,
      )
    },
  )
}

function aggregateTool(host: MongoHost) {
  const { database } = host
  const { maxDocuments } = database.limits
  return tool(
    {
      description: 'What a pipeline of reading stages comes to: groups, counts, joins within the database',
      input: {
        type: 'object',
        properties: { collection: COLLECTION, pipeline: PIPELINE, limit: limitSchema(maxDocuments) },
        required: ['collection', 'pipeline'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ collection, pipeline, limit = DEFAULT_LIMIT }, ctx) => {
      const name = nameOf(host, collection)
      requireReadingPipeline(pipeline, host.mayRead)
      const wanted = Math.min(limit, maxDocuments)
      const page = new Page(database.limits, wanted)
      const stages = [...toStages(database, pipeline), { $limit: wanted + 1 }]
      const take = (document: Document): boolean => page.add(database.toJson(document))
      await database.read(name, { pipeline: stages }, take, askerOf(ctx))
      return page.answer(sourceOf(host, name), () => 'Sort, and add $skip or $limit to the pipeline.')
    },
  )
}

function explainTool(host: MongoHost) {
  const { database } = host
  return tool(
    {
      description: 'How MongoDB would run a find or, with pipeline, an aggregate, without running it',
      input: {
        type: 'object',
        properties: { collection: COLLECTION, filter: FILTER, sort: SORT, pipeline: PIPELINE },
        required: ['collection'],
        additionalProperties: false,
      },
      ...READS,
    },
    async ({ collection, filter = {}, sort = {}, pipeline }, ctx) => {
      const name = nameOf(host, collection)
      for (const part of [filter, sort]) requireReadingFilter(part, host.mayRead)
      if (pipeline !== undefined) requireReadingPipeline(pipeline, host.mayRead)
      const explain =
        pipeline === undefined
          ? { find: name, filter: database.toBson(filter), sort: database.toBson(sort) }
          : { aggregate: name, pipeline: toStages(database, pipeline), cursor: {} }
      const plan = await database.command({ explain, verbosity: 'queryPlanner' }, askerOf(ctx))
      const { queryPlanner, stages } = plan
      const page = new Page(database.limits, 1)
      page.add(database.toJson({ queryPlanner, stages }))
      return page.answer(sourceOf(host, name), () => 'It was cut.')
    },
  )
}

const DEFAULT_LIMIT = 20

function limitSchema(maxDocuments: number) {
  return {
    type: 'integer',
    minimum: 1,
    maximum: maxDocuments,
    description: `Documents at most: ${Math.min(DEFAULT_LIMIT, maxDocuments)} unless given`,
  } as const
}

function nameOf({ mayRead }: MongoHost, collection: string): string {
  const name = requireCollectionName(collection)
  mayRead(name)
  return name
}

function toStages(database: MongoDatabase, pipeline: readonly Objects[]): Document[] {
  return pipeline.map((stage) => database.toBson(stage))
}

function sourceOf({ database }: MongoHost, collection: string): string {
  return toLine(`${database.name}.${collection}`)
}

/** One line, whatever is in a name. */
function toLine(value: string): string {
  return spellHidden(value.replace(/[\r\n\u2028\u2029]+/g, ' '))
}
