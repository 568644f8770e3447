/** What a model can do with its memory: add to it, ask it, look through it, and forget after the user agreed. */

import { result, ToolError, text, tool } from '@portico/sdk/server'
import { requireConfirmation } from '../confirmation.ts'
import { CURSOR_INPUT, countFrom, fromCursor, toCursor } from '../cursor.ts'
import { spellHidden, spellLine } from '../text/plain-text.ts'
import { MAX_NAME_LENGTH, type MemoryLimits } from './limits.ts'
import type { Entity, MemoryStore, NewFact } from './store.ts'
import { CHANGED, EXPORTED, FORGOTTEN, LISTED, RECALLED, RELATED, REMEMBERED } from './tool-schemas.ts'
import { entityUri, type Owner, type Owners } from './uris.ts'
import { cleanText, cleanWords } from './words.ts'

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
/** There is one question to this tool. */
const EXPORT = ['export'] as const

const NAME = { type: 'string', minLength: 1, maxLength: MAX_NAME_LENGTH } as const

export function createTools(parts: ToolParts) {
  return {
    remember: createRemember(parts),
    relate: createRelate(parts),
    recall: createRecall(parts),
    change_fact: createChangeFact(parts),
    list_entities: createListEntities(parts),
    export: createExport(parts),
    forget: createForget(parts),
  }
}

function createRemember({ store, owners, limits, onChange }: ToolParts) {
  const fact = {
    entity: { ...NAME, description: 'What the fact is about' },
    fact: { ...toFactSchema(limits), description: 'One fact, one sentence' },
    kind: { type: 'string', maxLength: 50, description: 'person, project, place…' },
    source: { type: 'string', maxLength: 500, description: 'Where it comes from' },
  } as const
  const bare = {
    entity: NAME,
    fact: toFactSchema(limits),
    kind: { type: 'string', maxLength: 50 },
    source: { type: 'string', maxLength: 500 },
  } as const
  return tool(
    {
      title: 'Remember',
      description: 'Keep facts about a person, place, project or thing, beyond this conversation.',
      input: {
        type: 'object',
        properties: {
          ...fact,
          facts: {
            type: 'array',
            items: { type: 'object', properties: bare, required: ['entity', 'fact'], additionalProperties: false },
            maxItems: MOST_FACTS,
            description: 'Several at once',
          },
        },
        additionalProperties: false,
      },
      output: REMEMBERED,
      destructive: false,
      idempotent: true,
      openWorld: false,
    },
    async ({ entity, fact: text, kind, source, facts = [] }, ctx) => {
      const owner = owners.of(ctx.principal)
      const isOne = entity !== undefined && text !== undefined
      if (isOne === facts.length > 0) throw new ToolError('Give entity and fact, or several of both in facts.')
      const given = isOne ? [{ entity, fact: text, kind, source }] : facts
      const kept = await store.remember(owner.id, given.map(toNewFact))
      const changed = kept.filter(({ wasKnown }) => !wasKnown)
      if (changed.length > 0) {
        const names = [...new Set(changed.map(({ entity: name }) => name))]
        onChange(
          owner,
          names,
          changed.some(({ isNew }) => isNew),
        )
      }
      const told = kept.map((one) => ({ entity: one.entity, fact_id: one.factId, was_known: one.wasKnown }))
      const [only] = told
      return isOne && only !== undefined ? { ...only, uri: entityUri(only.entity, owner) } : { kept: told }
    },
  )
}

const MOST_FACTS = 100

function toFactSchema(limits: MemoryLimits) {
  return { type: 'string', minLength: 1, maxLength: limits.maxFactLength } as const
}

function toNewFact(given: {
  entity: string
  fact: string
  kind?: string | undefined
  source?: string | undefined
}): NewFact {
  return {
    entity: cleanWords(given.entity, 'name'),
    text: cleanWords(given.fact, 'fact'),
    kind: given.kind === undefined ? undefined : cleanText(given.kind, 'kind'),
    source: given.source === undefined ? undefined : cleanText(given.source, 'source'),
  }
}

function createChangeFact({ store, owners, limits, allowUnasked, onChange }: ToolParts) {
  return tool(
    {
      title: 'Change a fact',
      description: 'Put a fact right: recall shows the ids. The user is asked first.',
      input: {
        type: 'object',
        properties: {
          entity: { ...NAME, description: 'Its name' },
          fact_id: { type: 'integer', description: 'Which fact' },
          fact: { ...toFactSchema(limits), description: 'What it is to say' },
        },
        required: ['entity', 'fact_id', 'fact'],
        additionalProperties: false,
      },
      output: CHANGED,
      destructive: true,
      idempotent: true,
      openWorld: false,
    },
    async ({ entity: name, fact_id: id, fact }, ctx) => {
      const owner = owners.of(ctx.principal)
      const text = cleanWords(fact, 'fact')
      const entity = await store.entity(owner.id, name)
      const before = entity?.facts.find((one) => one.id === id)?.text
      if (entity === undefined || before === undefined) throw unknownFact()
      const question = `Change what is remembered about ${spellLine(entity.name)}, from “${before}” to “${text}”?`
      if (before !== text) await requireConfirmation(ctx, spellHidden(question), allowUnasked)
      if ((await store.change(owner.id, entity.name, id, text)) === undefined) throw unknownFact()
      onChange(owner, [entity.name], false)
      return { entity: spellHidden(entity.name), fact_id: id, before: spellHidden(before) }
    },
  )
}

function unknownFact(): ToolError {
  return new ToolError('Nothing of that kind is remembered. recall shows what is, with the ids.')
}

