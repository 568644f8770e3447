import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FairTurns } from './fair-turns.ts'

const turnsOf = (slots: number, maxWaiting = 100) =>
  new FairTurns({ slots, maxWaiting, refusal: () => new Error('too many wait') })

it('sec-292: between two turns of one source, everybody else who waits has one, and all are served', async () => {
  const sources = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(sources, async (asked) => {
      const turns = turnsOf(1)
      const served: string[] = []
      const all = asked.map((source, at) =>
        turns.run(source, async () => {
          served.push(source)
          if (at % 3 === 0) throw new Error('failed')
        }),
      )
      await Promise.allSettled(all)
      await turns.idle()
      expect([...served].sort()).toEqual([...asked].sort())
      for (const [at, source] of served.entries()) {
        const again = served.indexOf(source, at + 1)
        const waiting = new Set(served.slice(at + 1).filter((other) => other !== source))
        if (again !== -1) expect(new Set(served.slice(at + 1, again))).toEqual(waiting)
      }
    }),
  )
})

it('sec-292: one that comes back after its turn waits behind those who came meanwhile', async () => {
  const turns = turnsOf(1)
  const served: string[] = []
  const take = (source: string) => turns.run(source, async () => void served.push(source))
  const first = turns.run('many', async () => {
    for (const source of ['many', 'many', 'other']) void take(source)
  })
  await first
  await turns.idle()
  expect(served).toEqual(['other', 'many', 'many'])
})

/** Work that goes on until it is told to end. */
function openWork() {
  const ends: (() => void)[] = []
  const begun: string[] = []
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((end) => ends.push(end))
  }
  return { work, begun, endAll: () => ends.splice(0).forEach((end) => void end()) }
}

it('sec-695: one caller never has all the places, and is told when too many of its own wait (servers 9)', async () => {
  const turns = turnsOf(4, 3)
  const { work, begun, endAll } = openWork()
  const all = Array.from({ length: 6 }, () => turns.run('greedy', work('greedy')))
  await expect(turns.run('greedy', work('greedy'))).rejects.toThrow('too many wait')
  all.push(turns.run('meek', work('meek')))
  await Promise.resolve()
  expect(begun).toEqual(['greedy', 'greedy', 'greedy', 'meek'])
  while (begun.length < 7) {
    endAll()
    await new Promise(setImmediate)
  }
  endAll()
  await Promise.all(all)
  await turns.idle()
})

it('sec-695: who gives up while waiting takes no place', async () => {
  const turns = turnsOf(1)
  const { work, begun, endAll } = openWork()
  const first = turns.run('a', work('a'))
  const stop = new AbortController()
  const second = turns.run('b', work('b'), stop.signal)
  const third = turns.run('c', work('c'))
  stop.abort(new Error('given up'))
  await expect(second).rejects.toThrow('given up')
  endAll()
  await first
  await new Promise(setImmediate)
  endAll()
  await third
  expect(begun).toEqual(['a', 'c'])
})

it('work that fails before it gives a promise gives its place back', async () => {
  const turns = turnsOf(1)
  const failing = turns.run('a', () => {
    throw new Error('at once')
  })
  await expect(failing).rejects.toThrow('at once')
  expect(await turns.run('b', async () => 'served')).toBe('served')
})
