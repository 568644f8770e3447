/**
 * What every `Store` must do: guarded writes that happen whole or not at all, versions that never come back, lists in the
 * order of keys, expiry, and leases whose epochs only grow.
 */

import { type Change, STORE_LIMITS, type Store } from '../state/store.ts'
import { type ContractCase, eventually, expect, expectCode, expectEqual, pairCase } from './contract.ts'
import { damageCases, type StoredDamage } from './state-store-damage.ts'
import { leaseCases, type StoreCase } from './state-store-leases.ts'
import { listCases } from './state-store-lists.ts'

const LONG_MS = 3_600_000
const SHORT_MS = 20

/**
 * The cases of a store. `make` gives two stores over one fresh place: as two processes would have them, or the same object
 * twice where a place has only one. Both are closed after each case. Where others can reach the place, `damage` says
 * how they would put what no store wrote into the place of a store.
 *
 * @example
 * ```ts
 * import { createMemoryStore } from '@portico/sdk/state'
 * import { stateStoreContract } from '@portico/sdk/testing'
 *
 * const cases = stateStoreContract(async () => {
 *   const store = createMemoryStore()
 *   return [store, store]
 * })
 * for (const { run } of cases) await run()
 * ```
 */
export function stateStoreContract(
  make: () => Promise<readonly [Store, Store]>,
  damage?: (store: Store) => StoredDamage,
): ContractCase[] {
  const withStores = pairCase(make)
  return [
    ...(damage === undefined ? [] : damageCases(withStores, damage)),
    ...writeCases(withStores),
    ...severalCases(withStores),
    ...raceCases(withStores),
    ...listCases(withStores),
    ...expiryCases(withStores),
    ...leaseCases(withStores),
    ...refusalCases(withStores),
  ]
}

function writeCases(withStores: StoreCase): ContractCase[] {
  return [
    withStores('has nothing under a key that was never written', async (one) => {
      expectEqual(await one.get('k'), undefined)
      expectEqual(await one.write([{ key: 'k' }]), [0])
    }),
    withStores('shows a write at once, with its version, to everybody', async (one, other) => {
      const value = 'é𐍈 \n"quoted"\\ \u2028'
      const versions = await one.write([{ key: 'k', value }])
      expectEqual(await other.get('k'), { value, version: versions?.[0] })
      expect(Number.isSafeInteger(versions?.[0]) && Number(versions?.[0]) >= 1, 'a version is a whole number from 1 on')
    }),
    withStores('keeps an empty text, which is not the same as nothing', async (one, other) => {
      await one.write([{ key: 'k', value: '' }])
      expectEqual((await other.get('k'))?.value, '')
    }),
    withStores('keeps the largest value there may be', async (one, other) => {
      const value = 'x'.repeat(STORE_LIMITS.maxValueBytes)
      await one.write([{ key: 'k', value }])
      expect((await other.get('k'))?.value === value, 'the value came back altered')
    }),
    withStores('keeps two megabytes of characters of every length in a write of several', async (one, other) => {
      const value = 'aé\u20ac𐍈\n"\\'.repeat(150_000)
      await one.write([
        { key: 'a', value, ttlMs: LONG_MS },
        { key: 'b', value: '1' },
      ])
      expect((await other.get('a'))?.value === value, 'the value came back altered')
      expect((await other.list('a', { limit: 1 }))[0]?.value === value, 'the value was listed altered')
    }),
    withStores('deletes only where the version is the one asked for, nothing included', async (one, other) => {
      expectEqual(await one.write([{ key: 'k', ifVersion: 0 }]), [0])
      expectEqual(await one.write([{ key: 'k', ifVersion: 1 }]), undefined)
      await one.write([{ key: 'k', value: 'a' }])
      expectEqual(await other.write([{ key: 'k', ifVersion: 0 }]), undefined)
      expectEqual((await one.get('k'))?.value, 'a')
    }),
    withStores('writes only where the version is the one asked for', async (one, other) => {
      const [first = 0] = (await one.write([{ key: 'k', value: 'a', ifVersion: 0 }])) ?? []
      expectEqual(await other.write([{ key: 'k', value: 'b', ifVersion: 0 }]), undefined)
      expectEqual(await other.write([{ key: 'k', value: 'b', ifVersion: first + 1 }]), undefined)
      const [second = 0] = (await other.write([{ key: 'k', value: 'b', ifVersion: first }])) ?? []
      expect(second > first, 'a later version is greater')
      expectEqual(await one.write([{ key: 'k', ifVersion: first }]), undefined)
      expectEqual(await one.get('k'), { value: 'b', version: second })
      expectEqual(await one.write([{ key: 'k', ifVersion: second }]), [0])
      expectEqual(await other.get('k'), undefined)
      expectEqual(await other.write([{ key: 'k', value: 'c', ifVersion: second }]), undefined)
    }),
  ]
}

