/** The memory of used proofs and the nonces that need none. */

import { describe, expect, it } from 'vitest'
import { DpopNonces } from './verify-nonce.ts'
import { ReplayMemory } from './verify-replay.ts'

describe('ReplayMemory', () => {
  it('knows an id until it could no longer be presented', () => {
    const memory = new ReplayMemory({ keepMs: 1000, max: 10, maxPerOwner: 10 })
    expect(memory.remember('a', 'k', '1', 0)).toBe('new')
    expect(memory.remember('a', 'k', '1', 999)).toBe('known')
    expect(memory.remember('b', 'l', '1', 999)).toBe('new')
    expect(memory.remember('a', 'k', '1', 1000)).toBe('new')
    expect(memory.size).toBe(2)
  })

  it('refuses beyond its bounds rather than to forget, each owner by itself', () => {
    const memory = new ReplayMemory({ keepMs: 1000, max: 3, maxPerOwner: 2 })
    const outcomes = ['a', 'a', 'a', 'b', 'c'].map((owner, at) => memory.remember(owner, owner, String(at), 0))
    expect(outcomes).toEqual(['new', 'new', 'full', 'new', 'full'])
    expect(memory.remember('a', 'a', '9', 1000)).toBe('new')
    expect(memory.size).toBe(1)
  })
})

describe('DpopNonces', () => {
  it('are accepted for five minutes, by whoever has the key', async () => {
    const key = new Uint8Array(32).fill(7)
    const nonce = await new DpopNonces(key).create(1_000_000)
    const other = new DpopNonces(key)
    expect(await other.accepts(nonce, 1_000_000)).toBe(true)
    expect(await other.accepts(nonce, 1_300_000)).toBe(true)
    expect(await other.accepts(nonce, 1_300_001)).toBe(false)
    expect(await other.accepts(nonce, 999_999)).toBe(false)
    expect(await new DpopNonces().accepts(nonce, 1_000_000)).toBe(false)
  })

  it.each([undefined, 1, '', 'x', '0'.repeat(80), 'g'.repeat(80)])('%j is none', async (nonce) => {
    expect(await new DpopNonces().accepts(nonce)).toBe(false)
  })
})
