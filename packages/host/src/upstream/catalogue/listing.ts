/**
 * What one server offers, read through its client and judged: pinned, made visible, with a person's changes. The
 * catalogue (`catalogue.ts`) puts the listings of all servers together and gives the items their names.
 */

import type { Client, JsonObject } from '@portico/sdk/client'
import { generationOf, isObject, META_TASK_HELPER, meaningOf } from '@portico/sdk/internal'
import { type AddressTest, createAddressDenial, isQualified, QUALIFIED_SCHEME } from '../../config/command/address.ts'
import type { ItemOverride, ServerConfig } from '../../config/server-config.ts'
import { ownNameOf } from '../pins/fingerprint.ts'
import type { ObservedItem, PinStore } from '../pins/pins.ts'
import { DEFINITION_LIMITS, showDefinition } from './definition.ts'
import type { ItemKind, Quarantine, TextFinding } from './item.ts'
import type { Nameable } from './names.ts'

/** The lists that a server has. */
export type ListKind = 'tools' | 'resources' | 'prompts'

/** Which kinds of items a list has. */
export const KINDS_OF: { readonly [List in ListKind]: readonly ItemKind[] } = {
  tools: ['tool'],
  prompts: ['prompt'],
  resources: ['resource', 'template'],
}

/** An item without its name in the catalogue. */
export interface ListedItem extends Nameable {
  readonly definition: JsonObject
  readonly meaning: JsonObject
  readonly fingerprint: string
  readonly quarantine?: Quarantine
  readonly findings: readonly TextFinding[]
  readonly presets?: JsonObject
}

/** Something that is wrong with what a server lists, or with one item of it. */
export interface ListingProblem {
  readonly server: string
  readonly item?: string
  readonly message: string
}

/** A server whose items are not in the catalogue, and why. */
export interface Missing {
  readonly server: string
  readonly reason: string
  readonly remedy?: string
}

export interface Listing {
  readonly items: readonly ListedItem[]
  readonly problems: readonly ListingProblem[]
}

/** Definitions as the server sent them. */
export interface RawListing {
  readonly raw: readonly { readonly kind: ItemKind; readonly definition: object }[]
  readonly problems: readonly ListingProblem[]
}

const LIST_MS = 10_000

/** Tools by which callers without tasks follow one: where the revision has tasks, they are followed without such tools. */
function isTaskHelper({ _meta }: { readonly _meta?: unknown }, { revision }: Client): boolean {
  return generationOf(revision) !== undefined && isObject(_meta) && _meta[META_TASK_HELPER] === true
}

/** Reads one kind of list. What a server does not declare, it does not have. */
export async function readList(client: Client, config: ServerConfig, kind: ListKind): Promise<RawListing> {
  const { capabilities } = client.server
  if (capabilities[kind] === undefined) return { raw: [], problems: [] }
  const options = { timeoutMs: Math.min(config.settings.callMs, LIST_MS) }
  switch (kind) {
    case 'tools':
      return {
        raw: (await client.listTools(options))
          .filter((definition) => !isTaskHelper(definition, client))
          .map((definition) => ({ kind: 'tool', definition })),
        problems: [],
      }
    case 'prompts':
      return {
        raw: (await client.listPrompts(options)).map((definition) => ({ kind: 'prompt', definition })),
        problems: [],
      }
    case 'resources': {
      const problems: ListingProblem[] = []
      const templates = client.listResourceTemplates(options).catch((error: Error) => {
        // What else it has can be used without them.
        problems.push({ server: config.name, message: `Its resource templates cannot be listed: ${error.message}` })
        return []
      })
      const resources = (await client.listResources(options)).map((definition) => ({
        kind: 'resource' as const,
        definition,
      }))
      const more = (await templates).map((definition) => ({ kind: 'template' as const, definition }))
      return { raw: [...resources, ...more], problems }
    }
  }
}

