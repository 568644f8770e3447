/** The replicas of a cluster for one who only looks, and is none of them. */

import type { Store } from '@portico/sdk/state'
import type { ClusterOptions } from './cluster.ts'
import { ReplicaRows, type ReplicaView } from './replica-rows.ts'
import { Seal } from './seal.ts'

/**
 * Lists the replicas of a cluster without becoming one: where each is reached, how many sessions it holds, and whether it is
 * going down.
 *
 * @example
 * ```ts
 * import { listClusterReplicas } from '@portico/host/cluster'
 * import { openState } from '@portico/host/state'
 *
 * const { store, close } = await openState({ redis: 'redis://127.0.0.1:6379' })
 * const keys = [Buffer.from(process.env.STATE_KEY ?? '', 'base64')]
 * for (const { name, sessions } of await listClusterReplicas({ store, keys })) console.log(name, sessions)
 * await close()
 * ```
 */
export async function listClusterReplicas({
  store,
  keys,
  name = 'portico',
}: Pick<ClusterOptions, 'store' | 'keys' | 'name'>): Promise<readonly ReplicaView[]> {
  const prefix = `cluster/${name}/`
  const seal = new Seal(keys ?? (await keptKeys(store, prefix)), 'rows')
  const nobody = { name: '', leaseMs: 1, sessions: () => 0, regained: () => {}, onError: () => {} }
  return new ReplicaRows({ ...nobody, store, seal, prefix }).all()
}

/** The key that a cluster without keys of its own has made; none where no replica was ever there. */
async function keptKeys(store: Store, prefix: string): Promise<readonly Uint8Array[]> {
  const kept = await store.get(`${prefix}key`)
  return kept === undefined ? [] : [Buffer.from(kept.value, 'base64url')]
}
