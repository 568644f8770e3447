import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPrincipal, type Principal } from '../../auth/principal.ts'
import type { Endpoint } from '../../session/endpoint.ts'
import { Connections } from '../socket/socket-connections.ts'
import { Load, type LoadKind } from './http-load.ts'
import { isRefusal } from './http-refusal.ts'
import { withDefaults } from './limits.ts'

const ada = createPrincipal('ada')
/** Only what stands for a server: a load counts by it and asks it nothing. */
const endpoint = () => ({}) as Endpoint

/** Something with so many places: whoever is served holds `count` of them until what came back is called. */
type Places = (max: number) => (who: Principal | undefined, count: number) => (() => void) | undefined

const load =
  (kind: LoadKind): Places =>
  (max) => {
    const server = endpoint()
    const bounds = { maxInFlight: max, maxListeners: max }
    const limits = withDefaults({ ...bounds, maxInFlightPerPrincipal: 1_000, maxListenersPerPrincipal: 1_000 })
    // Known callers come one way, the others by another that asks for no names.
    const [known, other] = [new Load(limits, server, true), new Load(limits, server)]
    return (who, count) => {
      const way = who === undefined ? other : known
      if (way.enter(kind, who, count) !== undefined) return undefined
      return () => {
        way.answered(kind, count)
        way.leave(kind, who, count)
      }
    }
  }

const sockets: Places = (max) => {
  const connections = new Connections(withDefaults({ maxConnections: max, maxConnectionsPerPrincipal: 1_000 }), true)
  return (who) => {
    const place = connections.enter()
    if (isRefusal(place)) return undefined
    if (place.claim(who) === undefined) return () => place.leave()
    place.leave()
    return undefined
  }
}

const GREEDY = [undefined, createPrincipal('eve'), createPrincipal('mallory'), createPrincipal('trudy')]
const SHARED: readonly [string, Places][] = [
  ['requests in flight', load('request')],
  ['listeners', load('listener')],
  ['connections', sockets],
]

test.each(SHARED)(
  'sec-183, sec-273: however many callers take all they get, one who has none has a place: %s',
  (_, places) => {
    const parties = fc.shuffledSubarray(GREEDY, { minLength: 1 })
    const step = fc.record({ who: fc.nat(), count: fc.integer({ min: 1, max: 9 }), leaves: fc.boolean() })
    fc.assert(
      fc.property(parties, fc.nat(60), fc.array(step, { maxLength: 200 }), (greedy, extra, steps) => {
        const max = 8 * greedy.length + extra
        const enter = places(max)
        const held: (() => void)[] = []
        for (const { who, count, leaves } of steps) {
          const end = leaves ? held.pop() : undefined
          end?.()
          // At full speed: whatever is given is taken.
          for (;;) {
            const taken = enter(greedy[who % greedy.length], count)
            if (taken === undefined) break
            held.push(taken)
          }
          const served = enter(ada, 1)
          expect(served).toBeDefined()
          served?.()
        }
        // Nothing is lost on the way: all of it is there again for whoever comes alone.
        for (const end of held) end()
        let alone = 0
        while (enter(ada, 1) !== undefined) alone++
        expect(alone).toBe(max - Math.floor(max / 8))
      }),
    )
  },
)

test('where nobody has a name, every place is for everybody', () => {
  const load = new Load(withDefaults({ maxInFlight: 64 }), endpoint())
  for (let at = 0; at < 64; at++) expect(load.enter('request', undefined)).toBeUndefined()
  expect(load.enter('request', undefined)).toMatchObject({ status: 503 })
})

test.each([
  { named: true, taken: 14 },
  { named: false, taken: 16 },
])(
  'sec-183: of 16 connections, callers without a name take $taken where names are asked for: $named',
  ({ named, taken }) => {
    const connections = new Connections(withDefaults({ maxConnections: 16 }), named)
    const enter = (principal?: typeof ada) => {
      const place = connections.enter()
      if (isRefusal(place)) return false
      const refused = place.claim(principal) !== undefined
      if (refused) place.leave()
      return !refused
    }
    let unnamed = 0
    while (enter()) unnamed++
    expect(unnamed).toBe(taken)
    expect(enter(ada)).toBe(named)
  },
)
