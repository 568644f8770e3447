/**
 * Where the embedded authorization server keeps codes, tokens, grants, sessions and clients: in this process, each with
 * its expiry, a bounded number of each kind. A restart signs everybody out.
 */

import type { Adapter, AdapterPayload } from 'oidc-provider'

/** Entries of one kind; the oldest make room. */
const MAX_ENTRIES = 10_000

interface Entry {
  readonly payload: AdapterPayload
  readonly until: number
}

/** Makes the function that the library asks for a store of each kind. */
export function createMemoryStore(): (name: string) => Adapter {
  const kinds = new Map<string, MemoryAdapter>()
  return (name) => {
    let kind = kinds.get(name)
    if (kind === undefined) {
      kind = new MemoryAdapter()
      kinds.set(name, kind)
    }
    return kind
  }
}

class MemoryAdapter implements Adapter {
  readonly #entries = new Map<string, Entry>()
  readonly #uids = new Map<string, string>()
  readonly #grants = new Map<string, Set<string>>()

  async upsert(id: string, payload: AdapterPayload, expiresIn: number): Promise<undefined> {
    await this.destroy(id)
    const until = expiresIn > 0 ? Date.now() + expiresIn * 1000 : Number.POSITIVE_INFINITY
    this.#entries.set(id, { payload, until })
    if (payload.uid !== undefined) this.#uids.set(payload.uid, id)
    if (payload.grantId !== undefined) {
      const ids = this.#grants.get(payload.grantId) ?? new Set()
      this.#grants.set(payload.grantId, ids.add(id))
    }
    if (this.#entries.size > MAX_ENTRIES) await this.#makeRoom()
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
    const { uid, grantId } = entry.payload
    if (uid !== undefined) this.#uids.delete(uid)
    const ids = grantId === undefined ? undefined : this.#grants.get(grantId)
    ids?.delete(id)
    if (grantId !== undefined && ids?.size === 0) this.#grants.delete(grantId)
  }

  async revokeByGrantId(grantId: string): Promise<undefined> {
    for (const id of [...(this.#grants.get(grantId) ?? [])]) await this.destroy(id)
  }

  async #makeRoom(): Promise<void> {
    const now = Date.now()
    const expired = [...this.#entries].filter(([, { until }]) => until <= now)
    const [oldest] = this.#entries
    for (const [id] of expired.length > 0 || oldest === undefined ? expired : [oldest]) await this.destroy(id)
  }
}
