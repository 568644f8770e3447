/** What a model can do with its memory: add to it, ask it, look through it, and forget after the user agreed. */

import { ToolError, tool } from '@portico/sdk/server'
import { requireConfirmation } from '../confirmation.ts'
import { countFrom, fromCursor, toCursor } from '../cursor.ts'
import { spellHidden } from '../text/plain-text.ts'
import { MAX_NAME_LENGTH, type MemoryLimits } from './limits.ts'
import type { Entity, MemoryStore } from './store.ts'
import { EXPORTED, FORGOTTEN, LISTED, RECALLED, RELATED, REMEMBERED } from './tool-schemas.ts'
import { entityUri, type Owner, type Owners } from './uris.ts'

interface ToolParts {
  readonly store: MemoryStore
  readonly owners: Owners
  readonly limits: MemoryLimits
  readonly allowUnasked: boolean
  /** Tells clients what changed; `isNew` when the list did, too. */
  readonly onChange: (owner: Owner, names: readonly string[], isNew: boolean) => void
}

const LIST_PAGE = 100
const EXPORT_PAGE = 50

const NAME = { type: 'string', minLength: 1, maxLength: MAX_NAME_LENGTH } as const
const CURSOR = { type: 'string', maxLength: 2000, description: 'nextCursor of the page before' } as const

export function createTools(parts: ToolParts) {
  return {
    remember: createRemember(parts),
    relate: createRelate(parts),
    recall: createRecall(parts),
    list_entities: createListEntities(parts),
    export: createExport(parts),
    forget: createForget(parts),
  }
}

function createRemember({ store, owners, limits, onChange }: ToolParts) {
  return tool(
    {
      title: 'Remember',
      description: 'Keep a fact about a person, place, project or thing, beyond this conversation.',
      input: {
        type: 'object',
        properties: {
          entity: { ...NAME, description: 'What the fact is about' },
          fact: {
            type: 'string',
            minLength: 1,
            maxLength: limits.maxFactLength,
            description: 'One fact, one sentence',
          },
          kind: { type: 'string', maxLength: 50, description: 'What kind of thing it is: person, project, place…' },
          source: { type: 'string', maxLength: 500, description: 'Where the fact comes from' },
        },
        required: ['entity', 'fact'],
        additionalProperties: false,
      },
      output: REMEMBERED,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
    async ({ entity, fact, kind, source }, ctx) => {
      const owner = owners.of(ctx.principal)
      const name = cleanName(entity)
      const kept = await store.remember(owner.id, name, { text: fact.trim(), kind, source })
      if (!kept.wasKnown) onChange(owner, [kept.entity], kept.isNew)
      const uri = entityUri(kept.entity, owner)
      return { entity: kept.entity, fact_id: kept.factId, was_known: kept.wasKnown, uri }
    },
  )
}

function createRelate({ store, owners, onChange }: ToolParts) {
  return tool(
    {
      title: 'Relate',
      description: 'Keep how two things are related: from, relation, to. Things not known yet are made.',
      input: {
        type: 'object',
        properties: {
          from: { ...NAME, description: 'For instance Ada' },
          relation: { type: 'string', minLength: 1, maxLength: 100, description: 'For instance works at' },
          to: { ...NAME, description: 'For instance Lighthouse Ltd' },
        },
        required: ['from', 'relation', 'to'],
        additionalProperties: false,
      },
      output: RELATED,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
    async ({ from, relation, to }, ctx) => {
      const owner = owners.of(ctx.principal)
      const made = await store.relate(owner.id, cleanName(from), relation.trim(), cleanName(to))
      onChange(owner, [made.from, made.to], made.isNew)
      return { relation_id: made.relationId, from: made.from, to: made.to }
    },
  )
}

function createRecall({ store, owners }: ToolParts) {
  return tool(
    {
      title: 'Recall',
      description: 'What is remembered: by words, with the things that the found ones are related to.',
      input: {
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 1, maxLength: 500, description: 'Words of facts or names' },
          limit: { type: 'integer', minimum: 1, maximum: 50, description: 'Things at most; 10 unless given' },
        },
        required: ['query'],
        additionalProperties: false,
      },
      output: RECALLED,
      readOnly: true,
      openWorld: false,
    },
    async ({ query, limit = 10 }, ctx) => {
      const owner = owners.of(ctx.principal)
      const found = await store.search(owner.id, query, limit)
      const neighbours = await neighboursOf(store, owner, found, limit)
      return { found: found.map((one) => show(one, owner)), neighbours: neighbours.map((one) => show(one, owner)) }
    },
  )
}

