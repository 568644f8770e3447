/** L2 and L3 of the fault matrix: the same faults over HTTP, with and without a session. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { describeAnswers, describeStatuses, hook } from './http-answers.ts'
import type { Passage } from './proxy.ts'
import type { HttpKind, Rig } from './rig.ts'
import { allStarted, cell, createSeeded, issue, planCalls, RUNS, withVictim } from './run.ts'
import { answerTo, type WorkArguments } from './server-plan.ts'

export function describeHttp(level: 'L2' | 'L3', kind: HttpKind): void {
  describe(`${level} · HTTP ${kind === 'modern' ? '2026-07-28' : '2025-11-25 with sessions'}`, () => {
    describeDeaths(level, kind)
    describeNetwork(level, kind)
    describeAnswers(level, kind)
    describeStatuses(level, kind)
    describeTime(level, kind)
    describeResources(level, kind)
  })
}

/** The server dies and is started again where it was. */
function describeDeaths(level: string, kind: HttpKind): void {
  cell(
    `${level} F1 killed before requests are written`,
    kind,
    {},
    async (rig, seeded) => {
      const faultAt = performance.now()
      rig.signal('SIGKILL')
      const calls = issue(rig.client, planCalls(seeded))
      await rig.gone()
      await rig.start()
      return { outcomes: await calls, faultAt, restored: true }
    },
    RUNS,
  )

  const deaths = [
    ['F2 killed before execution', 'kill-before'],
    ['F3 killed after execution', 'kill-after'],
    ['F5 exits 0 with calls in flight', 'exit'],
  ] as const
  for (const [name, fault] of deaths) {
    cell(
      `${level} ${name}`,
      kind,
      {},
      async (rig, seeded) => {
        const calls = issue(rig.client, withVictim(seeded, fault))
        await rig.gone()
        const faultAt = performance.now()
        await rig.start()
        return { outcomes: await calls, faultAt, restored: true }
      },
      RUNS,
    )
  }

  for (const at of ['header', 'json', 'utf8', 'end'] as const) {
    cell(`${level} F4 killed in the middle of an answer: ${at}`, kind, { proxy: true }, async (rig, seeded) => {
      const plans = planCalls(seeded)
      const victim = plans[seeded.pick(8) * 4]?.nonce ?? ''
      let faultAt = 0
      onAnswer(rig, victim, (bytes, passage) => {
        const cut = {
          header: 9,
          json: bytes.length - 60,
          utf8: bytes.indexOf(Buffer.from('漢')) + 1,
          end: bytes.length - 1,
        }
        passage.answer(bytes.subarray(0, cut[at]))
        faultAt = performance.now()
        rig.signal('SIGKILL')
      })
      const calls = issue(rig.client, plans)
      await rig.gone()
      await rig.start()
      return { outcomes: await calls, faultAt, restored: true }
    })
  }

  cell(`${level} F6 SIGTERM, calls shorter than the grace`, kind, {}, async (rig, seeded) => {
    const calls = issue(
      rig.client,
      planCalls(seeded, () => ({ ms: 300 })),
    )
    await allStarted(rig)
    rig.signal('SIGTERM')
    return { outcomes: await calls, allResults: true }
  })

  cell(`${level} F6 SIGTERM, calls longer than the grace`, kind, { plan: { graceMs: 200 } }, async (rig, seeded) => {
    const plans = planCalls(seeded, (index) => ({ ms: index % 2 === 0 ? 20 : 10_000, idempotent: false }))
    const calls = issue(rig.client, plans)
    await allStarted(rig)
    const faultAt = performance.now()
    rig.signal('SIGTERM')
    return { outcomes: await calls, faultAt }
  })

  cell(`${level} F7 stopped and continued`, kind, { reuse: true }, async (rig, seeded) => {
    rig.signal('SIGSTOP')
    const calls = issue(rig.client, planCalls(seeded))
    await sleep(700)
    rig.signal('SIGCONT')
    return { outcomes: await calls, allResults: true }
  })

  cell(`${level} F7 stopped beyond the timeout; late answers`, kind, { reuse: true }, async (rig, seeded) => {
    rig.signal('SIGSTOP')
    const late = await issue(
      rig.client,
      planCalls(seeded, () => ({ timeoutMs: 300, idempotent: false })),
    )
    rig.signal('SIGCONT')
    const after = await issue(rig.client, planCalls(createSeeded(seeded.seed + 1_000)))
    expect(late.map(({ code }) => code)).toEqual(late.map(() => 'timeout'))
    expect(after.map(({ kind }) => kind)).toEqual(after.map(() => 'result'))
    return { outcomes: [...late, ...after], timesOut: true }
  })

  cell(`${level} F19 restarted on the same port, sessions lost`, kind, {}, async (rig, seeded) => {
    const before = await issue(rig.client, planCalls(seeded))
    rig.signal('SIGKILL')
    await rig.gone()
    await rig.start()
    // The client may still hold sockets of the old server; to send there what may only run once is to lose it.
    await sleep(50)
    const after = await issue(rig.client, planCalls(createSeeded(seeded.seed + 1_000)))
    return { outcomes: [...before, ...after], allResults: true }
  })
}

