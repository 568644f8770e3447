/** The part of a store's contract that is about lists. */

import { type ContractCase, eventually, expect, expectEqual } from './contract.ts'
import type { StoreCase } from './state-store-leases.ts'

const SHORT_MS = 20
const FIRST = 0x21
const LAST = 0x7e
const KEYS = ['a/!', 'a/0', 'a/A', 'a/Z', 'a/_', 'a/a', 'a/a%', 'a/b', 'a/~']

/** The cases, for the contract of the whole store. */
export function listCases(withStores: StoreCase): ContractCase[] {
  return [...orderCases(withStores), ...pageCases(withStores)]
}

function orderCases(withStores: StoreCase): ContractCase[] {
  return [
    withStores('lists what begins with a prefix, in the order of bytes', async (one, other) => {
      await one.write([...KEYS, 'a', 'b/a', 'A/a', 'a0'].reverse().map((key) => ({ key, value: `of ${key}` })))
      const listed = await other.list('a/', { limit: 100 })
      expectEqual(
        listed.map(({ key, value }) => [key, value]),
        KEYS.map((key) => [key, `of ${key}`]),
      )
      expectEqual(listed[0]?.version, (await one.get('a/!'))?.version)
      expectEqual((await other.list('', { limit: 100 })).length, KEYS.length + 4)
      expectEqual(await other.list('nothing', { limit: 100 }), [])
    }),
    withStores('takes a prefix as it is written, not as a pattern', async (one) => {
      await one.write(['%a', '_a', 'xa', '*a', '[x]a', '\\a'].map((key) => ({ key, value: '' })))
      for (const prefix of ['%', '_', '*', '[x]', '\\']) {
        expectEqual(
          (await one.list(prefix, { limit: 10 })).map(({ key }) => key),
          [`${prefix}a`],
        )
      }
    }),
    withStores('keeps keys of every character there may be apart and in order', async (one, other) => {
      const every = Array.from({ length: LAST - FIRST + 1 }, (_, at) => String.fromCharCode(FIRST + at))
      for (const letters of [every.slice(0, 47), every.slice(47)]) {
        await one.write(letters.map((key) => ({ key, value: `of ${key}` })).reverse())
      }
      const listed = await other.list('', { limit: 1000 })
      expectEqual(
        listed.map(({ key, value }) => [key, value]),
        every.map((key) => [key, `of ${key}`]),
      )
      for (const key of every) {
        expectEqual((await other.get(key))?.value, `of ${key}`)
        expectEqual(await other.list(`${key}${key}`, { limit: 10 }), [])
        expectEqual((await other.list('', { after: key, limit: 1 }))[0]?.key, every[every.indexOf(key) + 1])
      }
    }),
  ]
}

function pageCases(withStores: StoreCase): ContractCase[] {
  return [
    withStores('gives pages that leave nothing out and give nothing twice', async (one) => {
      await one.write(KEYS.map((key) => ({ key, value: key })))
      const got: string[] = []
      for (let page = await one.list('a/', { limit: 2 }); page.length > 0; ) {
        expect(page.length <= 2, 'a page is no larger than asked for')
        got.push(...page.map(({ key }) => key))
        page = await one.list('a/', { after: got.at(-1) ?? '', limit: 2 })
      }
      expectEqual(got, KEYS)
      expectEqual((await one.list('a/', { after: 'a/B', limit: 1 }))[0]?.key, 'a/Z')
      expectEqual((await one.list('a/', { after: 'A', limit: 1 }))[0]?.key, 'a/!')
      expectEqual(await one.list('a/', { after: 'b', limit: 1 }), [])
    }),
    withStores('fills a page as long as there is more, whatever was deleted or expired between', async (one, other) => {
      const name = (at: number) => `p/${String(at).padStart(3, '0')}`
      for (let from = 0; from < 180; from += 60) {
        await one.write(
          Array.from({ length: 60 }, (_, at) => ({
            key: name(from + at),
            value: `${from + at}`,
            ...((from + at) % 3 === 0 && { ttlMs: SHORT_MS }),
          })),
        )
      }
      await one.write(Array.from({ length: 60 }, (_, at) => ({ key: name(at * 3 + 1) })))
      await eventually(
        async () => (await other.get(name(177))) === undefined && (await other.get(name(0))) === undefined,
      )
      const got: string[] = []
      for (let page = await other.list('p/', { limit: 25 }); ; ) {
        got.push(...page.map(({ key }) => key))
        if (page.length < 25) break
        page = await other.list('p/', { after: got.at(-1) ?? '', limit: 25 })
      }
      expectEqual(
        got,
        Array.from({ length: 60 }, (_, at) => name(at * 3 + 2)),
      )
    }),
  ]
}
