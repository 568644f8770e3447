import { expect, it } from 'vitest'
import { withinFairBound } from './fair-bound.ts'
import type { Grant } from './grant.ts'

function grant(id: string, owner: { readonly principal?: string; readonly session?: string }): Grant {
  return { id, action: 'allow', kind: 'call', server: 'mail', breadth: 'item', remember: 'once', at: 0, ...owner }
}

it('sec-721: whoever has most answers loses their oldest; nobody pushes out what another has', () => {
  const few = [grant('a', { principal: 'ann' }), grant('b', { session: 'bob' })]
  const many = Array.from({ length: 20 }, (_, at) => grant(`${at}`, { principal: 'eve' }))
  expect(withinFairBound([...few, ...many], 5).map(({ id }) => id)).toEqual(['a', 'b', '17', '18', '19'])
  expect(withinFairBound(few, 2)).toBe(few)
})
