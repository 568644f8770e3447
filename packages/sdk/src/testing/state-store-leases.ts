/** The part of a store's contract that is about leases. */

import type { Store } from '../state/store.ts'
import { type ContractCase, eventually, expect, expectEqual, type PairCase } from './contract.ts'

const LONG_MS = 3_600_000
const SHORT_MS = 20

/** Makes one case of a store from two handles on one fresh place. */
export type StoreCase = PairCase<Store>

/** The cases, for the contract of the whole store. */
export function leaseCases(withStores: StoreCase): ContractCase[] {
  return [...holdingCases(withStores), ...apartCases(withStores)]
}

function holdingCases(withStores: StoreCase): ContractCase[] {
  return [
    withStores('gives a lease to one of many who ask at once, and says who holds it', async (one, other) => {
      const tries = Array.from({ length: 8 }, (_, at) =>
        (at % 2 === 0 ? one : other).lease('k', `owner-${at}`, LONG_MS),
      )
      const given = (await Promise.all(tries)).filter((lease) => lease !== undefined)
      expectEqual(given.length, 1)
      expectEqual(await one.holder('k'), given[0])
      expectEqual(await other.lease('k', given[0]?.owner ?? '', LONG_MS), undefined)
      expectEqual(await other.holder('another'), undefined)
    }),
    withStores('gives a greater epoch with every lease, released or expired before', async (one, other) => {
      let last = 0
      for (let turn = 0; turn < 6; turn++) {
        const store = turn % 2 === 0 ? one : other
        const expires = turn % 3 === 0
        let lease = await store.lease('k', `owner-${turn}`, expires ? SHORT_MS : LONG_MS)
        expect(lease !== undefined && lease.epoch > last, `epoch ${lease?.epoch} after ${last}`)
        lease ??= { owner: '', epoch: 0 }
        last = lease.epoch
        if (expires) await eventually(async () => (await one.holder('k')) === undefined)
        else await store.release('k', lease)
      }
    }),
    withStores('keeps a lease that is renewed, and no other', async (one, other) => {
      const lease = await one.lease('k', 'a', SHORT_MS)
      if (lease === undefined) throw new Error('no lease was given')
      const renewed = await one.renew('k', lease, LONG_MS)
      if (renewed) {
        const short = await other.lease('other', 'b', SHORT_MS)
        await eventually(async () => (await other.holder('other')) === undefined)
        expectEqual(await other.holder('k'), lease)
        expectEqual(await other.renew('other', short ?? lease, LONG_MS), false)
      }
      // On a slow machine the lease was over before it could be renewed; then it must not come back.
      expectEqual((await other.lease('k', 'b', LONG_MS)) === undefined, renewed)
    }),
    withStores('does not let a former holder renew or release what another holds now', async (one, other) => {
      const former = await one.lease('k', 'a', SHORT_MS)
      await eventually(async () => (await one.holder('k')) === undefined)
      const present = await other.lease('k', 'a', LONG_MS)
      if (former === undefined || present === undefined) throw new Error('no lease was given')
      expectEqual(await one.renew('k', former, LONG_MS), false)
      await one.release('k', former)
      expectEqual(await one.holder('k'), present)
      expectEqual(await other.renew('k', present, LONG_MS), true)
    }),
  ]
}

function apartCases(withStores: StoreCase): ContractCase[] {
  return [
    withStores('gives a released lease to one of those who wait, at once', async (one, other) => {
      const lease = await one.lease('k', 'a', LONG_MS)
      if (lease === undefined) throw new Error('no lease was given')
      await one.release('k', lease)
      await one.release('k', lease)
      expectEqual(await one.renew('k', lease, LONG_MS), false)
      const tries = await Promise.all(['b', 'c', 'd', 'e'].map((owner) => other.lease('k', owner, LONG_MS)))
      expectEqual(tries.filter((given) => given !== undefined).length, 1)
    }),
    withStores('keeps leases of many keys apart, whatever their characters', async (one, other) => {
      const keys = ['a', 'A', '%', '_', '*', '\\', ':', '{a}', "'", '"', '~'.repeat(512)]
      const held = await Promise.all(keys.map((key) => one.lease(key, `owner-of-${key.slice(0, 8)}`, LONG_MS)))
      expectEqual(await Promise.all(keys.map((key) => other.holder(key))), held)
    }),
    withStores('keeps leases apart from values under the same key', async (one, other) => {
      const lease = await one.lease('k', 'a', LONG_MS)
      expectEqual(await other.get('k'), undefined)
      await other.write([{ key: 'k', value: 'x', ifVersion: 0 }])
      await other.write([{ key: 'k' }])
      expectEqual(await one.holder('k'), lease)
      expectEqual(await one.list('', { limit: 10 }), [])
    }),
  ]
}
