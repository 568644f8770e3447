import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecentTokens } from './recent-tokens.ts'
import { OpenQuestions } from './verify-questions.ts'

const GREEDY = [undefined, 'eve', 'mallory', 'trudy']

test('sec-273: however many questions others have open, there is room for one of whoever has none', () => {
  const step = fc.record({ who: fc.constantFrom(...GREEDY), leaves: fc.boolean() })
  fc.assert(
    fc.property(fc.integer({ min: 32, max: 300 }), fc.array(step, { maxLength: 100 }), (max, steps) => {
      const questions = new OpenQuestions(max)
      const open: (string | undefined)[] = []
      let strangers = 0
      for (const { who, leaves } of steps) {
        if (leaves && open.length > 0) {
          const gone = open.pop()
          questions.leave(gone)
          if (gone === undefined) strangers--
        }
        while (questions.enter(who)) {
          open.push(who)
          if (who === undefined) strangers++
        }
        expect(strangers).toBeLessThanOrEqual(Math.ceil(max / 2))
        expect(open.length).toBeLessThan(max)
        expect(questions.enter('ada')).toBe(true)
        questions.leave('ada')
      }
    }),
  )
})

test('sec-273: however many tokens others have, those of whoever has few are remembered', () => {
  const owner = fc.constantFrom('eve', 'mallory', 'trudy')
  fc.assert(
    fc.property(fc.array(owner, { maxLength: 200 }), (owners) => {
      const tokens = new RecentTokens<string>(8)
      tokens.set('hers', 'ada', 1000, 'ada')
      for (const [at, name] of owners.entries()) tokens.set(`token ${at}`, name, 1000, name)
      expect(tokens.get('hers', 0)).toBe('ada')
    }),
  )
})
