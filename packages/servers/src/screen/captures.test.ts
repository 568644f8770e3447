import { afterEach, describe, expect, it, vi } from 'vitest'
import { Captures } from './captures.ts'
import { entry } from './entry.ts'

afterEach(() => vi.useRealTimers())

const picture = (size: number) => ({ bytes: Buffer.alloc(size), mimeType: 'image/png' as const })

describe('kept pictures (founding 6)', () => {
  it('are bounded in number and bytes, the oldest going first', () => {
    const told: string[] = []
    const captures = new Captures({ keepCaptures: 2, maxKeptBytes: 100, consentMs: 1_000 }, (owner) => told.push(owner))
    const sizes = (owner: string) => captures.of(owner).map((one) => one.picture.bytes.length)
    captures.add('a', 'x', picture(40))
    captures.add('b', 'x', picture(60))
    expect([sizes('a'), sizes('b')]).toEqual([[40], [60]])
    captures.add('b', 'x', picture(41))
    expect([sizes('a'), sizes('b')]).toEqual([[], [41]])
    expect(captures.add('a', 'x', picture(101))).toBeUndefined()
    expect(told).toEqual(['a', 'b', 'b', 'a'])
    captures.close()
  })

  it('are their taker’s alone, and nobody’s where callers cannot be told apart', () => {
    const captures = new Captures({ keepCaptures: 5, maxKeptBytes: 100, consentMs: 1_000 }, () => {})
    const { id } = captures.add('a', 'x', picture(1)) ?? { id: '' }
    expect(captures.find(id, 'a')?.id).toBe(id)
    expect(captures.find(id, 'b')).toBeUndefined()
    expect(captures.find(id, undefined)).toBeUndefined()
    expect(captures.add(undefined, 'x', picture(1))).toBeUndefined()
    captures.close()
  })

  it('are switched off by 0 on the command line, and by nothing that is no number', async () => {
    const { close } = await entry.create({ keepCaptures: '0' })
    await close()
    await expect(entry.create({ keepCaptures: 'none' })).rejects.toThrow('keepCaptures')
    await expect(entry.create({ maxKeptBytes: '0' })).rejects.toThrow('maxKeptBytes')
  })

  it('go when the yes has ended, and that is told', () => {
    vi.useFakeTimers()
    const told: string[] = []
    const captures = new Captures({ keepCaptures: 5, maxKeptBytes: 100, consentMs: 1_000 }, (owner) => told.push(owner))
    captures.add('a', 'x', picture(1))
    vi.advanceTimersByTime(999)
    expect(captures.of('a')).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(captures.of('a')).toHaveLength(0)
    expect(told).toEqual(['a', 'a'])
    captures.close()
  })
})
