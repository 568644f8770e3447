/**
 * Names without the server's in front, for a gateway that stands before a single server, or before servers whose names
 * do not clash: where two have an item of one name, both keep the long one. Clients then see what the servers wrote.
 */

import type { CatalogueItem } from '../../upstream/catalogue/item.ts'
import { type Nameable, plainName } from '../../upstream/catalogue/names.ts'
import type { GatewayCatalogue } from '../gateway-host.ts'

/** What a tool or prompt may be called (2025-11-25, tools, "Tool Names"). */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/

export function withOwnNames(catalogue: GatewayCatalogue): GatewayCatalogue {
  let source: readonly CatalogueItem[] | undefined
  let shown: readonly CatalogueItem[] = []
  /** The catalogue's own names, by those that are shown. */
  let longNames = new Map<string, string>()
  const update = (): readonly CatalogueItem[] => {
    const items = catalogue.items()
    if (items === source) return shown
    source = items
    const names = shortNames(items)
    shown = items.map((item) => ({ ...item, name: names.get(item) ?? item.name }))
    longNames = new Map(items.map((item) => [`${item.kind} ${names.get(item) ?? item.name}`, item.name]))
    return shown
  }
  const longName = (kind: string, name: string): string => {
    update()
    return longNames.get(`${kind} ${name}`) ?? name
  }
  const { toCall, toCallNow, toPrompt, introduction } = catalogue
  return {
    items: update,
    on: (event, listener) => catalogue.on(event, listener),
    starting: (signal) => catalogue.starting?.(signal),
    nameOf: (item) => {
      const taken = [...update(), ...catalogue.items()].some(
        ({ kind, name, server }) => kind === item.kind && name === item.ownName && server !== item.server,
      )
      return taken || !isShort(item) ? plainName(item) : (item.rename ?? item.ownName)
    },
    ...(introduction && { introduction: (server) => introduction.call(catalogue, server) }),
    ...(toCall && { toCall: (name, args, signal) => toCall.call(catalogue, longName('tool', name), args, signal) }),
    ...(toCallNow && { toCallNow: (name, args) => toCallNow.call(catalogue, longName('tool', name), args) }),
    ...(toPrompt && {
      toPrompt: (name, args, signal) => toPrompt.call(catalogue, longName('prompt', name), args, signal),
    }),
  }
}

function shortNames(items: readonly CatalogueItem[]): Map<CatalogueItem, string> {
  const owners = new Map<string, CatalogueItem[]>()
  for (const item of items) {
    if (!isShort(item)) continue
    const key = `${item.kind} ${item.ownName}`
    owners.set(key, [...(owners.get(key) ?? []), item])
  }
  // What another is called with its server in front is that one's, whether or not it is shown so.
  const long = new Map(items.map((item) => [`${item.kind} ${item.name}`, item]))
  const alone = [...owners].flatMap(([key, [only, ...others]]) => {
    if (only === undefined || others.length > 0) return []
    const rightful = long.get(key)
    return rightful === undefined || rightful === only ? [only] : []
  })
  // A name that a person chose stays.
  const unchanged = (item: CatalogueItem) => item.name === plainName(item)
  return new Map(alone.filter(unchanged).map((item) => [item, item.ownName]))
}

function isShort({ kind, ownName }: Pick<Nameable, 'kind' | 'ownName'>): boolean {
  return (kind === 'tool' || kind === 'prompt') && NAME.test(ownName)
}
