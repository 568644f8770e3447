/** The short form of `npm run fuzz -- --canary`: a server that hides something in everything it can say. */

import { expect, it } from 'vitest'
import { walkCanaries } from '../../../tests/fuzz/canary/walk.ts'

it.each(['requests', 'rounds'] as const)(
  'nothing of what a server says arrives raw or as nobody’s, asked by %s (host 2, host 12, host 21, sec-209, sec-210, sec-276)',
  async (way) => {
    const { problems, arrived } = await walkCanaries(way)
    expect(problems).toEqual([])
    expect(arrived.get('model')).toBeGreaterThan(20)
    expect(arrived.get('question')).toBeGreaterThan(40)
  },
)
