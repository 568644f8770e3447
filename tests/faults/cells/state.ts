/** F23 to F26, and what belongs to no single call: tokens, clocks, what is used up, progress and subscriptions. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Seeded } from '@portico/sdk/testing/faults'
import { until } from '../../support/wait.ts'
import { allStarted, issue, planCalls, untilBack, withVictim } from '../calls.ts'
import { type Cell, type Form, onLinks } from '../cell.ts'
import { now } from '../clock.ts'
import type { Fates } from '../judge.ts'
import type { Rig } from '../rig/rig.ts'
import type { Link } from '../rig/rig-options.ts'

const ALL: readonly Link[] = ['L1', 'L2', 'L3', 'L4', 'L5']

const block: Form = {
  fault: 26,
  about: 'the other side blocks for a while',
  options: { reuse: true },
  async run(rig, seeded) {
    if (rig.link !== 'L4') {
      return { outcomes: await issue(rig, withVictim(seeded, 'block', { blockMs: 1_000 })), allResults: true }
    }
    const calls = issue(rig, planCalls(seeded))
    rig.tell('block 1000')
    return { outcomes: await calls, allResults: true }
  },
}

const memory: Form = {
  fault: 25,
  about: 'the other side runs out of memory',
  async run(rig, seeded) {
    // When it fills up is not known here; behind pipes the client's own word for its end is as good as any.
    let faultAt: number | undefined
    rig.client.on('disconnect', () => {
      faultAt ??= now()
    })
    const isGateway = rig.link === 'L4'
    const calls = issue(rig, isGateway ? planCalls(seeded) : withVictim(seeded, 'heap'))
    if (isGateway) rig.tell('heap')
    if (rig.listens) {
      await rig.gone()
      faultAt = now()
      await rig.start()
    }
    const outcomes = await calls
    return { outcomes, restored: rig.isNear, ...(rig.isNear && { faultAt }) }
  },
}

const descriptors: Form = {
  fault: 25,
  about: 'the other side has no file descriptors left',
  async run(rig, seeded) {
    // Idempotent calls go on until there is room; the others may be turned away, and say so.
    const faultAt = now() + 1_000
    const outcomes = await issue(
      rig,
      planCalls(seeded, () => ({ ms: 50 }), 64),
    )
    if (rig.tool === 'work') return { outcomes, faultAt, restored: true }
    // A gateway tells that it could not reach the server, which the client does not take for a loss.
    return { outcomes: [...outcomes, ...(await untilBack(rig, seeded))] }
  },
}

const disk: Form = {
  fault: 25,
  about: 'the event store is full',
  options: { way: 'http', version: '2025-11-25', plan: { eventsFull: true } },
  async run(rig, seeded) {
    // Nothing can be replayed, but whoever is connected loses nothing.
    const plans = planCalls(seeded, (index) => (index % 4 === 0 ? { steps: 2, idempotent: false } : {}))
    return { outcomes: await issue(rig, plans), allResults: true }
  },
}

const clocks: readonly Form[] = (
  [
    ['back', -3_600_000],
    ['ahead', 3_600_000],
  ] as const
).map(([way, jumpMs]) => ({
  fault: 24,
  about: `the clock goes ${way} by an hour as the other side dies`,
  // A gateway's clock stays where it was put.
  options: { fresh: true },
  async run(rig, seeded) {
    const real = Date.now
    const jump = () => {
      Date.now = () => real() + jumpMs
    }
    try {
      return await dieAndJump(rig, seeded, rig.isNear ? jump : () => rig.tell(`clock ${jumpMs}`))
    } finally {
      Date.now = real
    }
  },
}))

async function dieAndJump(rig: Rig, seeded: Seeded, jump: () => void): Promise<Fates> {
  const plans = rig.link === 'L4' ? planCalls(seeded, () => ({ ms: 200 })) : withVictim(seeded, 'kill-after')
  const calls = issue(rig, plans)
  if (rig.link === 'L4') {
    await allStarted(rig, plans)
    rig.signal('SIGKILL')
  }
  // After the loss was noticed, and before anything was done about it.
  if (rig.isNear) rig.client.on('disconnect', jump)
  await rig.gone()
  jump()
  await rig.start()
  return { outcomes: await calls, restored: rig.isNear }
}

const overflow: Form = {
  fault: 24,
  about: 'a timeout beyond what timers can hold does not fire at once',
  options: { reuse: true },
  async run(rig, seeded) {
    const plans = planCalls(seeded, () => ({ ms: 50, timeoutMs: 2 ** 32 }))
    return { outcomes: await issue(rig, plans), allResults: true }
  },
}

/** The gateway has to get a token on L5, the client everywhere else. */
const tokens: Form = {
  fault: 23,
  about: 'a token that expires under 50 calls is renewed once',
  options: { way: 'http', tokens: true },
  async run(rig, seeded) {
    const { issuer } = rig
    if (issuer === undefined) throw new Error('The rig has no issuer of tokens')
    const before = issuer.given
    issuer.expire()
    const outcomes = await issue(
      rig,
      planCalls(seeded, () => ({ idempotent: false }), 50),
    )
    const given = issuer.given - before
    return { outcomes, allResults: true, complaints: given === 1 ? [] : [`${given} tokens were asked for`] }
  },
}