function severalCases(withStores: StoreCase): ContractCase[] {
  return [
    withStores('changes nothing at all when one of several versions is wrong', async (one, other) => {
      const [version = 0] = (await one.write([{ key: 'a', value: '1' }])) ?? []
      const changes: Change[] = [
        { key: 'b', value: 'new' },
        { key: 'a', value: '2', ifVersion: version },
        { key: 'c', value: 'new', ifVersion: 7 },
      ]
      expectEqual(await one.write(changes), undefined)
      expectEqual(await other.list('', { limit: 10 }), [{ key: 'a', value: '1', version }])
    }),
    withStores('gives versions in the order of the changes, 0 for what was deleted', async (one) => {
      await one.write([{ key: 'b', value: 'x' }])
      const versions = await one.write([{ key: 'z', value: '1' }, { key: 'b' }, { key: 'a', value: '2' }])
      expectEqual(versions, [(await one.get('z'))?.version, 0, (await one.get('a'))?.version])
    }),
    withStores('never gives a version of a key twice, also after it was deleted', async (one, other) => {
      const seen = new Set<number>()
      let last = 0
      for (let turn = 0; turn < 20; turn++) {
        const store = turn % 2 === 0 ? one : other
        const [version = 0] = (await store.write([{ key: 'k', value: `${turn}` }])) ?? []
        expect(version > last, `version ${version} after ${last}`)
        last = version
        seen.add(version)
        if (turn % 3 === 0) await store.write([{ key: 'k' }])
      }
      expectEqual(seen.size, 20)
    }),
  ]
}

function raceCases(withStores: StoreCase): ContractCase[] {
  return [
    withStores('lets one of many win who write on the same version', async (one, other) => {
      for (let round = 0; round < 5; round++) {
        const ifVersion = (await one.get('k'))?.version ?? 0
        const tries = Array.from({ length: 8 }, (_, at) =>
          (at % 2 === 0 ? one : other).write([{ key: 'k', value: `${round}.${at}`, ifVersion }]),
        )
        const won = (await Promise.all(tries)).flatMap((versions, at) => (versions === undefined ? [] : [at]))
        expectEqual(won.length, 1)
        expectEqual((await other.get('k'))?.value, `${round}.${won[0]}`)
      }
    }),
    withStores('loses no step of a count that many raise at once', async (one, other) => {
      const raise = async (store: Store): Promise<void> => {
        for (;;) {
          const kept = await store.get('n')
          const value = `${Number(kept?.value ?? 0) + 1}`
          if ((await store.write([{ key: 'n', value, ifVersion: kept?.version ?? 0 }])) !== undefined) return
        }
      }
      await Promise.all(Array.from({ length: 16 }, (_, at) => raise(at % 2 === 0 ? one : other)))
      expectEqual((await one.get('n'))?.value, '16')
    }),
    withStores('never lets a write be seen by halves, whatever the order of its keys', async (one, other) => {
      const write = async (store: Store, keys: string[]): Promise<void> => {
        for (let at = 0; at < 10; at++) await store.write(keys.map((key) => ({ key, value: `${keys[0]}${at}` })))
      }
      let done = false
      const writing = Promise.all([write(one, ['a', 'b']), write(other, ['b', 'a'])]).then(() => {
        done = true
      })
      while (!done) {
        const values = (await one.list('', { limit: 2 })).map(({ value }) => value)
        expectEqual(new Set(values).size <= 1, true)
      }
      await writing
    }),
  ]
}