function createListEntities({ store, owners }: ToolParts) {
  return tool(
    {
      title: 'List entities',
      description: 'Everything that something is remembered about, by name.',
      input: {
        type: 'object',
        properties: {
          kind: { type: 'string', maxLength: 50, description: 'Only things of this kind' },
          cursor: CURSOR,
        },
        additionalProperties: false,
      },
      output: LISTED,
      readOnly: true,
      openWorld: false,
    },
    async ({ kind, cursor }, ctx) => {
      const after = cursor === undefined ? '' : fromCursor(cursor)
      const rows = await store.list(owners.of(ctx.principal).id, { after, kind, limit: LIST_PAGE })
      const last = rows.length < LIST_PAGE ? undefined : rows.at(-1)?.key
      return {
        entities: rows.map(({ name, kind: of, facts }) => ({
          name: spellHidden(name),
          kind: spellHidden(of),
          facts,
        })),
        ...(last !== undefined && { nextCursor: toCursor(last) }),
      }
    },
  )
}

function createExport({ store, owners }: ToolParts) {
  return tool(
    {
      title: 'Export',
      description: 'All that is remembered, whole, in pages: to keep a copy or to move it elsewhere.',
      input: { type: 'object', properties: { cursor: CURSOR }, additionalProperties: false },
      output: EXPORTED,
      readOnly: true,
      openWorld: false,
    },
    async ({ cursor }, ctx) => {
      const owner = owners.of(ctx.principal)
      const { entities, last } = await store.page(owner.id, countFrom(cursor), EXPORT_PAGE)
      return {
        entities: entities.map((one) => show(one, owner)),
        ...(last !== undefined && { nextCursor: toCursor(String(last)) }),
      }
    },
  )
}

function createForget({ store, owners, allowUnasked, onChange }: ToolParts) {
  return tool(
    {
      title: 'Forget',
      description: 'Forget one fact, one relation, or a thing with all that is known of it. The user is asked first.',
      input: {
        type: 'object',
        properties: {
          entity: { ...NAME, description: 'What it is about' },
          fact_id: { type: 'integer', description: 'Only this fact, by its id' },
          relation_id: { type: 'integer', description: 'Only this relation, by its id' },
        },
        required: ['entity'],
        additionalProperties: false,
      },
      output: FORGOTTEN,
      destructive: true,
      idempotent: true,
      openWorld: false,
    },
    async ({ entity: name, fact_id: fact, relation_id: relation }, ctx) => {
      const owner = owners.of(ctx.principal)
      const entity = await store.entity(owner.id, name)
      const what = entity === undefined ? undefined : describeLoss(entity, fact, relation)
      if (entity === undefined || what === undefined) {
        throw new ToolError('Nothing of that kind is remembered. recall shows what is, with the ids.')
      }
      await requireConfirmation(ctx, `Forget ${spellHidden(what)}?`, allowUnasked)
      await store.forget(owner.id, entity.name, { fact, relation })
      const others = entity.relations.flatMap(({ from, to }) => [from, to])
      onChange(owner, [...new Set([entity.name, ...others])], fact === undefined && relation === undefined)
      return { forgotten: spellHidden(what) }
    },
  )
}

/** What a model and a resource get to see of a thing. */
export function show(entity: Entity, owner: Owner) {
  return {
    name: spellHidden(entity.name),
    kind: spellHidden(entity.kind),
    facts: entity.facts.map(({ id, text, at, source }) => ({
      id,
      text: spellHidden(text),
      at,
      ...(source !== undefined && { source: spellHidden(source) }),
    })),
    relations: entity.relations.map(({ id, from, kind, to }) => ({
      id,
      from: spellHidden(from),
      kind: spellHidden(kind),
      to: spellHidden(to),
    })),
    uri: entityUri(entity.name, owner),
  }
}

function describeLoss(entity: Entity, fact: number | undefined, relation: number | undefined): string | undefined {
  if (fact !== undefined) {
    const text = entity.facts.find(({ id }) => id === fact)?.text
    return text === undefined ? undefined : `about ${entity.name}: “${text}”`
  }
  if (relation !== undefined) {
    const found = entity.relations.find(({ id }) => id === relation)
    return found && `that ${found.from} ${found.kind} ${found.to}`
  }
  return `${entity.name}, with ${entity.facts.length} facts and ${entity.relations.length} relations`
}

async function neighboursOf(
  store: MemoryStore,
  owner: Owner,
  found: readonly Entity[],
  limit: number,
): Promise<Entity[]> {
  const known = new Set(found.map(({ name }) => name))
  const names = new Set(found.flatMap(({ relations }) => relations.flatMap(({ from, to }) => [from, to])))
  const wanted = [...names].filter((name) => !known.has(name)).slice(0, limit)
  const entities = await Promise.all(wanted.map((name) => store.entity(owner.id, name)))
  return entities.filter((entity) => entity !== undefined)
}

function cleanName(name: string): string {
  const clean = name.trim()
  if (clean === '') throw new ToolError('A name must have letters in it.')
  return clean
}
