import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPrincipal } from '../auth/principal.ts'
import type { Endpoint } from '../session/endpoint.ts'
import { Load } from './http-load.ts'
import { isRefusal } from './http-refusal.ts'
import { withDefaults } from './limits.ts'
import { Connections } from './socket-connections.ts'

const ada = createPrincipal('ada')
/** Only what stands for a server: a load counts by it and asks it nothing. */
const endpoint = () => ({}) as Endpoint

test.each(['request', 'listener'] as const)(
  'sec-183: however many callers without a name come and go, one with a name has a place: %s',
  (kind) => {
    const steps = fc.array(fc.oneof(fc.constant('leave' as const), fc.integer({ min: 1, max: 9 })), { maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 100 }), steps, (max, all) => {
        const server = endpoint()
        const limits = withDefaults({ maxInFlight: max, maxListeners: max })
        // Known callers come one way, the others by another that asks for no names.
        const known = new Load(limits, server, true)
        const other = new Load(limits, server)
        const held: number[] = []
        for (const step of all) {
          if (step === 'leave') {
            const count = held.pop()
            if (count === undefined) continue
            other.answered(kind, count)
            other.leave(kind, undefined, count)
          } else if (other.enter(kind, undefined, step) === undefined) held.push(step)
          expect(known.enter(kind, ada)).toBeUndefined()
          known.answered(kind)
          known.leave(kind, ada)
        }
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
