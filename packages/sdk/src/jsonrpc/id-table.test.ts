import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdTable } from './id-table.ts'

const ids = fc.oneof(
  fc.integer({ min: 0, max: 70 }),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom('1', '', 'a', 2 ** 31, 2 ** 53 - 1, 1.5),
)
const steps = fc.array(fc.record({ id: ids, what: fc.constantFrom('set', 'set', 'delete', 'get') }), { maxLength: 300 })

describe('IdTable', () => {
  it('does what a Map does, whatever the ids and however they come and go', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const table = new IdTable<object>()
        const map = new Map<string | number, object>()
        for (const { id, what } of all) {
          if (what === 'delete') expect(table.delete(id)).toBe(map.delete(id))
          else if (what === 'get') expect(table.get(id)).toBe(map.get(id))
          else {
            const item = {}
            table.set(id, item)
            map.set(id, item)
          }
          expect(table.size).toBe(map.size)
        }
        expect(new Set(table.values())).toEqual(new Set(map.values()))
        for (const [id, item] of map) expect(table.get(id)).toBe(item)
      }),
    )
  })

  it('keeps an old id while many newer ones pass its place', () => {
    const table = new IdTable<string>()
    table.set(1, 'old')
    for (let id = 2; id < 5_000; id++) {
      table.set(id, 'new')
      expect(table.delete(id)).toBe(true)
    }
    expect([table.get(1), table.size]).toEqual(['old', 1])
  })

  it('holds thousands at once, and nothing once cleared', () => {
    const table = new IdTable<number>()
    for (let id = 1; id <= 100_000; id++) table.set(id, id)
    expect(table.size).toBe(100_000)
    for (let id = 1; id <= 100_000; id += 997) expect(table.get(id)).toBe(id)
    table.clear()
    expect([table.size, table.values()]).toEqual([0, []])
  })
})
