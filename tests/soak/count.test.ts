/** What is counted of memory: data that is held is seen, and code is not taken for it. */

import { describe, expect, it } from 'vitest'
import { countCheaply, toMemory } from './count.ts'
import { judge } from './judge.ts'

const MEBIBYTE = 1024 * 1024
type Counts = ReturnType<typeof countCheaply>

function dataHolds(before: Counts, after: Counts): boolean | undefined {
  const judgements = judge({ at: 0, counts: before }, [], { at: 0, counts: after })
  return judgements.find(({ name }) => name === 'data MiB')?.holds
}

describe('reliability: what a soak counts of memory', () => {
  it('sees six MiB that somebody holds, and that they were let go', () => {
    const before = countCheaply()
    // 8 KiB each.
    const held = Array.from({ length: 6 * 128 }, (_, at) => new Array<number>(1024).fill(at + 0.5))
    const during = countCheaply()
    expect(held.splice(0)).toHaveLength(6 * 128)
    expect(dataHolds(before, during)).toBe(false)
    expect(dataHolds(before, countCheaply())).toBe(true)
  })

  it('sees six MiB outside of the heap', () => {
    const before = countCheaply()
    const held = [new Uint8Array(6 * MEBIBYTE)]
    expect(dataHolds(before, countCheaply())).toBe(false)
    expect(held).toHaveLength(1)
  })

  it('tells what is compiled from what is held', () => {
    const use = (heapUsed: number) => ({ heapUsed: heapUsed * MEBIBYTE, external: MEBIBYTE, rss: 0 })
    const code = (own: number, byte: number) => ({
      code_and_metadata_size: own * MEBIBYTE,
      bytecode_and_metadata_size: byte * MEBIBYTE,
    })
    const before = toMemory(use(50), code(5, 5))
    expect(before).toEqual({ 'data MiB': 41, 'code MiB': 10, 'resident MiB': 0 })
    expect(dataHolds(before, toMemory(use(60), code(9, 11)))).toBe(true)
    expect(dataHolds(before, toMemory(use(60), code(5, 10)))).toBe(false)
  })
})
