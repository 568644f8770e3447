/** What differs between two readings of the configuration, so that only what changed is connected anew. */

import type { ServerConfig } from './server-config.ts'
import { meaningOf } from './trust/fingerprint.ts'

/** Which servers differ between two readings of the configuration, and how. */
export interface ConfigChange {
  readonly added: readonly ServerConfig[]
  /** The connection is another one now. */
  readonly changed: readonly ServerConfig[]
  /** Only settings changed: the connection stays. */
  readonly adjusted: readonly ServerConfig[]
  /** As they were. */
  readonly removed: readonly ServerConfig[]
}

/**
 * Compares two lists of servers by name and says which were added, removed, need a new connection, or have other
 * settings only.
 *
 * @example
 * ```ts
 * import { compareServers, findConfigFiles, loadConfig } from '@portico/host/config'
 *
 * const before = await loadConfig({ files: await findConfigFiles() })
 * const after = await before.reload()
 * const { added, removed } = compareServers(before.servers, after.servers)
 * ```
 */
export function compareServers(before: readonly ServerConfig[], after: readonly ServerConfig[]): ConfigChange {
  const old = new Map(before.map((server) => [server.name, server]))
  const names = new Set(after.map(({ name }) => name))
  const changed: ServerConfig[] = []
  const adjusted: ServerConfig[] = []
  for (const server of after) {
    const known = old.get(server.name)
    if (known === undefined) continue
    if (known.fingerprint !== server.fingerprint) changed.push(server)
    else if (meaningOf(known) !== meaningOf(server)) adjusted.push(server)
  }
  return {
    added: after.filter(({ name }) => !old.has(name)),
    changed,
    adjusted,
    removed: before.filter(({ name }) => !names.has(name)),
  }
}

export function isEmptyChange({ added, changed, adjusted, removed }: ConfigChange): boolean {
  return added.length + changed.length + adjusted.length + removed.length === 0
}
