/**
 * Remembers which version of its package each server ran with, and with what content. When the next one differs, the
 * difference is reported so that somebody is asked again; it is written down only once they have agreed.
 */

import type { StatePlace } from '../shared-place.ts'
import { createStateFile, type StateFileOptions } from '../state-file.ts'
import type { ResolvedPackage } from './resolve-package.ts'

/** The version that a server was last approved with, and since when (milliseconds since 1970). */
export interface LedgerEntry extends ResolvedPackage {
  readonly server: string
  readonly since: number
}

/** Whether a server's package is the first that was seen of it, the same as before, or another one. */
export type VersionCheck =
  | { readonly kind: 'first' }
  | { readonly kind: 'same' }
  /** `message` is one line for the person who is asked. */
  | { readonly kind: 'changed'; readonly before: LedgerEntry; readonly message: string }

/** The versions that servers were approved with: to compare with, write down, forget and list. */
export interface VersionLedger {
  check(server: string, resolved: ResolvedPackage): Promise<VersionCheck>
  record(server: string, resolved: ResolvedPackage): Promise<void>
  forget(server: string): Promise<void>
  list(): Promise<readonly LedgerEntry[]>
}

/** Options of `createVersionLedger`; `now` is the clock, in milliseconds since 1970. */
export interface VersionLedgerOptions extends Omit<StateFileOptions, 'file'> {
  /** The path, or a text that several machines share (`shareState`). */
  readonly file: StatePlace
  readonly now?: () => number
}

/**
 * Keeps which version of its package each server was last approved with, so that another one is noticed before it is
 * run.
 *
 * @example
 * ```ts
 * import { createVersionLedger } from '@portico/host/config'
 *
 * const ledger = createVersionLedger({ file: '/home/ann/.portico/versions.json' })
 * const found = await ledger.check('notes', { name: 'notes-server', version: '1.2.4', integrity: 'sha512-…' })
 * if (found.kind === 'changed') process.stderr.write(`${found.message}\n`)
 * ```
 */
export function createVersionLedger({ now = Date.now, ...options }: VersionLedgerOptions): VersionLedger {
  const state = createStateFile<ReadonlyMap<string, LedgerEntry>>({
    ...options,
    empty: new Map(),
    read: fromText,
    write: (entries) => `${JSON.stringify({ version: 1, entries: [...entries.values()] }, null, 2)}\n`,
  })
  return {
    async check(server, resolved) {
      const before = (await state.get()).get(server)
      if (before === undefined) return { kind: 'first' }
      const message = describeChange(before, resolved)
      return message === undefined ? { kind: 'same' } : { kind: 'changed', before, message }
    },
    async record(server, { name, version, integrity }) {
      await state.update((entries) => {
        const next = new Map(entries)
        next.delete(server)
        next.set(server, { server, name, version, integrity, since: now() })
        // Servers that nobody has started for longest are forgotten first.
        for (const oldest of next.keys()) {
          if (next.size <= MAX_ENTRIES) break
          next.delete(oldest)
        }
        return next
      })
    },
    async forget(server) {
      await state.update((entries) => {
        const rest = new Map(entries)
        rest.delete(server)
        return rest
      })
    },
    list: async () => [...(await state.get()).values()],
  }
}

const MAX_ENTRIES = 5000

function describeChange(before: ResolvedPackage, after: ResolvedPackage): string | undefined {
  if (before.name !== after.name)
    return `The package is ${after.name} ${after.version}; it was ${before.name} ${before.version}`
  if (before.version !== after.version) return `${after.name} is now ${after.version}; it was ${before.version}`
  if (before.integrity === after.integrity) return undefined
  return `${after.name} ${after.version} has another content than before under the same version`
}

function fromText(text: string): ReadonlyMap<string, LedgerEntry> {
  const { version, entries } = JSON.parse(text)
  if (version !== 1 || !Array.isArray(entries) || !entries.every(isEntry)) throw new Error('not a version ledger')
  return new Map(entries.map((entry) => [entry.server, entry]))
}

function isEntry(value: unknown): value is LedgerEntry {
  if (typeof value !== 'object' || value === null) return false
  const { server, name, version, integrity, since } = value as Partial<LedgerEntry>
  return [server, name, version, integrity].every((part) => typeof part === 'string') && typeof since === 'number'
}
