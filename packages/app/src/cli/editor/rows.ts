/** Servers and items as they go to an editor. */

import type { Host } from '@portico/host'
import { showCommand } from '@portico/host/config'
import type { CatalogueItem, ItemKind, UpstreamView } from '@portico/host/upstream'
import type { JsonObject } from '@portico/sdk/client'
import { toLine } from '../terminal/plain-text.ts'
import { EDITOR_LIMITS, type ItemRow, type ServerRow } from './protocol.ts'

const MAX_HITS = 2_000

export function serverRows(host: Host): ServerRow[] {
  return host.upstreams.views().map((view) => toServerRow(view, host))
}

export function toServerRow({ name, state, version, serverInfo, config }: UpstreamView, host: Host): ServerRow {
  const counts = { tool: 0, resource: 0, template: 0, prompt: 0, held: 0 }
  for (const { server, kind, quarantine } of host.catalogue.items()) {
    if (server !== name) continue
    counts[kind]++
    if (quarantine !== undefined) counts.held++
  }
  const title = serverInfo?.title ?? serverInfo?.name
  return {
    name: toLine(name, 80),
    state: state.state,
    ...(state.awaits === 'permission' && { waits: true }),
    ...(state.reason !== undefined && { reason: toLine(state.reason, 600) }),
    ...(state.remedy !== undefined && { remedy: toLine(state.remedy, 400) }),
    ...(title !== undefined && { title: toLine(title, 80) }),
    ...(version !== undefined && { protocol: version }),
    shown: toLine(showCommand(config.target), 2_000),
    tools: counts.tool,
    resources: counts.resource + counts.template,
    prompts: counts.prompt,
    held: counts.held,
  }
}

interface Wish {
  readonly kind?: ItemKind | undefined
  readonly server?: string | undefined
  readonly query?: string | undefined
  readonly cursor?: string | undefined
}

export function itemPage(host: Host, { kind, server, query = '', cursor = '0' }: Wish) {
  const kinds = kind === undefined ? undefined : [kind]
  const all =
    query.trim() === ''
      ? host.catalogue.items(kinds)
      : host.catalogue.search(query, { limit: MAX_HITS, ...(kinds && { kinds }) }).map(({ item }) => item)
  const found = all.filter((item) => (server ?? item.server) === item.server)
  const from = Math.max(0, Number.parseInt(cursor, 10) || 0)
  const next = from + EDITOR_LIMITS.maxItems
  return {
    items: found.slice(from, next).map(toItemRow),
    total: found.length,
    ...(next < found.length && { next: String(next) }),
  }
}

function toItemRow({ kind, server, name, definition, quarantine }: CatalogueItem): ItemRow {
  // Definitions are JSON as the catalogue has cleaned it.
  const shown = definition as unknown as JsonObject
  return { kind, server, name, definition: shown, ...(quarantine !== undefined && { held: true as const }) }
}
