/** The model against what can be worked out by hand. */

import { describe, expect, it } from 'vitest'
import { type Costs, cpuOf, opensOf, replicasOf, simulate, storeCallsOf } from './measured/model.ts'

const COSTS: Costs = {
  modern: 100,
  owned: 100,
  passedHere: 200,
  passedThere: 150,
  storeCalls: { modern: 0, owned: 0, passed: 0.01 },
  open: 300,
  openStoreCalls: 2,
  sessionBytes: 2000,
  listenerBytes: 16_000,
  tell: 20,
  idleStoreCalls: 0.3,
  idleSessionStoreCalls: 0,
  storeWrites: 10_000,
}

const setup = { cores: 1, callers: 24, calls: 9_000 }

describe('the model of many replicas', () => {
  it('gives N times the calls of 2026-07-28 to N replicas, and none to the store', () => {
    for (const replicas of [1, 2, 3, 10]) {
      const { perSecond } = simulate(COSTS, { ...setup, kind: 'modern', replicas })
      expect(perSecond / (10_000 * replicas)).toBeCloseTo(1, 1)
      expect(storeCallsOf(COSTS, 'modern', replicas)).toBe(0)
    }
  })

  it('has sessions cost what is passed on, the more the more replicas there are', () => {
    expect([1, 2, 3].map((replicas) => Math.round(cpuOf(COSTS, 'session', replicas)))).toEqual([100, 225, 267])
    for (const replicas of [1, 2, 3]) {
      const { perSecond } = simulate(COSTS, { ...setup, kind: 'session', replicas })
      expect(perSecond).toBeLessThan((1e6 / cpuOf(COSTS, 'session', replicas)) * replicas * 1.01)
      expect(perSecond).toBeGreaterThan((1e6 / cpuOf(COSTS, 'session', replicas)) * replicas * 0.8)
    }
  })

  it('makes a replica that has half a core twice as slow', () => {
    const { perSecond, meanMs } = simulate(COSTS, { ...setup, kind: 'modern', replicas: 1, cores: 0.5 })
    expect(perSecond).toBeCloseTo(5_000, -1)
    expect(meanMs).toBeCloseTo(4.8, 0)
  })

  it('names what the store can carry', () => {
    expect([opensOf(COSTS), replicasOf(COSTS)]).toEqual([5_000, 3_333])
  })
})
