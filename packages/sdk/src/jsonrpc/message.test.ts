import { describe, expect, it } from 'vitest'
import { classify, isRequestId } from './message.ts'

describe('classify', () => {
  it.each([
    ['request', { jsonrpc: '2.0', id: 1, method: 'ping' }],
    ['request', { jsonrpc: '2.0', id: '', method: '', params: {} }],
    ['request', { jsonrpc: '2.0', id: 0, method: 'x', result: 'a request may carry what it likes' }],
    ['notification', { jsonrpc: '2.0', method: 'x' }],
    ['response', { jsonrpc: '2.0', id: 1, result: {} }],
    ['response', { jsonrpc: '2.0', id: 1, error: { code: -1, message: '' } }],
    ['response', { jsonrpc: '2.0', id: null, error: { code: -1, message: '' } }],
    ['response', { jsonrpc: '2.0', error: { code: -1, message: '' } }],
  ])('finds a %s in %j and hands it on uncopied', (kind, value) => {
    const classified = classify(value)
    expect(classified.kind).toBe(kind)
    expect('message' in classified && classified.message).toBe(value)
  })

  it.each([
    [null, null],
    [5, null],
    ['x', null],
    [[], null],
    [{}, null],
    [{ id: 7, method: 'x' }, 7],
    [{ jsonrpc: '2.0', id: 7, method: 5 }, 7],
    [{ jsonrpc: '2.0', id: 7, method: 'x', params: [] }, 7],
    [{ jsonrpc: '2.0', id: 7, method: 'x', params: null }, 7],
    [{ jsonrpc: '2.0', id: null, method: 'x' }, null],
    [{ jsonrpc: '2.0', id: 1.5, method: 'x' }, null],
    [{ jsonrpc: '2.0', id: {}, method: 'x' }, null],
    [{ jsonrpc: '2.0', id: 7 }, 7],
    [{ jsonrpc: '2.0', id: 7, result: null }, 7],
    [{ jsonrpc: '2.0', id: 7, result: [] }, 7],
    [{ jsonrpc: '2.0', result: {} }, null],
    [{ jsonrpc: '2.0', id: 7, result: {}, error: { code: 1, message: '' } }, 7],
    [{ jsonrpc: '2.0', id: 7, error: { code: 1.5, message: '' } }, 7],
    [{ jsonrpc: '2.0', id: 7, error: { code: 1 } }, 7],
    [{ jsonrpc: '2.0', id: 7, error: 'x' }, 7],
  ])('refuses %j and keeps the id that could be read', (value, id) => {
    expect(classify(value)).toMatchObject({ kind: 'invalid', id })
  })

  it('does not look at what an object inherits from a poisoned message', () => {
    const poisoned = JSON.parse('{"__proto__":{"jsonrpc":"2.0","method":"x"}}')
    expect(classify(poisoned).kind).toBe('invalid')
  })
})

describe('isRequestId', () => {
  it.each(['', 'a', 'a'.repeat(1023), 'a'.repeat(1024), 0, -1, Number.MAX_SAFE_INTEGER])('takes %j', (id) =>
    expect(isRequestId(id)).toBe(true),
  )
  // 2^53 + 1 reads as 2^53, which another request may have (security D28, sec-170).
  it.each(['a'.repeat(1025), 2 ** 53, -(2 ** 53), JSON.parse('9007199254740993'), 1e300])('refuses %j', (id) => {
    expect(isRequestId(id)).toBe(false)
  })
  it.each([null, undefined, 1.5, Number.NaN, Number.POSITIVE_INFINITY, true, {}, []])('refuses %j', (id) => {
    expect(isRequestId(id)).toBe(false)
  })
})