const progress: Form = {
  fault: 3,
  about: 'progress has no gaps, up to the break',
  async run(rig, seeded) {
    const kill = rig.link === 'L4' ? undefined : ('kill-after' as const)
    const steps = (index: number) => ({ steps: 6, ms: 120, idempotent: false, fault: index === 5 ? kill : undefined })
    const plans = planCalls(seeded, steps, 8)
    const calls = issue(rig, plans)
    if (rig.link === 'L4') {
      await allStarted(rig, plans)
      await sleep(60)
      rig.signal('SIGKILL')
    }
    await rig.back()
    const outcomes = await calls
    const heard = Math.max(...outcomes.map(({ progress }) => progress.length))
    return { outcomes, complaints: heard > 0 ? [] : ['no progress was heard of'] }
  },
}

/** The name of one of its tools tells one life of the server from the next, so that a client can be asked what it believes. */
const subscription: Form = {
  fault: 1,
  about: 'a subscription is restored, and the gap is read again',
  options: { plan: { keepAliveMs: 500 }, gateway: { keepAliveMs: 500 } },
  async run(rig, seeded) {
    const changes: unknown[] = []
    await rig.client.subscribe({ toolsListChanged: true }, (change) => changes.push(change))
    const lives = async () => (await rig.client.listTools()).map(({ name }) => /life-\d+/.exec(name)?.[0] ?? '')
    const before = await lives()
    rig.signal('SIGKILL')
    await rig.back()
    await until(() => changes.length > 0, 'the client is told to read again', 20_000)
    const seen = async () => (await lives()).includes(`life-${rig.server}`)
    await until(seen, 'the client sees what the server has', 20_000).catch(() => {})
    const after = await lives()
    const complaints = [
      ...((await seen()) ? [] : [`the client believes in ${after} in place of ${rig.server}`]),
      ...(rig.link === 'L4' || before.join() !== after.join() ? [] : ['nothing has changed']),
    ]
    return {
      outcomes: await issue(
        rig,
        planCalls(seeded, () => ({}), 8),
      ),
      allResults: true,
      complaints,
    }
  },
}

export const stateCells: readonly Cell[] = [
  ...onLinks(ALL, [block, overflow, ...clocks, progress, subscription]),
  ...onLinks(ALL, [memory]).map((cell) => ({
    ...cell,
    // A gateway needs more than a server to begin with.
    options: { nodeArgs: [`--max-old-space-size=${cell.link === 'L4' ? 64 : 24}`] },
  })),
  ...onLinks(['L2', 'L3', 'L4', 'L5'], [descriptors]).map((cell) => ({
    ...cell,
    options: { way: 'http' as const, shell: `ulimit -n ${cell.link === 'L4' ? 90 : 40}` },
  })),
  ...onLinks(['L3', 'L5'], [disk]),
  ...onLinks(['L2', 'L3', 'L4', 'L5'], [tokens]),
]
