/**
 * Where the embedded authorization server keeps codes, tokens, grants, sessions and clients: in this process, each with
 * its expiry, a bounded number of each kind. A restart signs everybody out. When a kind is full, whoever has most of it
 * makes room: nobody's things go because somebody else made many, and a client that somebody allowed stays. What no
 * person has signed in for belongs to where the request came from, of which none has more than a share: who has it makes
 * room among its own; and the last of the room is for those who have none.
 */

import type { Adapter, AdapterPayload } from 'oidc-provider'

/** Entries of one kind. */
const MAX_ENTRIES = 10_000
/** One source has at most a part of them, so that it alone makes nobody else's go (sec-291). */
const SHARES = 4

interface Entry {
  readonly payload: AdapterPayload
  readonly until: number
  readonly owner: string
}

interface MemoryStoreOptions {
  readonly maxEntries?: number
  /** Where the request comes from that is being served. */
  readonly source?: () => string | undefined
}

/** Makes the function that the library asks for a store of each kind. */
export function createMemoryStore(options: MemoryStoreOptions = {}): (name: string) => Adapter {
  const { maxEntries = MAX_ENTRIES, source = () => undefined } = options
  const kinds = new Map<string, MemoryAdapter>()
  const isInUse = (client: string) => kinds.get('Grant')?.namesClient(client) === true
  return (name) => {
    let kind = kinds.get(name)
    if (kind === undefined) {
      kind = new MemoryAdapter(maxEntries, source, name === 'Client' ? isInUse : () => false)
      kinds.set(name, kind)
    }
    return kind
  }
}

class MemoryAdapter implements Adapter {
  readonly #maxEntries: number
  readonly #source: () => string | undefined
  readonly #isInUse: (id: string) => boolean
  readonly #entries = new Map<string, Entry>()
  readonly #uids = new Map<string, string>()
  readonly #grants = new Groups()
  readonly #owners = new Groups()
  readonly #clients = new Groups()

  constructor(maxEntries: number, source: () => string | undefined, isInUse: (id: string) => boolean) {
    this.#maxEntries = maxEntries
    this.#source = source
    this.#isInUse = isInUse
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<undefined> {
    await this.destroy(id)
    const owner = ownerOf(payload, this.#source())
    const own = this.#owners.of(owner)
    // The last of the room is for those who have none.
    const room = own.length === 0 ? this.#maxEntries : this.#maxEntries - Math.floor(this.#maxEntries / 8)
    if (payload.accountId === undefined && own.length >= this.#maxEntries / SHARES) await this.#dropOldest(own)
    if (this.#entries.size >= room) await this.#makeRoom([...this.#owners.largerThan(own.length), own])
    const until = expiresIn > 0 ? Date.now() + expiresIn * 1000 : Number.POSITIVE_INFINITY
    this.#entries.set(id, { payload, until, owner })
    if (payload.uid !== undefined) this.#uids.set(payload.uid, id)
    this.#grants.add(payload.grantId, id)
    this.#owners.add(owner, id)
    this.#clients.add(payload.clientId, id)
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const entry = this.#entries.get(id)
    if (entry === undefined) return undefined
    if (entry.until > Date.now()) return entry.payload
    await this.destroy(id)
    return undefined
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    const id = this.#uids.get(uid)
    return id === undefined ? undefined : this.find(id)
  }

  async findByUserCode(): Promise<undefined> {}

  async consume(id: string): Promise<undefined> {
    const entry = this.#entries.get(id)
    if (entry !== undefined) entry.payload.consumed = Math.floor(Date.now() / 1000)
  }

  async destroy(id: string): Promise<undefined> {
    const entry = this.#entries.get(id)
    if (entry === undefined) return
    this.#entries.delete(id)
    const { uid, grantId, clientId } = entry.payload
    if (uid !== undefined) this.#uids.delete(uid)
    this.#grants.remove(grantId, id)
    this.#owners.remove(entry.owner, id)
    this.#clients.remove(clientId, id)
  }

  async revokeByGrantId(grantId: string): Promise<undefined> {
    for (const id of this.#grants.of(grantId)) await this.destroy(id)
  }

  namesClient(client: string): boolean {
    const now = Date.now()
    return this.#clients.of(client).some((id) => (this.#entries.get(id)?.until ?? 0) > now)
  }

  async #dropOldest(group: readonly string[]): Promise<void> {
    const oldest = group.find((id) => !this.#isInUse(id))
    if (oldest !== undefined) await this.destroy(oldest)
  }

  /** In the first of the groups that can do without something. */
  async #makeRoom(groups: Iterable<readonly string[]>): Promise<void> {
    const spare = this.#expired()
    for (const group of groups) {
      if (spare.length > 0) break
      const oldest = group.find((id) => !this.#isInUse(id))
      if (oldest !== undefined) spare.push(oldest)
    }
    if (spare.length === 0) throw new Error('The authorization server holds as much as it may')
    for (const id of spare) await this.destroy(id)
  }

  #expired(): string[] {
    const now = Date.now()
    return [...this.#entries].filter(([, { until }]) => until <= now).map(([id]) => id)
  }
}

/** Whose an entry is: of whoever has signed in for it, otherwise of where the request came from. */
function ownerOf({ accountId }: AdapterPayload, source = ''): string {
  return accountId === undefined ? `from ${source}` : `user ${accountId}`
}

/** Ids by what they have in common, in the order in which they came. */
class Groups {
  readonly #groups = new Map<string, Set<string>>()

  add(name: string | undefined, id: string): void {
    if (name === undefined) return
    const ids = this.#groups.get(name) ?? new Set()
    this.#groups.set(name, ids.add(id))
  }

  remove(name: string | undefined, id: string): void {
    const ids = name === undefined ? undefined : this.#groups.get(name)
    ids?.delete(id)
    if (name !== undefined && ids?.size === 0) this.#groups.delete(name)
  }

  of(name: string): string[] {
    return [...(this.#groups.get(name) ?? [])]
  }

  /** All that are larger, the largest first. */
  largerThan(size: number): string[][] {
    const groups = [...this.#groups.values()].filter((ids) => ids.size > size)
    return groups.sort((a, b) => b.size - a.size).map((ids) => [...ids])
  }
}
