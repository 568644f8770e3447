// Teaches: testing a server in memory: both eras, a script of answers, random arguments, advice for models.
import { lintServer } from '@portico/sdk/lint'
import { eachEra, propertyCalls } from '@portico/sdk/testing'
import { expect, test } from 'vitest'
import order from './order.ts'
import shop from './shop.ts'

test('sdk 17: a basket costs the same in both eras', () =>
  eachEra(shop, async (client) => {
    expect(await client.tools.total({ basket: [['p2', 2]] })).toEqual({ cents: 6_500, euros: '65.00' })
  }))

test('sdk 17: what is wrong with arguments is said by name', () =>
  eachEra(shop, async (client) => {
    await expect(client.callTool('total', { basket: [['p2', 0]] })).resolves.toMatchObject({ isError: true })
    await expect(client.tools.total({ basket: [['p9', 1]] })).rejects.toThrow('There is no product "p9"')
  }))

test('sdk 17: an order asks two questions, and none after a refusal', () =>
  eachEra(
    order,
    async (client) => {
      expect(await client.tools.order({})).toBe('1 coffees to Main Street 1, 3 euros.')
      expect(await client.tools.order({})).toBe('Nothing was ordered.')
      expect(client.asked).toHaveLength(3)
    },
    { answers: { elicit: [{ size: 'small', coffees: 1 }, { street: 'Main Street 1' }, 'decline'] } },
  ))

test('sdk 17: no arguments make a tool crash', { timeout: 60_000 }, async () => {
  const reads = ['search', 'find', 'total', 'categories', 'deliver', 'weigh', 'compare', 'picture', 'review', 'stock']
  await propertyCalls(shop, { runs: 50, tools: reads })
})

test('sdk 17: nothing in the shop confuses a model', () => {
  // `find` takes one of two forms; which models refuse that is known, and the shop has none of them.
  const errors = lintServer(shop, { ignore: ['schema-root-union'] }).filter(({ severity }) => severity === 'error')
  expect(errors.map(({ message }) => message)).toEqual([])
})
