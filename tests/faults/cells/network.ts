/** F13, F15, F16 and F17: the network breaks; the program at its end does not notice or does not care. */

import { setTimeout as sleep } from 'node:timers/promises'
import { allStarted, issue, planCalls } from '../calls.ts'
import { type Cell, type Form, onLinks } from '../cell.ts'
import { now } from '../clock.ts'
import type { Rig } from '../rig/rig.ts'
import { hooksOf, setPace } from './bytes.ts'

const PROXY = { proxy: true, reuse: true, way: 'http' } as const

/** Every fourth piece of what passes is cut somewhere, and its connection reset. */
function resetSome(
  rig: Rig,
  which: 'request' | 'response',
  pick: (n: number) => number,
): { at: number; strikes: number } {
  const fault = { at: now(), strikes: 0 }
  let pieces = 0
  hooksOf(rig)[which] = (bytes, passage) => {
    if (++pieces % 4 !== 1) return bytes
    fault.at = now()
    fault.strikes++
    const part = bytes.subarray(0, pick(bytes.length))
    setTimeout(() => passage.reset(), 5)
    if (which === 'request') return part
    passage.answer(part)
    return undefined
  }
  return fault
}

const resets: readonly Form[] = [
  ...(['request', 'response'] as const).map(
    (which): Form => ({
      fault: 13,
      about: `reset in the middle of ${which === 'request' ? 'requests' : 'answers'}`,
      options: PROXY,
      async run(rig, seeded) {
        const fault = resetSome(rig, which, seeded.pick)
        const outcomes = await issue(rig, planCalls(seeded))
        return { outcomes, faultAt: fault.at, strikes: fault.strikes, restored: rig.isNear }
      },
    }),
  ),
  {
    fault: 13,
    about: 'every connection reset at once',
    options: PROXY,
    async run(rig, seeded) {
      const plans = planCalls(seeded, () => ({ ms: 200 }))
      const calls = issue(rig, plans)
      await allStarted(rig, plans)
      const faultAt = now()
      rig.proxy?.cut('reset')
      return { outcomes: await calls, faultAt, restored: rig.isNear }
    },
  },
]

const resumed: Form = {
  fault: 13,
  about: 'streams cut and taken up again',
  options: { ...PROXY, version: '2025-11-25' },
  async run(rig, seeded) {
    const plans = planCalls(seeded, () => ({ steps: 3, ms: 600 }), 16)
    const calls = issue(rig, plans)
    await allStarted(rig, plans)
    await sleep(100)
    rig.proxy?.cut(seeded.seed % 2 === 0 ? 'reset' : 'end')
    return { outcomes: await calls, allResults: true }
  },
}

const silences: readonly Form[] = [
  {
    fault: 15,
    about: 'no packets for a while',
    options: PROXY,
    async run(rig, seeded) {
      const calls = issue(rig, planCalls(seeded))
      rig.proxy?.hold()
      await sleep(500)
      rig.proxy?.release()
      return { outcomes: await calls, allResults: true }
    },
  },
  ...(['2026-07-28', '2025-11-25'] as const).map(
    (version): Form => ({
      fault: 15,
      about: `half-open for ever, ${version}: streams with a heartbeat`,
      options: {
        proxy: true,
        way: 'http',
        version,
        plan: { keepAliveMs: 200 },
        gateway: { keepAliveMs: 200, keepAlive: { pingMs: 900, pongMs: 300 } },
        client: { keepAlive: { pingMs: 900, pongMs: 300 } },
      },
      async run(rig, seeded) {
        const isResumed = version === '2025-11-25'
        const plans = planCalls(seeded, () => ({ ms: isResumed ? 4_000 : 20_000, steps: 2, idempotent: false }), 8)
        const calls = issue(rig, plans)
        await allStarted(rig, plans)
        await sleep(600)
        const faultAt = now()
        rig.proxy?.hold()
        // A session can be taken up again, once there is a way; without one the loss is told at once.
        if (isResumed) setTimeout(() => rig.proxy?.release(), 2_500)
        const outcomes = await calls
        rig.proxy?.release()
        return { outcomes, ...(isResumed ? { allResults: true } : { faultAt }) }
      },
    }),
  ),
]

const slow: readonly Form[] = [
  {
    fault: 16,
    about: 'one byte at a time, both ways',
    options: PROXY,
    async run(rig, seeded) {
      setPace(rig, { bytes: 1, everyMs: 0 })
      const outcomes = await issue(
        rig,
        planCalls(seeded, () => ({}), 4),
      )
      setPace(rig, undefined)
      return { outcomes, allResults: true }
    },
  },
  {
    fault: 17,
    about: '5 MB answers over a slow line',
    options: PROXY,
    async run(rig, seeded) {
      setPace(rig, { bytes: 65_536, everyMs: 5 })
      const plans = planCalls(seeded, (index) => (index < 2 ? { size: 5_000_000 } : {}))
      return { outcomes: await issue(rig, plans), allResults: true }
    },
  },
]

export const networkCells: readonly Cell[] = [
  ...onLinks(['L2', 'L3', 'L4', 'L5'], [...resets, ...slow]),
  ...onLinks(['L3', 'L4', 'L5'], [resumed]),
  ...onLinks(['L2', 'L3', 'L4', 'L5'], silences).filter(
    ({ link, about }) =>
      !(link === 'L2' && about.includes('2025-11-25')) && !(link === 'L3' && about.includes('2026-07-28')),
  ),
]
