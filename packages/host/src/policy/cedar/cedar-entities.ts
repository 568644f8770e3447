/** Principals and items as Cedar sees them: entities with attributes and parents, joined with those the operator gave. */

import type { PolicyItem } from '@portico/sdk/bearer'
import type { Principal } from '@portico/sdk/server'
import { type CedarRecord, toCedarRecord } from './cedar-values.ts'

/** The identity of an entity in Cedar: its type and its id, as in `Role::"teller"`. */
export interface CedarUid {
  readonly type: string
  readonly id: string
}

/** An entity in Cedar's JSON form. */
export interface CedarEntity {
  readonly uid: CedarUid
  readonly attrs?: CedarRecord
  readonly parents?: readonly CedarUid[]
}

/** The form that the library takes. */
interface FullEntity {
  uid: CedarUid
  attrs: CedarRecord
  parents: CedarUid[]
}

const KINDS: { readonly [kind in PolicyItem['kind']]: string } = {
  tool: 'Tool',
  resource: 'Resource',
  template: 'Template',
  prompt: 'Prompt',
}

/** `User::"…"` in its roles, with `scopes` and `claims`; whoever is not known is `Anonymous::"anonymous"`. */
export function principalEntity(principal: Principal | undefined, roles: readonly string[]): CedarEntity {
  if (principal === undefined) return { uid: { type: 'Anonymous', id: 'anonymous' } }
  return {
    uid: { type: 'User', id: principal.id },
    attrs: { scopes: [...principal.scopes], claims: toCedarRecord(principal.claims ?? {}) },
    parents: roles.map((id) => ({ type: 'Role', id })),
  }
}

/** `Tool::"…"`, `Resource::"…"`, `Template::"…"` or `Prompt::"…"` with the item's attributes. */
export function itemEntity({ kind, name, attributes }: PolicyItem): CedarEntity {
  return { uid: { type: KINDS[kind], id: name }, attrs: toCedarRecord(attributes ?? {}) }
}

/** The operator's entities, ready to be joined with those of a request. */
export class CedarEntities {
  readonly #entities: ReadonlyMap<string, FullEntity>

  constructor(entities: readonly CedarEntity[]) {
    this.#entities = new Map(entities.map((entity) => [keyOf(entity.uid), complete(entity)]))
  }

  all(): FullEntity[] {
    return [...this.#entities.values()]
  }

  /** One entity for each, what the operator says about it and what the request does taken together. */
  with(...requested: readonly CedarEntity[]): FullEntity[] {
    const merged = new Map(this.#entities)
    for (const entity of requested) {
      const key = keyOf(entity.uid)
      const known = this.#entities.get(key)
      const { uid, attrs, parents } = complete(entity)
      // What was verified for this request is newer than what was written down about it.
      merged.set(key, {
        uid,
        attrs: { ...known?.attrs, ...attrs },
        parents: [...(known?.parents ?? []), ...parents],
      })
    }
    return [...merged.values()]
  }
}

function complete({ uid, attrs = {}, parents = [] }: CedarEntity): FullEntity {
  return { uid, attrs, parents: [...parents] }
}

function keyOf({ type, id }: CedarUid): string {
  return `${type} ${id}`
}