/** The network breaks; the server does not notice or does not care. */
function describeNetwork(level: string, kind: HttpKind): void {
  cell(
    `${level} F13 reset in the middle of requests`,
    kind,
    { proxy: true, reuse: true },
    async (rig, seeded) => {
      let faultAt = performance.now()
      let requests = 0
      hook(rig).request = (bytes, passage) => {
        if (++requests % 4 !== 1) return bytes
        faultAt = performance.now()
        const part = bytes.subarray(0, seeded.pick(bytes.length))
        setTimeout(() => passage.reset(), 5)
        return part
      }
      const calls = issue(rig.client, planCalls(seeded))
      return { outcomes: await calls, faultAt, restored: true }
    },
    RUNS,
  )

  cell(
    `${level} F13 reset in the middle of answers`,
    kind,
    { proxy: true, reuse: true },
    async (rig, seeded) => {
      let faultAt = performance.now()
      let answers = 0
      hook(rig).response = (bytes, passage) => {
        if (++answers % 4 !== 1) return bytes
        faultAt = performance.now()
        passage.answer(bytes.subarray(0, seeded.pick(bytes.length)))
        setTimeout(() => passage.reset(), 5)
        return undefined
      }
      const calls = issue(rig.client, planCalls(seeded))
      return { outcomes: await calls, faultAt, restored: true }
    },
    RUNS,
  )

  cell(
    `${level} F13 every connection reset at once`,
    kind,
    { proxy: true, reuse: true },
    async (rig, seeded) => {
      const calls = issue(
        rig.client,
        planCalls(seeded, () => ({ ms: 200 })),
      )
      await allStarted(rig)
      const faultAt = performance.now()
      rig.proxy?.cut('reset')
      return { outcomes: await calls, faultAt, restored: true }
    },
    RUNS,
  )

  const beating = {
    proxy: true,
    plan: { keepAliveMs: 200 },
    client: { keepAlive: { pingMs: 900, pongMs: 300 } },
  } as const
  cell(`${level} F15 no packets for a while`, kind, { proxy: true, reuse: true }, async (rig, seeded) => {
    const calls = issue(rig.client, planCalls(seeded))
    rig.proxy?.hold()
    await sleep(500)
    rig.proxy?.release()
    return { outcomes: await calls, allResults: true }
  })

  cell(`${level} F15 half-open for ever: streams with a heartbeat`, kind, beating, async (rig, seeded) => {
    const ms = kind === 'session' ? 5_000 : 20_000
    const plans = planCalls(seeded, () => ({ ms, steps: 2, idempotent: false }), 8)
    const calls = issue(rig.client, plans)
    await allStarted(rig, 8)
    await sleep(600)
    const faultAt = performance.now()
    rig.proxy?.hold()
    // A session can be taken up again, once there is a way; without one the loss is told at once.
    if (kind === 'session') setTimeout(() => rig.proxy?.release(), 2_500)
    const outcomes = await calls
    rig.proxy?.release()
    return { outcomes, ...(kind === 'session' ? { allResults: true } : { faultAt }) }
  })

  cell(`${level} F16 one byte at a time, both ways`, kind, { proxy: true }, async (rig, seeded) => {
    pacing(rig, { bytes: 1, everyMs: 0 })
    const outcomes = await issue(
      rig.client,
      planCalls(seeded, () => ({}), 8),
    )
    pacing(rig, undefined)
    return { outcomes, allResults: true }
  })

  cell(`${level} F17 5 MB answers over a slow line`, kind, { proxy: true }, async (rig, seeded) => {
    pacing(rig, { bytes: 65_536, everyMs: 5 })
    const plans = planCalls(seeded, (index) => (index < 2 ? { size: 5_000_000 } : {}))
    return { outcomes: await issue(rig.client, plans), allResults: true }
  })

  if (kind !== 'session') return
  cell(`${level} F13 streams cut and taken up again`, kind, { proxy: true, reuse: true }, async (rig, seeded) => {
    const calls = issue(
      rig.client,
      planCalls(seeded, () => ({ steps: 3, ms: 600 }), 16),
    )
    await allStarted(rig, 16)
    await sleep(100)
    rig.proxy?.cut(seeded.seed % 2 === 0 ? 'reset' : 'end')
    return { outcomes: await calls, allResults: true }
  })
}

