import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FairTurns } from './fair-turns.ts'

it('sec-292: between two turns of one source, everybody else who waits has one, and all are served', async () => {
  const sources = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(sources, async (asked) => {
      const turns = new FairTurns()
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
  const turns = new FairTurns()
  const served: string[] = []
  const take = (source: string) => turns.run(source, async () => void served.push(source))
  const first = turns.run('many', async () => {
    for (const source of ['many', 'many', 'other']) void take(source)
  })
  await first
  await turns.idle()
  expect(served).toEqual(['other', 'many', 'many'])
})