/** The approved items of a server that need not be asked for them now. */
export function recallList(pins: PinStore, server: string, kind: ListKind): RawListing {
  const raw = pins.known(server).flatMap((observed) => {
    if (listOf(observed.kind) !== kind) return []
    const key = observed.kind === 'resource' ? 'uri' : observed.kind === 'template' ? 'uriTemplate' : 'name'
    return [{ kind: observed.kind, definition: { ...observed.meaning, [key]: observed.ownName } }]
  })
  return { raw, problems: [] }
}

/** Judges definitions: each is pinned, shown, or left out with a reason. */
export function judgeList(config: ServerConfig, { raw, problems }: RawListing, pins: PinStore): Listing {
  const server = config.name
  const seen = new Map<string, ListedItem>()
  const found: ListingProblem[] = [...problems]
  const counts = new Map<ItemKind, number>()
  for (const { kind, definition } of raw) {
    const ownName = ownNameOf(kind, definition)
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    if (count > DEFINITION_LIMITS.maxItems) continue
    const key = `${kind} ${ownName}`
    if (seen.has(key)) {
      found.push({ server, item: ownName, message: `It lists two ${kind}s called "${ownName}"; the first is shown.` })
      continue
    }
    const item = judgeItem(config, { kind, ownName, definition }, pins)
    if (typeof item === 'string') found.push({ server, item: ownName, message: `"${ownName}" is left out: ${item}` })
    else if (item !== undefined) seen.set(key, item)
  }
  for (const [kind, count] of counts) {
    if (count <= DEFINITION_LIMITS.maxItems) continue
    found.push({
      server,
      message: `It lists ${count} ${kind}s; only the first ${DEFINITION_LIMITS.maxItems} are taken.`,
    })
  }
  return { items: [...seen.values()], problems: found }
}

export function toObservedItem({ server, kind, ownName, meaning }: ListedItem): ObservedItem {
  return { server, kind, ownName, meaning }
}

export function listOf(kind: ItemKind): ListKind {
  return kind === 'tool' ? 'tools' : kind === 'prompt' ? 'prompts' : 'resources'
}

const WITHHELD = new WeakMap<ServerConfig, AddressTest>()

/** Whether a person has hidden an address of a server, so that it is not to be had by a template or a link either. */
export function isWithheld(config: ServerConfig, address: string): boolean {
  let test = WITHHELD.get(config)
  if (test === undefined) {
    const hidden = Object.entries(config.settings.resources).flatMap(([uri, { hide }]) => (hide === true ? [uri] : []))
    test = createAddressDenial(hidden, (uri) => (text) => text === uri)
    WITHHELD.set(config, test)
  }
  return test(address)
}

/** Undefined for what a person has hidden; a reason for what cannot be shown. */
function judgeItem(
  config: ServerConfig,
  { kind, ownName, definition }: { readonly kind: ItemKind; readonly ownName: string; readonly definition: object },
  pins: PinStore,
): ListedItem | string | undefined {
  if ((kind === 'resource' || kind === 'template') && isQualified(ownName)) {
    return `addresses that begin with "${QUALIFIED_SCHEME}" are the host's own names for those of servers.`
  }
  const override = overrideOf(config, kind, ownName)
  const shown = showDefinition(kind, definition, override)
  if (typeof shown === 'string') return shown
  const meaning = meaningOf(kind, definition)
  const found = pins.check({ server: config.name, kind, ownName, meaning }, config.settings.trusted)
  if (override?.hide === true) return undefined
  const { rename, presets } = override ?? {}
  return {
    server: config.name,
    kind,
    ownName,
    meaning,
    ...shown,
    ...found,
    ...(rename !== undefined && { rename }),
    ...(presets !== undefined && { presets }),
  }
}

function overrideOf({ settings }: ServerConfig, kind: ItemKind, ownName: string): ItemOverride | undefined {
  const overrides = settings[listOf(kind)]
  return Object.hasOwn(overrides, ownName) ? overrides[ownName] : undefined
}
