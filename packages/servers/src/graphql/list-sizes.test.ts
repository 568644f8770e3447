import { buildSchema, Kind, parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { measureOperation } from './measure.ts'

const schema = buildSchema(`
  scalar BigInt
  input Page { first: Int, next: Page, filled: Int }
  input Filled { limit: Int = 5000 }
  type Item { id: ID! }
  type Query {
    items(first: Int): [Item!]!
    defaulted(first: Int = 100000): [Item!]!
    filled(page: Filled): [Item!]!
    paged(page: Page): [Item!]!
    nodes(ids: [ID!]!): [Item]
    big(first: BigInt): [Item!]!
    labelled(labels: [String!]): [Item!]!
  }
`)

function costOf(document: string, variables: { [name: string]: unknown } = {}): number {
  const [operation] = parse(document).definitions
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation')
  const limits = { maxDepth: 10, maxCost: Number.POSITIVE_INFINITY, defaultListSize: 10 }
  return measureOperation(schema, { operation, fragments: new Map(), variables }, limits).cost
}

describe('sec-869: lists are counted by all that says how long they are', () => {
  it.each([
    ['an argument', '{ items(first: 50) { id } }', {}, 51],
    ['a nested input', '{ paged(page: { next: { next: { first: 7000 } } }) { id } }', {}, 7001],
    [
      'a nested input in a variable',
      'query ($p: Page) { paged(page: $p) { id } }',
      { p: { next: { first: 7000 } } },
      7001,
    ],
    ['a default of a variable', 'query ($p: Page = { first: 7000 }) { paged(page: $p) { id } }', {}, 7001],
    ['text for a scalar of the schema', '{ big(first: "99999") { id } }', {}, 100_000],
    ['a number with an exponent', '{ big(first: 1e5) { id } }', {}, 100_001],
    ['a list of ids', `{ nodes(ids: [${'"a",'.repeat(3000)}]) { id } }`, {}, 3001],
    ['a list in a variable', 'query ($i: [ID!]!) { nodes(ids: $i) { id } }', { i: Array(50_000).fill('a') }, 50_001],
    ['a default of the schema', '{ defaulted { id } }', {}, 100_001],
    ['a smaller one than the default of the schema', '{ defaulted(first: 2) { id } }', {}, 3],
    ['a default within an input', '{ filled(page: {}) { id } }', {}, 5001],
    ['a short list, which makes none shorter', '{ labelled(labels: ["a"]) { id } }', {}, 11],
  ])('%s', (_name, document, variables, cost) => {
    expect(costOf(document, variables)).toBe(cost)
  })
})