function describeTime(level: string, kind: HttpKind): void {
  cell(`${level} F26 the server blocks for a while`, kind, { reuse: true }, async (rig, seeded) => {
    return { outcomes: await issue(rig.client, withVictim(seeded, 'block', { blockMs: 1_000 })), allResults: true }
  })
}

function describeResources(level: string, kind: HttpKind): void {
  cell(`${level} F25 the server has no file descriptors left`, kind, { shell: 'ulimit -n 40' }, async (rig, seeded) => {
    // Idempotent calls go on until there is room; the others may be turned away, and say so.
    const faultAt = performance.now() + 1_000
    return {
      outcomes: await issue(
        rig.client,
        planCalls(seeded, () => ({ ms: 50 }), 64),
      ),
      faultAt,
      restored: true,
    }
  })

  const small = { nodeArgs: ['--max-old-space-size=24'] }
  cell(`${level} F25 the server runs out of memory`, kind, small, async (rig, seeded) => {
    const calls = issue(rig.client, withVictim(seeded, 'heap' satisfies WorkArguments['fault']))
    await rig.gone()
    const faultAt = performance.now()
    await rig.start()
    return { outcomes: await calls, faultAt, restored: true }
  })

  if (kind !== 'session') return
  cell(`${level} F25 the event store is full`, kind, { plan: { eventsFull: true } }, async (rig, seeded) => {
    const plans = planCalls(seeded, (index) => (index % 4 === 0 ? { steps: 2, idempotent: false } : {}))
    const outcomes = await issue(rig.client, plans)
    // Nothing can be replayed, but whoever is connected loses nothing.
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'result' })
    return { outcomes }
  })
}

function pacing(rig: Rig, pace: NonNullable<Rig['proxy']>['pace']): void {
  if (rig.proxy !== undefined) rig.proxy.pace = pace
}

/** Takes the answer to one call out of the stream of bytes, once. */
function onAnswer(rig: Rig, nonce: string, act: (bytes: Buffer, passage: Passage) => void): void {
  const hooks = hook(rig)
  hooks.response = (bytes, passage) => {
    if (!bytes.includes(answerTo(nonce))) return bytes
    hooks.response = undefined
    act(bytes, passage)
    return undefined
  }
}