function createRelate({ store, owners, onChange }: ToolParts) {
  return tool(
    {
      title: 'Relate',
      description: 'Keep how two things are related.',
      input: {
        type: 'object',
        properties: {
          from: { ...NAME, description: 'Ada' },
          relation: { type: 'string', minLength: 1, maxLength: 100, description: 'works at' },
          to: { ...NAME, description: 'Lighthouse Ltd' },
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
      const kind = cleanWords(relation, 'relation')
      const made = await store.relate(owner.id, cleanWords(from, 'name'), kind, cleanWords(to, 'name'))
      onChange(owner, [made.from, made.to], made.isNew)
      return { relation_id: made.relationId, from: made.from, to: made.to }
    },
  )
}

function createRecall({ store, owners }: ToolParts) {
  return tool(
    {
      title: 'Recall',
      description: 'What is remembered, by words of facts, names or relations, and what that is related to.',
      input: {
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 1, maxLength: 500, description: 'The words' },
          limit: { type: 'integer', minimum: 1, maximum: 50, description: '10 unless given' },
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
      const told = {
        found: found.map((one) => show(one, owner)),
        neighbours: neighbours.map((one) => show(one, owner)),
      }
      return result({ content: [text(toLines(told))], structuredContent: told })
    },
  )
}

function createListEntities({ store, owners }: ToolParts) {
  return tool(
    {
      title: 'List entities',
      description: 'All things by name.',
      input: {
        type: 'object',
        properties: {
          kind: { type: 'string', maxLength: 50, description: 'Only things of this kind' },
          cursor: CURSOR_INPUT,
        },
        additionalProperties: false,
      },
      output: LISTED,
      readOnly: true,
      openWorld: false,
    },
    async ({ kind, cursor }, ctx) => {
      const after = cursor === undefined ? '' : fromCursor(cursor, [kind])
      const rows = await store.list(owners.of(ctx.principal).id, { after, kind, limit: LIST_PAGE })
      const last = rows.length < LIST_PAGE ? undefined : rows.at(-1)?.name
      return {
        entities: rows.map(({ name, kind: of, facts }) => ({
          name: spellHidden(name),
          kind: spellHidden(of),
          facts,
        })),
        ...(last !== undefined && { nextCursor: toCursor(last, [kind]) }),
      }
    },
  )
}

function createExport({ store, owners }: ToolParts) {
  return tool(
    {
      title: 'Export',
      description: 'All that is remembered, in pages.',
      input: { type: 'object', properties: { cursor: CURSOR_INPUT }, additionalProperties: false },
      output: EXPORTED,
      readOnly: true,
      openWorld: false,
    },
    async ({ cursor }, ctx) => {
      const owner = owners.of(ctx.principal)
      const { entities, last } = await store.page(owner.id, countFrom(cursor, EXPORT), EXPORT_PAGE)
      return {
        entities: entities.map((one) => show(one, owner)),
        ...(last !== undefined && { nextCursor: toCursor(String(last), EXPORT) }),
      }
    },
  )
}

function createForget({ store, owners, allowUnasked, onChange }: ToolParts) {
  return tool(
    {
      title: 'Forget',
      description: 'Forget one fact or relation, or a thing with all of them. The user is asked first.',
      input: {
        type: 'object',
        properties: {
          entity: { ...NAME, description: 'Its name' },
          fact_id: { type: 'integer', description: 'Only this fact' },
          relation_id: { type: 'integer', description: 'Only this relation' },
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
        throw unknownFact()
      }
      await requireConfirmation(ctx, `Forget ${spellHidden(what)}?`, allowUnasked)
      await store.forget(owner.id, entity.name, { fact, relation })
      const others = entity.relations.flatMap(({ from, to }) => [from, to])
      onChange(owner, [...new Set([entity.name, ...others])], fact === undefined && relation === undefined)
      return { forgotten: spellHidden(what) }
    },
  )
}

type Shown = ReturnType<typeof show>

/** A thing, its facts below it and how it is related, each with the id by which it can be changed or forgotten. */
function toLines({
  found,
  neighbours,
}: {
  readonly found: readonly Shown[]
  readonly neighbours: readonly Shown[]
}): string {
  if (found.length === 0) return 'Nothing was found.'
  const told = new Set<number>()
  const lines = found.flatMap((one) => describe(one, told))
  return [
    ...lines,
    ...(neighbours.length === 0 ? [] : ['Related:', ...neighbours.flatMap((one) => describe(one, told))]),
  ].join('\n')
}

function describe({ name, kind, facts, relations }: Shown, told: Set<number>): string[] {
  const fresh = relations.filter(({ id }) => !told.has(id))
  for (const { id } of fresh) told.add(id)
  return [
    kind === '' ? oneLine(name) : `${oneLine(name)} (${oneLine(kind)})`,
    ...facts.map(
      ({ id, text: words, source }) =>
        `- ${oneLine(words)}${source === undefined ? '' : ` (${oneLine(source)})`} [fact ${id}]`,
    ),
    ...fresh.map(({ id, from, kind: how, to }) => `- ${oneLine(from)} ${oneLine(how)} ${oneLine(to)} [relation ${id}]`),
  ]
}

function oneLine(words: string): string {
  return words.replace(/\s+/g, (gap) => (/[\r\n\u2028\u2029]/.test(gap) ? ' ' : gap))
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
    return text === undefined ? undefined : `about ${spellLine(entity.name)}: “${text}”`
  }
  if (relation !== undefined) {
    const found = entity.relations.find(({ id }) => id === relation)
    return found && spellLine(`that ${found.from} ${found.kind} ${found.to}`)
  }
  return `${spellLine(entity.name)}, with ${entity.facts.length} facts and ${entity.relations.length} relations`
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
