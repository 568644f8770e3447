/** The part of a store's contract that is about what somebody else put into its place: read as foreign, and healed by a write. */

import type { Store } from '../state/store.ts'
import { type ContractCase, expect, expectEqual } from './contract.ts'
import type { StoreCase } from './state-store-leases.ts'

/** How a stranger who reaches the database puts into it what no store wrote. */
export interface StoredDamage {
  /** In several ways, each with other words for what is there then. */
  readonly entries: readonly ((key: string) => Promise<void>)[]
  readonly leases: readonly ((key: string) => Promise<void>)[]
  /** Of the place as a whole, such as its count; what is kept under keys stays. */
  readonly whole: readonly (() => Promise<void>)[]
}

type Damage = (store: Store) => StoredDamage

const LONG_MS = 3_600_000

/** The cases, for the contract of the whole store. */
export function damageCases(withStores: StoreCase, damage: Damage): ContractCase[] {
  return [...entryCases(withStores, damage), ...placeCases(withStores, damage)]
}

function entryCases(withStores: StoreCase, damage: Damage): ContractCase[] {
  return [
    withStores('reads what no store wrote under a version that replaces it', async (one, other) => {
      for (const [at, spoil] of damage(one).entries.entries()) {
        const key = `k${at}`
        const [before = 0] = (await one.write([{ key, value: 'a' }])) ?? []
        await spoil(key)
        expectEqual(await one.write([{ key, value: 'b', ifVersion: before }]), undefined)
        expectEqual(await one.write([{ key, value: 'b', ifVersion: 0 }]), undefined)
        const version = await foreignVersion(one, key)
        const [after = 0] = (await other.write([{ key, value: 'b', ifVersion: version }])) ?? []
        expect(after > before, `version ${after} after ${before}`)
        expectEqual(await one.get(key), { value: 'b', version: after })
        expectEqual(await one.list(key, { limit: 1 }), [{ key, value: 'b', version: after }])
      }
    }),
    withStores('lets a write without a version replace what no store wrote, and delete it', async (one, other) => {
      for (const [at, spoil] of damage(one).entries.entries()) {
        const key = `k${at}`
        await one.write([{ key, value: 'a' }])
        await spoil(key)
        const [version = 0] = (await other.write([{ key, value: 'b', ttlMs: LONG_MS }])) ?? []
        expectEqual(await one.get(key), { value: 'b', version })
        await spoil(key)
        expectEqual(await other.write([{ key }]), [0])
        expectEqual(await one.get(key), undefined)
        await spoil(key)
        expectEqual(await one.write([{ key, ifVersion: await foreignVersion(one, key) }]), [0])
        expectEqual(await other.get(key), undefined)
      }
    }),
    withStores('lists the rest beside what no store wrote', async (one, other) => {
      for (const [at, spoil] of damage(one).entries.entries()) {
        const keys = [`${at}a`, `${at}b`, `${at}c`]
        await one.write(keys.map((key) => ({ key, value: 'x' })))
        await spoil(`${at}b`)
        const listed = await other.list(`${at}`, { limit: 10 })
        expectEqual(
          listed.filter(({ key }) => key !== `${at}b`).map(({ key, value }) => [key, value]),
          [
            [`${at}a`, 'x'],
            [`${at}c`, 'x'],
          ],
        )
      }
    }),
  ]
}

function placeCases(withStores: StoreCase, damage: Damage): ContractCase[] {
  return [
    withStores('gives a lease that something else stands for to whoever asks', async (one, other) => {
      for (const [at, spoil] of damage(one).leases.entries()) {
        const key = `k${at}`
        const former = await one.lease(key, 'a', LONG_MS)
        if (former === undefined) throw new Error('no lease was given')
        await spoil(key)
        expectEqual(await other.holder(key), undefined)
        expectEqual(await one.renew(key, former, LONG_MS), false)
        const next = await other.lease(key, 'b', LONG_MS)
        expect(next !== undefined && next.epoch > former.epoch, `epoch ${next?.epoch} after ${former.epoch}`)
        expectEqual(await one.holder(key), next)
        await one.release(key, former)
        expectEqual(await one.holder(key), next)
      }
    }),
    withStores('goes on in a place whose count somebody else has written', async (one, other) => {
      let [last = 0] = (await one.write([{ key: 'k', value: '' }])) ?? []
      for (const spoil of damage(one).whole) {
        await spoil()
        const [version = 0] = (await one.write([{ key: 'k', value: 'a' }])) ?? []
        expect(Number.isSafeInteger(version) && version > last, `version ${version} after ${last}`)
        const [next = 0] = (await other.write([{ key: 'k', value: 'b', ifVersion: version }])) ?? []
        expect(next > version, `version ${next} after ${version}`)
        expectEqual(await one.list('k', { limit: 1 }), [{ key: 'k', value: 'b', version: next }])
        last = next
      }
    }),
  ]
}

async function foreignVersion(store: Store, key: string): Promise<number> {
  const { version = 0 } = (await store.get(key)) ?? {}
  expect(Number.isSafeInteger(version) && version >= 1, `what no store wrote has version ${version}`)
  return version
}