function expiryCases(withStores: StoreCase): ContractCase[] {
  return [
    withStores('forgets a value when its time is over, and its key is free again', async (one, other) => {
      const [first = 0] = (await one.write([{ key: 'k', value: 'a', ttlMs: SHORT_MS }])) ?? []
      await eventually(async () => (await other.get('k')) === undefined)
      expectEqual(await other.list('k', { limit: 1 }), [])
      expectEqual(await one.write([{ key: 'k', value: 'b', ifVersion: first }]), undefined)
      const [second = 0] = (await one.write([{ key: 'k', value: 'b', ifVersion: 0 }])) ?? []
      expect(second > first, `version ${second} after ${first}, which had expired`)
    }),
    withStores('never gives a version of an expired value again, to whomever writes next', async (one, other) => {
      let last = 0
      for (const [store, next] of [
        [one, other],
        [other, one],
        [one, one],
      ] as const) {
        const [version = 0] = (await store.write([{ key: 'k', value: 'a', ifVersion: 0, ttlMs: SHORT_MS }])) ?? []
        expect(version > last, `version ${version} after ${last}`)
        last = version
        await eventually(async () => (await next.get('k')) === undefined)
        // Deleting what has expired is deleting nothing.
        expectEqual(await next.write([{ key: 'k', ifVersion: version }]), undefined)
        expectEqual(await next.write([{ key: 'k', ifVersion: 0 }]), [0])
      }
    }),
    withStores('keeps what has time left, and what was given more of it or an end no longer', async (one, other) => {
      await one.write([
        { key: 'long', value: '', ttlMs: LONG_MS },
        { key: 'longer', value: '', ttlMs: SHORT_MS },
        { key: 'endless', value: '', ttlMs: SHORT_MS },
        { key: 'short', value: '', ttlMs: SHORT_MS },
      ])
      await one.write([
        { key: 'longer', value: '', ttlMs: LONG_MS },
        { key: 'endless', value: '' },
      ])
      await eventually(async () => (await other.get('short')) === undefined)
      const left = await other.list('', { limit: 10 })
      expectEqual(
        left.map(({ key }) => key),
        ['endless', 'long', 'longer'],
      )
    }),
  ]
}

function refusalCases(withStores: StoreCase): ContractCase[] {
  const many = Array.from({ length: STORE_LIMITS.maxChanges + 1 }, (_, at) => ({ key: `${at}`, value: '' }))
  const refused: { name: string; call: (store: Store) => Promise<unknown> }[] = [
    { name: 'an empty key', call: (store) => store.get('') },
    { name: 'a key with a blank', call: (store) => store.get('a b') },
    { name: 'a key beyond ASCII', call: (store) => store.write([{ key: 'é', value: '' }]) },
    { name: 'a key that is too long', call: (store) => store.get('k'.repeat(STORE_LIMITS.maxKeyLength + 1)) },
    { name: 'a key named twice', call: (store) => store.write([{ key: 'k', value: '' }, { key: 'k' }]) },
    { name: 'no changes', call: (store) => store.write([]) },
    { name: 'too many changes', call: (store) => store.write(many) },
    { name: 'U+0000', call: (store) => store.write([{ key: 'k', value: 'a\0b' }]) },
    { name: 'half a character', call: (store) => store.write([{ key: 'k', value: '\ud800' }]) },
    { name: 'no time', call: (store) => store.write([{ key: 'k', value: '', ttlMs: 0 }]) },
    { name: 'a list of nothing', call: (store) => store.list('', { limit: 0 }) },
    { name: 'a list of too much', call: (store) => store.list('', { limit: STORE_LIMITS.maxListed + 1 }) },
    { name: 'a lease for no time', call: (store) => store.lease('k', 'o', 0) },
  ]
  return [
    ...refused.map(({ name, call }) =>
      withStores(`refuses ${name} and changes nothing`, async (one, other) => {
        await expectCode(() => call(one), 'invalid-definition')
        expectEqual(await other.list('', { limit: 1 }), [])
      }),
    ),
    withStores('takes the longest key and the most changes there may be', async (one, other) => {
      const key = '~'.repeat(STORE_LIMITS.maxKeyLength)
      await one.write([{ key, value: 'x' }, ...many.slice(2)])
      expectEqual((await other.get(key))?.value, 'x')
    }),
    withStores('says that it was closed, and can be closed twice', async (one) => {
      await one.close()
      await one.close()
      const lease = { owner: 'o', epoch: 1 }
      const calls: (() => Promise<unknown>)[] = [
        () => one.get('k'),
        () => one.write([{ key: 'k', value: '' }]),
        () => one.list('', { limit: 1 }),
        () => one.lease('k', 'o', LONG_MS),
        () => one.renew('k', lease, LONG_MS),
        () => one.release('k', lease),
        () => one.holder('k'),
      ]
      for (const call of calls) await expectCode(call, 'closed')
    }),
  ]
}
