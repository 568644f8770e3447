/** F1 to F7: the process at the far end dies, ends, or stands still, at every point of a call; F19 and F20: it comes back. */

import { setTimeout as sleep } from 'node:timers/promises'
import { createSeeded, type Seeded } from '@portico/sdk/testing/faults'
import { allStarted, IN_FLIGHT, issue, type Outcome, planCalls, planLater, untilBack, withVictim } from '../calls.ts'
import { type Cell, type Form, onLinks } from '../cell.ts'
import { now } from '../clock.ts'
import type { Fates } from '../judge.ts'
import type { CutPoint } from '../programs/server-plan.ts'
import type { Rig } from '../rig/rig.ts'
import { onAnswer, onRequest } from './bytes.ts'

const CUTS: readonly CutPoint[] = ['header', 'json', 'utf8', 'end']

const killedBefore: Form = {
  fault: 1,
  about: 'killed before requests are written',
  async run(rig, seeded) {
    const faultAt = now()
    rig.signal('SIGKILL')
    const calls = issue(rig, planCalls(seeded))
    await rig.back()
    return withReturn(rig, seeded, await calls, faultAt)
  },
}

/** One call of the server's own tool brings its end about. */
const ownDeaths: readonly Form[] = (
  [
    [2, 'killed before execution', 'kill-before'],
    [3, 'killed after execution', 'kill-after'],
    [5, 'exits 0 with calls in flight', 'exit'],
  ] as const
).map(([fault, about, how]) => ({
  fault,
  about,
  async run(rig, seeded) {
    const before = now()
    const calls = issue(rig, withVictim(seeded, how))
    await rig.gone()
    // Behind pipes nobody sees the end but the client.
    const faultAt = rig.way === 'http' ? now() : before
    await rig.start()
    return withReturn(rig, seeded, await calls, faultAt)
  },
}))

/** A gateway does not know its own end from within: the proxy before it picks the moment. */
const gatewayDeaths: readonly Form[] = [
  {
    fault: 2,
    about: 'killed before execution',
    options: { proxy: true },
    run: (rig, seeded) => killAt(rig, seeded, onRequest),
  },
  {
    fault: 3,
    about: 'killed after execution',
    options: { proxy: true },
    run: (rig, seeded) => killAt(rig, seeded, onAnswer),
  },
  {
    fault: 5,
    about: 'exits 0 with calls in flight',
    async run(rig, seeded) {
      const plans = planCalls(seeded, () => ({ ms: 300 }))
      const calls = issue(rig, plans)
      await allStarted(rig, plans)
      const faultAt = now()
      rig.tell('exit')
      await rig.back()
      return { outcomes: await calls, faultAt, restored: true }
    },
  },
]

async function killAt(rig: Rig, seeded: Seeded, on: typeof onAnswer): Promise<Fates> {
  const plans = planCalls(seeded)
  let faultAt = 0
  on(rig, plans[seeded.pick(8) * 4]?.nonce ?? '', () => {
    faultAt = now()
    rig.signal('SIGKILL')
  })
  const calls = issue(rig, plans)
  await rig.back()
  return { outcomes: await calls, faultAt, restored: true }
}

const cutOnNetwork = CUTS.map((at): Form => {
  return {
    fault: 4,
    about: `killed in the middle of an answer: ${at}`,
    options: { proxy: true, way: 'http' },
    async run(rig, seeded) {
      const plans = planCalls(seeded)
      let faultAt = 0
      onAnswer(rig, plans[seeded.pick(8) * 4]?.nonce ?? '', (bytes, passage) => {
        const utf8 = bytes.indexOf(Buffer.from('漢')) + 1
        const cut = { header: 9, json: bytes.length - 60, utf8, end: bytes.length - 1 }
        passage.answer(bytes.subarray(0, cut[at]))
        faultAt = now()
        rig.signal('SIGKILL')
      })
      const calls = issue(rig, plans)
      await rig.back()
      return withReturn(rig, seeded, await calls, faultAt)
    },
  }
})

const cutOnPipes = CUTS.map((at): Form => {
  // The nonces of a seed are known ahead, so that the server can be told which answer to break.
  const victimOf = (seeded: Seeded) => planCalls(createSeeded(seeded.seed))[1 + (seeded.seed % 2)]
  return {
    fault: 4,
    about: `killed in the middle of a line: ${at}`,
    options: (seeded) => ({ way: 'stdio', plan: { cut: { nonce: victimOf(seeded)?.nonce ?? '', at } } }),
    async run(rig, seeded) {
      const faultAt = now()
      const outcomes = await issue(rig, planCalls(createSeeded(seeded.seed)))
      // The call whose line breaks off has no answer.
      const strikes = outcomes.filter(isFailure).length
      return { ...(await withReturn(rig, seeded, outcomes, faultAt)), strikes }
    },
  }
})

const drains: readonly Form[] = [
  {
    fault: 6,
    about: 'SIGTERM, calls shorter than the grace',
    async run(rig, seeded) {
      const plans = planCalls(seeded, () => ({ ms: 300 }))
      const calls = issue(rig, plans)
      await allStarted(rig, plans)
      rig.signal('SIGTERM')
      const outcomes = await calls
      await rig.gone()
      return { outcomes, allResults: true }
    },
  },
  {
    fault: 6,
    about: 'SIGTERM, calls longer than the grace',
    options: { plan: { graceMs: 200 }, gateway: { graceMs: 200 } },
    async run(rig, seeded) {
      const plans = planCalls(seeded, (index) => ({ ms: index % 2 === 0 ? 20 : 10_000, idempotent: false }))
      const calls = issue(rig, plans)
      await allStarted(rig, plans)
      const faultAt = now()
      rig.signal('SIGTERM')
      const outcomes = await calls
      await rig.gone()
      return { outcomes, faultAt }
    },
  },
]

