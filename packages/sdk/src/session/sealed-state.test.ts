import { afterEach, describe, expect, it, vi } from 'vitest'
import { randomToken } from './random-token.ts'
import { digestOf, type StateBinding, StateSealer } from './sealed-state.ts'

const BINDING: StateBinding = { server: 's', principal: 'alice', method: 'tools/call', digest: 'd' }
const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

afterEach(() => {
  vi.useRealTimers()
})

describe('StateSealer (2026-07-28, MRTR, "Server Requirements")', () => {
  it('opens what it sealed, whatever is in it', async () => {
    const sealer = new StateSealer()
    const payload = JSON.parse('{"__proto__":{"a":1},"text":"é✓","deep":[[1]]}')
    const state = await sealer.seal(payload, BINDING)
    expect(state).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(JSON.stringify(await sealer.open(state, BINDING))).toBe(JSON.stringify(payload))
  })

  it('shows nothing of what it holds, and never the same twice', async () => {
    const sealer = new StateSealer()
    const [one, two] = [await sealer.seal({ secret: 'x' }, BINDING), await sealer.seal({ secret: 'x' }, BINDING)]
    expect(one).not.toBe(two)
    expect(atob(one.replaceAll('-', '+').replaceAll('_', '/'))).not.toContain('secret')
  })

  it.each([
    ['principal', { ...BINDING, principal: 'mallory' }],
    ['principal', { ...BINDING, principal: undefined }],
    ['method', { ...BINDING, method: 'prompts/get' }],
    ['parameters', { ...BINDING, digest: 'e' }],
  ])('refuses what is presented with another %s', async (_, other) => {
    const sealer = new StateSealer()
    await expect(sealer.open(await sealer.seal({}, BINDING), other)).rejects.toMatchObject({ code: 'state-refused' })
  })

  it('tells no principal from one named "null"', async () => {
    const sealer = new StateSealer()
    const state = await sealer.seal({}, { ...BINDING, principal: undefined })
    await expect(sealer.open(state, { ...BINDING, principal: 'null' })).rejects.toMatchObject({ code: 'state-refused' })
  })

  it('refuses every single altered character', async () => {
    const sealer = new StateSealer()
    const state = await sealer.seal({ a: 1 }, BINDING)
    for (let at = 0; at < state.length; at++) {
      const altered = `${state.slice(0, at)}${state[at] === 'A' ? 'B' : 'A'}${state.slice(at + 1)}`
      await expect(sealer.open(altered, BINDING)).rejects.toMatchObject({ code: 'state-refused' })
    }
  })

  it.each(['', 'A', '=', 'ä', ' ', 'AQ'.repeat(20), '\u0000'])('refuses %j', async (state) => {
    await expect(new StateSealer().open(state, BINDING)).rejects.toMatchObject({ code: 'state-refused' })
  })

  it('expires after its time, not before', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const sealer = new StateSealer({ ttlMs: 1000 })
    const state = await sealer.seal({}, BINDING)
    vi.setSystemTime(Date.now() + 1000)
    await expect(sealer.open(state, BINDING)).resolves.toEqual({})
    vi.setSystemTime(Date.now() + 1)
    await expect(sealer.open(state, BINDING)).rejects.toMatchObject({ code: 'state-refused' })
  })

  it('keeps the limit on its length when sealing and when opening', async () => {
    const free = new StateSealer({ keys: [key(1)] })
    const state = await free.seal({ a: 'x' }, BINDING)
    const limited = (maxStateLength: number) => new StateSealer({ keys: [key(1)], maxStateLength })
    for (const spare of [0, 1]) {
      const sealer = limited(state.length + spare)
      await expect(sealer.seal({ a: 'x' }, BINDING)).resolves.toHaveLength(state.length)
      await expect(sealer.open(state, BINDING)).resolves.toEqual({ a: 'x' })
    }
    const tight = limited(state.length - 1)
    await expect(tight.seal({ a: 'x' }, BINDING)).rejects.toMatchObject({
      code: 'limit-exceeded',
      message: expect.stringContaining('maxStateLength'),
    })
    await expect(tight.open(state, BINDING)).rejects.toMatchObject({ code: 'state-refused' })
  })

  it('rotates keys: the newest seals, all open, a retired one does not', async () => {
    const old = await new StateSealer({ keys: [key(1)] }).seal({ from: 'old' }, BINDING)
    const both = new StateSealer({ keys: [key(2), key(1)] })
    expect(await both.open(old, BINDING)).toEqual({ from: 'old' })
    const fresh = await both.seal({ from: 'new' }, BINDING)
    await expect(new StateSealer({ keys: [key(1)] }).open(fresh, BINDING)).rejects.toMatchObject({
      code: 'state-refused',
    })
    const later = new StateSealer({ keys: [key(2)] })
    expect(await later.open(fresh, BINDING)).toEqual({ from: 'new' })
    await expect(later.open(old, BINDING)).rejects.toMatchObject({ code: 'state-refused' })
  })

  it.each([[[]], [[new Uint8Array(31)]], [[new Uint8Array(33)]], [[key(1), new Uint8Array(0)]]])(
    'refuses keys of another length',
    (keys) => {
      expect(() => new StateSealer({ keys })).toThrow(/32 bytes/)
    },
  )
})

describe('digestOf', () => {
  it('is the same for equal values, however they are written', async () => {
    expect(await digestOf({ a: 1, b: { c: [1, 2], d: null } })).toBe(
      await digestOf({ b: { d: null, c: [1, 2] }, a: 1 }),
    )
  })

  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":{}}', '{"a":[]}'],
    ['{}', '{"__proto__":{}}'],
    ['{"a":null}', '{}'],
    ['{"a":{"$":[["b",1]]}}', '{"a":{"b":1}}'],
  ])('tells %s from %s', async (one, other) => {
    expect(await digestOf(JSON.parse(one))).not.toBe(await digestOf(JSON.parse(other)))
  })
})

describe('randomToken', () => {
  it('is URL-safe and does not repeat', () => {
    const tokens = new Set(Array.from({ length: 1000 }, () => randomToken()))
    expect(tokens.size).toBe(1000)
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{22}$/)
  })
})
