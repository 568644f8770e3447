import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairShares, type ShareOwner, type Turn } from './fair-shares.ts'

/** Slots with a record of who was given one. */
function sharesOf(most: number, maxQueued = 1_000) {
  const shares = new FairShares(most, maxQueued)
  const given: ShareOwner[] = []
  const ask = (party: ShareOwner): Turn => {
    const turn: Turn = { party, take: () => given.push(party) }
    shares.enter(turn)
    return turn
  }
  return { shares, given, ask, count: (party: ShareOwner) => given.filter((one) => one === party).length }
}

describe('sec-230: a party at full tilt keeps no other from its share (host 9)', () => {
  it.each([2, 3, 4, 8, 64, 100])('of %i slots, one is there at once for whoever comes next', (most) => {
    const { given, ask, count } = sharesOf(most)
    for (let call = 0; call < 300; call++) ask('greedy')
    expect(count('greedy')).toBeGreaterThanOrEqual(Math.floor(most / 2))
    ask('meek')
    expect(given.at(-1)).toBe('meek')
  })

  it('those who wait have their turns one after another, however many one of them has', () => {
    const { shares, given, ask } = sharesOf(1)
    ask('first')
    for (let call = 0; call < 5; call++) ask('greedy')
    ask('meek')
    ask('shy')
    const names = ['first', 'greedy', 'meek', 'shy', 'greedy', 'greedy', 'greedy', 'greedy']
    for (const name of names) shares.leave(name)
    expect(given).toEqual(names)
  })

  it('nothing is kept of those who were refused', () => {
    const shares = new FairShares(1, 0)
    expect(shares.enter({ party: 'first', take: () => {} })).toBe(true)
    for (let at = 0; at < 100; at++) expect(shares.enter({ party: `late ${at}`, take: () => {} })).toBe(false)
    expect(shares.parties).toBe(1)
    shares.leave('first')
    expect(shares.parties).toBe(0)
  })

  it('one has as many waiting as it may, and others as many of their own', () => {
    const shares = new FairShares(1, 2)
    const asked = ['a', 'a', 'a', 'a', 'b', 'b', 'b'].map((party) => shares.enter({ party, take: () => {} }))
    expect(asked).toEqual([true, true, true, false, true, true, false])
  })

  it('the host itself has all there are', () => {
    const { ask, count } = sharesOf(4)
    for (let call = 0; call < 6; call++) ask(undefined)
    expect(count(undefined)).toBe(4)
  })

  it('whatever comes and goes: never more than there are, everybody in the end, nobody passed by for long', () => {
    const party = fc.constantFrom('a', 'b', 'c', 'd')
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('ask' as const), party }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('leave' as const), at: fc.nat(100) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const), at: fc.nat(100) }) },
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 80 }), (most, steps) => {
        const shares = new FairShares(most, 1_000)
        const holders: string[] = []
        const waiting = new Map<Turn, { passed: number }>()
        const ask = (name: string): void => {
          const turn: Turn = {
            party: name,
            take: () => {
              waiting.delete(turn)
              holders.push(name)
              expect(holders.length).toBeLessThanOrEqual(most)
              // Somebody with nothing is passed by once by each of the others at most.
              for (const [other, wait] of waiting) if (!holders.includes(other.party as string)) wait.passed++
              for (const { passed } of waiting.values()) expect(passed).toBeLessThanOrEqual(6)
            },
          }
          waiting.set(turn, { passed: 0 })
          shares.enter(turn)
        }
        const leave = (at: number): void => {
          const [name] = holders.splice(at % holders.length, 1)
          shares.leave(name)
        }
        for (const one of steps) {
          if (one.kind === 'ask') {
            // Each party has one turn that waits, so that `passed` counts the turns of others.
            if (![...waiting.keys()].some((turn) => turn.party === one.party)) ask(one.party)
          } else if (one.kind === 'leave') {
            if (holders.length > 0) leave(one.at)
          } else {
            const turn = [...waiting.keys()][one.at % Math.max(1, waiting.size)]
            if (turn !== undefined && shares.withdraw(turn)) waiting.delete(turn)
          }
        }
        while (holders.length > 0) leave(0)
        expect([waiting.size, shares.open, shares.parties]).toEqual([0, 0, 0])
      }),
    )
  })
})
