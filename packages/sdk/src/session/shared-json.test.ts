import { describe, expect, it } from 'vitest'
import { createSharedJson, SHARED_JSON_LIMITS } from './shared-json.ts'

const client = (name: string, extra: object = {}) => ({
  clientInfo: { name, version: '1' },
  capabilities: {},
  ...extra,
})

describe('shared JSON', () => {
  it('is one object where it is equal', () => {
    const { share } = createSharedJson()
    const first = share(client('a'))
    expect(first).toEqual(client('a'))
    expect(share(client('a'))).toBe(first)
  })

  it.each([
    ['a value', client('b')],
    ['a member more', client('a', { _meta: {} })],
    ['a member deep down', client('a', { capabilities: { roots: {} } })],
    ['a key that objects have of themselves', JSON.parse('{"clientInfo":{"__proto__":{"name":"a"}}}')],
  ])('is told apart by %s', (_, other) => {
    const { share } = createSharedJson()
    const first = share(client('a'))
    expect(share(other)).toBe(other)
    expect(other).not.toEqual(first)
  })

  it('cannot be changed by one holder for the others', () => {
    const shared = createSharedJson().share({ list: [{ deep: true }] })
    expect([shared, shared.list, shared.list[0]].every(Object.isFrozen)).toBe(true)
  })

  it.each([
    [SHARED_JSON_LIMITS.maxSharedLength - 1, true],
    [SHARED_JSON_LIMITS.maxSharedLength, true],
    [SHARED_JSON_LIMITS.maxSharedLength + 1, false],
  ])('of %i units is kept: %s', (length, kept) => {
    const { share } = createSharedJson()
    const name = 'x'.repeat(length - JSON.stringify({ name: '' }).length)
    const first = share({ name })
    expect(share({ name }) === first).toBe(kept)
  })

  it('gives way to newer values, so that nobody fills the memory with them', () => {
    const { share } = createSharedJson()
    const first = share(client('first'))
    for (let count = 1; count < SHARED_JSON_LIMITS.maxShared; count++) share(client(`other ${count}`))
    expect(share(client('first'))).toBe(first)
    share(client('one more'))
    expect(share(client('first'))).not.toBe(first)
  })

  it('leaves alone what is no JSON', () => {
    const odd = { count: 1n }
    expect(createSharedJson().share(odd)).toBe(odd)
    expect(Object.isFrozen(odd)).toBe(false)
  })
})
