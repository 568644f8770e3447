/** L1 of the fault matrix: a server behind pipes. */

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Ledger } from './ledger.ts'
import { Rig } from './rig.ts'
import {
  allStarted,
  block,
  cell,
  createSeeded,
  issue,
  planCalls,
  RUNS,
  raceCancellation,
  type Seeded,
  withVictim,
} from './run.ts'
import type { CutPoint } from './server-plan.ts'

describe('L1 · pipes', () => {
  cell(
    'L1 F1 killed before requests are written',
    'stdio',
    {},
    async (rig, seeded) => {
      const faultAt = performance.now()
      rig.signal('SIGKILL')
      return { outcomes: await issue(rig.client, planCalls(seeded)), faultAt, restored: true }
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
      `L1 ${name}`,
      'stdio',
      {},
      async (rig, seeded) => {
        const faultAt = performance.now()
        return { outcomes: await issue(rig.client, withVictim(seeded, fault)), faultAt, restored: true }
      },
      RUNS,
    )
  }

  for (const at of ['header', 'json', 'utf8', 'end'] satisfies CutPoint[]) {
    // The nonces of a seed are known ahead, so that the server can be told which answer to break.
    const victimOf = (seeded: Seeded) => planCalls(createSeeded(seeded.seed))[1 + (seeded.seed % 2)]
    cell(
      `L1 F4 killed in the middle of an answer: ${at}`,
      'stdio',
      (seeded) => ({ plan: { cut: { nonce: victimOf(seeded)?.nonce ?? '', at } } }),
      async (rig, seeded) => {
        const faultAt = performance.now()
        return { outcomes: await issue(rig.client, planCalls(createSeeded(seeded.seed))), faultAt, restored: true }
      },
    )
  }

  cell('L1 F6 SIGTERM, calls shorter than the grace', 'stdio', {}, async (rig, seeded) => {
    const calls = issue(
      rig.client,
      planCalls(seeded, () => ({ ms: 300 })),
    )
    await allStarted(rig)
    rig.signal('SIGTERM')
    return { outcomes: await calls, allResults: true }
  })

  cell('L1 F6 SIGTERM, calls longer than the grace', 'stdio', { plan: { graceMs: 200 } }, async (rig, seeded) => {
    const plans = planCalls(seeded, (index) => ({ ms: index % 2 === 0 ? 20 : 10_000, idempotent: false }))
    const calls = issue(rig.client, plans)
    await allStarted(rig)
    const faultAt = performance.now()
    rig.signal('SIGTERM')
    return { outcomes: await calls, faultAt }
  })

  cell('L1 F7 stopped and continued', 'stdio', {}, async (rig, seeded) => {
    rig.signal('SIGSTOP')
    const calls = issue(rig.client, planCalls(seeded))
    await sleep(700)
    rig.signal('SIGCONT')
    return { outcomes: await calls, allResults: true }
  })

  cell('L1 F7 stopped beyond the timeout; late answers', 'stdio', {}, async (rig, seeded) => {
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

  cell('L1 F8 dies at its start twice, then lives', 'stdio', { plan: { stillborn: [2, 3] } }, async (rig, seeded) => {
    // The next two lives end before they say a word; the budget allows for that.
    const plans = planCalls(seeded, () => ({ idempotent: true }))
    rig.signal('SIGKILL')
    return { outcomes: await issue(rig.client, plans), restored: true }
  })

  cell('L1 F9 a grandchild keeps the pipes open', 'stdio', { plan: { grandchild: true } }, async (rig, seeded) => {
    const faultAt = performance.now()
    return { outcomes: await issue(rig.client, withVictim(seeded, 'kill-before')), faultAt, restored: true }
  })

  const behindShell = {
    wrap: ({ command, args }: { command: string; args: readonly string[] }) => ({
      command: '/bin/sh',
      args: ['-c', '"$0" "$@"; exit $?', command, ...args],
    }),
  }
  cell(
    'L1 F10 the wrapper is killed, the server lives',
    'stdio',
    behindShell,
    async (rig, seeded) => {
      const calls = issue(
        rig.client,
        planCalls(seeded, () => ({ ms: 400, idempotent: false })),
      )
      await allStarted(rig)
      const faultAt = performance.now()
      process.kill(rig.client.process?.pid ?? 0, 'SIGKILL')
      const outcomes = await calls
      const after = await issue(rig.client, planCalls(createSeeded(seeded.seed + 1_000)))
      expect(after.every(({ kind }) => kind === 'result')).toBe(true)
      return { outcomes: [...outcomes, ...after], faultAt }
    },
    RUNS,
  )

  for (const stdout of ['noise', 'crlf'] as const) {
    cell(`L1 F11 stdout has ${stdout}`, 'stdio', { plan: { stdout } }, async (rig, seeded) => {
      return { outcomes: await issue(rig.client, planCalls(seeded)), allResults: true }
    })
  }

  cell('L1 F12 stdin blocked with 1,000 queued', 'stdio', { plan: { sync: false } }, async (rig, seeded) => {
    rig.signal('SIGSTOP')
    const plans = planCalls(
      seeded,
      (index) => ({ ms: 0, nonce: `${seeded.seed}-${index}-${'q'.repeat(2_000)}` }),
      1_000,
    )
    const calls = issue(rig.client, plans)
    await sleep(300)
    rig.signal('SIGCONT')
    return { outcomes: await calls, allResults: true }
  })

  cell('L1 F16 one byte at a time', 'stdio', { plan: { stdout: 'trickle' } }, async (rig, seeded) => {
    return { outcomes: await issue(rig.client, planCalls(seeded)), allResults: true }
  })

  cell('L1 F17 5 MB answers, and a client that does not read for a while', 'stdio', {}, async (rig, seeded) => {
    const plans = planCalls(seeded, (index) => (index < 3 ? { size: 5_000_000 } : {}))
    const calls = issue(rig.client, plans)
    await sleep(20)
    block(400)
    return { outcomes: await calls, allResults: true }
  })

  for (const stdout of ['duplicate', 'reorder'] as const) {
    cell(`L1 F21 answers in ${stdout}`, 'stdio', { plan: { stdout } }, async (rig, seeded) => {
      return { outcomes: await issue(rig.client, planCalls(seeded)), allResults: true }
    })
  }

  cell(
    'L1 F22 cancellation races with the answer',
    'stdio',
    {},
    async (rig, seeded) => {
      const outcomes = await raceCancellation(rig, seeded)
      return { outcomes }
    },
    RUNS,
  )

  cell(
    'L1 F25 the server runs out of memory',
    'stdio',
    { nodeArgs: ['--max-old-space-size=24'] },
    async (rig, seeded) => {
      // When it fills up is not known here; the client's own word for its end is as good as any.
      let faultAt: number | undefined
      rig.client.on('disconnect', () => {
        faultAt ??= performance.now()
      })
      const outcomes = await issue(rig.client, withVictim(seeded, 'heap'))
      return { outcomes, restored: true, faultAt }
    },
  )

  cell('L1 F26 the server blocks for a while', 'stdio', {}, async (rig, seeded) => {
    return { outcomes: await issue(rig.client, withVictim(seeded, 'block', { blockMs: 1_000 })), allResults: true }
  })
})

test('L1 F8 a server that never comes up opens the circuit, and no process is left', async () => {
  const rig = await Rig.open('stdio', {})
  const { client, ledgerFile } = rig
  const failures: string[] = []
  for (let death = 0; death < 8; death++) {
    const [outcome] = await issue(client, [{ nonce: `death-${death}`, fault: 'kill-before' }])
    failures.push(`${outcome?.kind} ${outcome?.delivery}`)
  }
  expect(failures.slice(0, 5)).toEqual(Array(5).fill('local unknown'))
  expect(failures.slice(5)).toEqual(Array(3).fill('local not-sent'))
  expect(new Ledger(ledgerFile).lives).toHaveLength(5)
  expect((await rig.close()).left).toEqual([])
})
