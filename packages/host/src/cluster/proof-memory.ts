/** Which proofs of possession were seen by any replica, for as long as they could be presented again. */

import { createHash } from 'node:crypto'
import type { Store } from '@portico/sdk/state'

/** Rejects while the store is away: then nobody knows whether a proof is new. */
export function createProofMemory(store: Store, prefix: string): (proof: string, keepMs: number) => Promise<boolean> {
  return async (proof, keepMs) => {
    // The store learns neither keys nor ids of proofs.
    const key = `${prefix}proof/${createHash('sha256').update(proof).digest('base64url')}`
    return (await store.write([{ key, value: '1', ifVersion: 0, ttlMs: keepMs }])) !== undefined
  }
}
