/** The short form of `npm run fuzz`: a moment for each target, and proof that a broken promise is noticed. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { costOf, drive } from '../../../tests/fuzz/drive.ts'
import { opened, type Target } from '../../../tests/fuzz/target.ts'
import { eras } from '../../../tests/fuzz/targets/eras.ts'
import { TARGETS } from '../../../tests/fuzz/targets.ts'
import { isShort } from '../../../tests/support/short.ts'

describe('random input', () => {
  it.each(TARGETS.filter((target) => target !== eras))(
    'does no harm to $name: $about',
    { timeout: 300_000 },
    async (target) => {
      const { runs, failure } = await drive(target, { seconds: isShort ? 0.3 : 1, seed: 20_260_728 })
      expect(failure).toBeUndefined()
      expect(runs).toBeGreaterThan(0)
    },
  )
})

describe('one handler on five revisions', () => {
  it('gives the same result, effects, questions and progress (sdk D8, D9, D10, D19)', {
    timeout: 120_000,
  }, async () => {
    const { runs, failure } = await drive(eras, { seconds: 1, seed: 20_260_729, runs: 200 })
    expect(failure).toBeUndefined()
    expect(runs).toBeGreaterThanOrEqual(200)
  })
})

describe('a target that breaks its promise is found out', () => {
  const kept: unknown[] = []
  const rows: {
    name: string
    run: (input: number) => void | Promise<void>
    reason: string
    maxCostMs?: number
    undo?: () => void
  }[] = [
    { name: 'by throwing', run: (input) => demandSmall(input), reason: 'too large' },
    {
      name: 'by changing a prototype',
      run: () => void Object.defineProperty(Object.prototype, 'polluted', { value: 1, configurable: true }),
      reason: 'a built-in prototype has changed',
      undo: () => void Reflect.deleteProperty(Object.prototype, 'polluted'),
    },
    {
      name: 'by computing too long',
      run: () => {
        // Both clocks: the processor's also counts what other threads of this process compute.
        const [started, before] = [performance.now(), process.cpuUsage()]
        while (process.cpuUsage(before).user < 60_000 || performance.now() - started < 60);
      },
      reason: 'the input cost',
      maxCostMs: 50,
    },
    {
      name: 'by keeping memory',
      run: () => void kept.push(new Array(3_000_000).fill(kept.length)),
      reason: 'did not come back',
      undo: () => kept.splice(0),
    },
    {
      name: 'by a rejection that reaches nobody',
      run: () => void Promise.reject(new Error('stray')),
      reason: 'reached nobody',
    },
  ]
  it.each(rows)('$name', async ({ run, reason, maxCostMs, undo }) => {
    const target: Target = { name: 'broken', about: '', open: () => opened({ arbitrary: fc.nat(1000), run }) }
    // By number and not by time: a busy machine would run too few.
    const { failure } = await drive(target, { seconds: 0.3, runs: 20, seed: 1, ...(maxCostMs && { maxCostMs }) })
    undo?.()
    expect(failure).toContain(reason)
  })
})

it.each([
  ['computed all the time', 1_500, 1_500, 1_500],
  ['hardly got the processor', 1_500, 80, 150],
  ['shared the processor', 1_500, 700, 700],
  ['hung', 30_000, 10, 3_000],
  ['ran beside other threads', 400, 900, 400],
])('sdk 17: an input that %s cost what it computed, and a tenth of what it waited', (_, wallMs, cpuMs, cost) => {
  expect(costOf(wallMs, cpuMs)).toBe(cost)
})

function demandSmall(input: number): void {
  if (input > 100) throw new Error(`${input} is too large`)
}
