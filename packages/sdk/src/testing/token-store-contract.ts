/**
 * What every `TokenStore` must do. The stores of this repository pass it (memory, an encrypted folder, Redis); run it over
 * your own by handing in how a fresh one is made, and a second one that shares it where several programs may.
 */

import type { TokenStore } from '../auth/client/token-store.ts'
import { type ContractCase, expect, expectEqual, inTime } from './contract.ts'

/**
 * The cases of a token store. `make` gives two stores over one fresh place: the same object twice where a place has only one.
 *
 * @example
 * ```ts
 * import { createMemoryTokenStore } from '@portico/sdk/auth'
 * import { tokenStoreContract } from '@portico/sdk/testing'
 *
 * const store = createMemoryTokenStore()
 * for (const { name, run } of tokenStoreContract(async () => [store, store])) {
 *   await run()
 *   console.log(`kept: ${name}`)
 * }
 * ```
 */
export function tokenStoreContract(make: () => Promise<readonly [TokenStore, TokenStore]>): ContractCase[] {
  let turns = 0
  const withStores = (name: string, body: (one: TokenStore, other: TokenStore, key: string) => Promise<void>) => ({
    name,
    run: async () => inTime(body(...(await make()), `contract ${turns++} ${name}`), name),
  })
  return [
    withStores('knows nothing of a key that was never set', async (one, _, key) => {
      expectEqual(await one.get(key), undefined)
      await one.delete(key)
    }),
    withStores('gives back any text, to whoever shares it', async (one, other, key) => {
      for (const text of ['', 'a', '\u0000\n\u2028\ud83d\ude00', 'x'.repeat(100_000)]) {
        await one.set(key, text)
        expectEqual(await other.get(key), text)
      }
    }),
    withStores('forgets what is deleted, and nothing else', async (one, other, key) => {
      await one.set(key, 'first')
      await one.set(`${key} more`, 'second')
      await other.delete(key)
      expectEqual([await one.get(key), await one.get(`${key} more`)], [undefined, 'second'])
    }),
    withStores('keeps keys apart that differ in a character', apart),
    withStores('lets one action at a time have the lock of a key', oneAtATime),
    withStores('gives the lock on when an action fails', async (one, other, key) => {
      const failed = await one.withLock(key, () => Promise.reject(new Error('refused'))).catch(String)
      expectEqual(failed, 'Error: refused')
      expectEqual(await other.withLock(key, async () => 'went on'), 'went on')
    }),
    withStores('does not hold the lock of one key against another', async (one, other, key) => {
      const inner = await one.withLock(key, () => other.withLock(`${key} more`, async () => 'inside'))
      expectEqual(inner, 'inside')
    }),
  ]
}

async function apart(one: TokenStore, _: TokenStore, key: string): Promise<void> {
  const keys = [key, `${key} `, key.toUpperCase(), `${key}/..`, `${key}\u0000`, `["${key}"]`]
  for (const [at, name] of keys.entries()) await one.set(name, String(at))
  for (const [at, name] of keys.entries()) expectEqual(await one.get(name), String(at))
}

async function oneAtATime(one: TokenStore, other: TokenStore, key: string): Promise<void> {
  let inside = 0
  let most = 0
  const enter = async (): Promise<void> => {
    most = Math.max(most, ++inside)
    const count = Number((await one.get(key)) ?? '0')
    await new Promise((resolve) => setTimeout(resolve, 1))
    await other.set(key, String(count + 1))
    inside--
  }
  await Promise.all(Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? one : other).withLock(key, enter)))
  expect(most === 1, `${most} actions had the lock at once`)
  expectEqual(await one.get(key), '8')
}
