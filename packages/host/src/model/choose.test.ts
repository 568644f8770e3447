import { expect, test } from 'vitest'
import { chooseModels } from './choose.ts'
import type { ModelView } from './models.ts'

function model(id: string, config: object, usable = true): ModelView {
  // Only what choosing looks at.
  return { id, usable, config: { model: id, provider: 'p', ...config } } as unknown as ModelView
}

const MODELS = [
  model('cheap', { cost: 1, speed: 0.5, intelligence: 0.1 }),
  model('quick', { cost: 0.5, speed: 1, intelligence: 0.2 }),
  model('clever', { cost: 0.1, speed: 0.1, intelligence: 1 }),
  model('locked', { cost: 1, speed: 1, intelligence: 1 }, false),
]

test.each([
  [{ costPriority: 1 }, [], 'cheap'],
  [{ speedPriority: 1 }, [], 'quick'],
  [{ intelligencePriority: 0.8, speedPriority: 0.1 }, [], 'clever'],
  [{ hints: [{ name: 'nobody' }, { name: 'QUI' }], intelligencePriority: 1 }, [], 'quick'],
  [{ intelligencePriority: 1 }, ['cheap', 'quick'], 'quick'],
  [undefined, [], 'cheap'],
])('preferences %j among %j choose %s, and never what cannot be used', (preferences, allowed, expected) => {
  const chosen = chooseModels(MODELS, preferences, allowed).map(({ id }) => id)
  expect(chosen[0]).toBe(expected)
  expect(chosen).not.toContain('locked')
})