const stops: readonly Form[] = [
  {
    fault: 7,
    about: 'stopped and continued',
    options: { reuse: true },
    async run(rig, seeded) {
      await rig.stop()
      const calls = issue(rig, planCalls(seeded))
      await sleep(700)
      rig.signal('SIGCONT')
      return { outcomes: await calls, allResults: true }
    },
  },
  {
    fault: 7,
    about: 'stopped beyond the timeout; late answers',
    options: { reuse: true },
    async run(rig, seeded) {
      await rig.stop()
      const late = await issue(
        rig,
        planCalls(seeded, () => ({ timeoutMs: 300, idempotent: false })),
      )
      rig.signal('SIGCONT')
      const after = await issue(rig, planLater(seeded))
      const complaints = [
        ...late.filter(({ code }) => code !== 'timeout').map(({ code }) => `${code} in place of a timeout`),
        ...failed(after).map(({ text }) => `after it went on: ${text}`),
      ]
      return { outcomes: [...late, ...after], timesOut: true, complaints }
    },
  },
]

const restarts: readonly Form[] = [
  {
    fault: 19,
    about: 'restarted on the same port',
    options: { way: 'http' },
    async run(rig, seeded) {
      const before = await issue(rig, planCalls(seeded))
      rig.signal('SIGKILL')
      await rig.back()
      // To send what may only run once on a socket of the old server is to lose it. Their ends reach this process before the start of
      // the new one does; a gateway has seen them once it has answered.
      const back = rig.isNear ? [] : await untilBack(rig, seeded)
      const after = await issue(rig, planLater(seeded))
      const lost = [...before, ...after]
        .filter(isFailure)
        .map(({ kind, text }) => `no result although it is back: ${kind} ${text}`)
      return { outcomes: [...before, ...back, ...after], complaints: lost }
    },
  },
]

const sentOnce: Form = {
  fault: 3,
  about: 'sent once is not called unsent, however later attempts fail',
  options: { way: 'http' },
  async run(rig, seeded) {
    const once = () => ({ fault: 'kill-after' as const, idempotent: true, timeoutMs: 1_500 })
    const outcomes = await issue(rig, planCalls(seeded, once, 1))
    const strange = outcomes.filter(({ kind, delivery }) => kind !== 'local' || delivery !== 'unknown')
    return { outcomes, timesOut: true, complaints: strange.map(({ kind, delivery }) => `${kind} ${delivery}`) }
  },
}

const rolls: readonly Form[] = [
  {
    fault: 20,
    about: 'each of two replicas is ended and started again',
    options: { replicas: 2, way: 'http', version: '2026-07-28' },
    async run(rig, seeded) {
      let rolling = true
      const rolled = rig.roll().finally(() => {
        rolling = false
      })
      const calls: Promise<Outcome[]>[] = []
      let open = 0
      for (let batch = 0; rolling && batch < 400; batch++) {
        const plans = planCalls({ ...seeded, seed: seeded.seed * 1_000 + batch }, () => ({ ms: 20 }), 4)
        open += plans.length
        calls.push(issue(rig, plans).finally(() => (open -= plans.length)))
        // 200 a second, but no more at a time than elsewhere: how many a gateway takes at once is not what this is about.
        do await sleep(20)
        while (open >= IN_FLIGHT)
      }
      await rolled
      const outcomes = (await Promise.all(calls)).flat()
      // A request that crosses the end of its connection may fail; what is known to be unsent has another replica to go to.
      const given = outcomes.filter(({ kind, delivery }) => kind !== 'result' && delivery !== 'unknown')
      const complaints = given.map(
        ({ kind, delivery, text }) => `given up, with a replica there: ${kind} ${delivery} ${text}`,
      )
      return { outcomes, restored: true, complaints }
    },
  },
]

/** Behind a gateway a failed call is told as the gateway's error, and it is the gateway that comes back to its server. */
async function withReturn(rig: Rig, seeded: Seeded, outcomes: Outcome[], faultAt: number): Promise<Fates> {
  if (rig.isNear) return { outcomes, faultAt, restored: true }
  return {
    outcomes: [...outcomes, ...(await untilBack(rig, seeded))],
    faultAt: outcomes.some(isFailure) ? faultAt : undefined,
  }
}

const isFailure = ({ kind }: Outcome): boolean => kind !== 'result'

const failed = (outcomes: readonly Outcome[]): Outcome[] => outcomes.filter(isFailure)

export const deathCells: readonly Cell[] = [
  ...onLinks(['L1', 'L2', 'L3', 'L4', 'L5'], [killedBefore]),
  ...onLinks(['L1', 'L2', 'L3', 'L5'], ownDeaths),
  ...onLinks(['L2', 'L3'], [sentOnce]),
  ...onLinks(['L4'], gatewayDeaths),
  ...onLinks(['L2', 'L3', 'L4', 'L5'], cutOnNetwork),
  ...onLinks(['L1', 'L5'], cutOnPipes),
  ...onLinks(['L1', 'L2', 'L3', 'L4', 'L5'], [...drains, ...stops]),
  ...onLinks(['L2', 'L3', 'L4', 'L5'], restarts),
  ...onLinks(['L4', 'L5'], rolls),
]
