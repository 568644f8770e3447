// Teaches: keeping what a server remembers apart from its definition. The graph behind `graph.ts`, in a file of JSON lines.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

export interface Entity {
  readonly name: string
  readonly entityType: string
  readonly observations: string[]
}

export interface Relation {
  readonly from: string
  readonly to: string
  readonly relationType: string
}

export interface Graph {
  readonly entities: Entity[]
  readonly relations: Relation[]
}

const keyOf = ({ from, to, relationType }: Relation) => JSON.stringify([from, to, relationType])

export class GraphStore {
  readonly #file: string
  readonly #entities = new Map<string, Entity>()
  readonly #relations = new Map<string, Relation>()

  constructor(file: string) {
    this.#file = file
    if (!existsSync(file)) return
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const { type, ...item } = JSON.parse(line)
      if (type === 'entity') this.#entities.set(item.name, item)
      if (type === 'relation') this.#relations.set(keyOf(item), item)
    }
  }

  /** Those that were new. */
  addEntities(entities: readonly Entity[]): Entity[] {
    const added = entities.filter(({ name }) => !this.#entities.has(name))
    for (const entity of added) this.#entities.set(entity.name, entity)
    this.#save()
    return added
  }

  addRelations(relations: readonly Relation[]): Relation[] {
    const added = relations.filter((relation) => !this.#relations.has(keyOf(relation)))
    for (const relation of added) this.#relations.set(keyOf(relation), relation)
    this.#save()
    return added
  }

  /** Those that were new, or undefined when there is no such entity. */
  observe(name: string, contents: readonly string[]): string[] | undefined {
    const entity = this.#entities.get(name)
    if (entity === undefined) return undefined
    const added = [...new Set(contents)].filter((content) => !entity.observations.includes(content))
    this.#entities.set(name, { ...entity, observations: [...entity.observations, ...added] })
    this.#save()
    return added
  }

  forget(name: string, contents: readonly string[]): void {
    const entity = this.#entities.get(name)
    if (entity === undefined) return
    const observations = entity.observations.filter((content) => !contents.includes(content))
    this.#entities.set(name, { ...entity, observations })
    this.#save()
  }

  removeEntities(names: readonly string[]): void {
    for (const name of names) this.#entities.delete(name)
    for (const [key, { from, to }] of this.#relations) {
      if (names.includes(from) || names.includes(to)) this.#relations.delete(key)
    }
    this.#save()
  }

  removeRelations(relations: readonly Relation[]): void {
    for (const relation of relations) this.#relations.delete(keyOf(relation))
    this.#save()
  }

  /** The entities that are wanted, and the relations that begin or end at one of them. */
  select(isWanted: (entity: Entity) => boolean = () => true): Graph {
    const entities = [...this.#entities.values()].filter(isWanted)
    const names = new Set(entities.map(({ name }) => name))
    const relations = [...this.#relations.values()].filter(({ from, to }) => names.has(from) || names.has(to))
    return { entities, relations }
  }

  /** In one go, so that a reader never finds half a graph. */
  #save(): void {
    const lines = [
      ...[...this.#entities.values()].map((entity) => ({ type: 'entity', ...entity })),
      ...[...this.#relations.values()].map((relation) => ({ type: 'relation', ...relation })),
    ]
    const next = `${this.#file}.next`
    writeFileSync(next, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    renameSync(next, this.#file)
  }
}
