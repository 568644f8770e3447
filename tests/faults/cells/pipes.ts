/** F8 to F12, and what F16, F17 and F21 are on pipes: a server behind pipes, before a client and before a gateway. */

import { setTimeout as sleep } from 'node:timers/promises'
import { allStarted, issue, planCalls, planLater, untilBack, withVictim } from '../calls.ts'
import { type Cell, type Form, onLinks } from '../cell.ts'
import { now } from '../clock.ts'
import { Ledger } from '../rig/ledger.ts'
import type { Command } from '../rig/rig-options.ts'

const PIPES = { way: 'stdio' } as const
/** Through a gateway every call is a request of its own, and so many at once are not what this is about. */
const QUEUED = { L1: 1_000, L5: 200 }

const crashes: readonly Form[] = [
  {
    fault: 8,
    about: 'dies at its start twice, then lives',
    options: { ...PIPES, plan: { stillborn: [2, 3] } },
    async run(rig, seeded) {
      // The next two lives end before they say a word; the budget allows for that.
      rig.signal('SIGKILL')
      const outcomes = await issue(
        rig,
        planCalls(seeded, () => ({ idempotent: true })),
      )
      if (rig.isNear) return { outcomes, restored: true }
      return { outcomes: [...outcomes, ...(await untilBack(rig, seeded))] }
    },
  },
  {
    fault: 8,
    about: 'dies at every call: the circuit opens',
    options: PIPES,
    async run(rig, seeded) {
      const outcomes = []
      for (const { nonce } of planCalls(seeded, () => ({}), 8)) {
        outcomes.push(...(await issue(rig, [{ nonce, fault: 'kill-before' }])))
      }
      const lives = new Ledger(rig.ledgerFile).lives.length
      return { outcomes, complaints: lives > 6 ? [`it was started ${lives} times`] : [] }
    },
  },
]

const behindShell = ({ command, args }: Command): Command => ({
  command: '/bin/sh',
  args: ['-c', '"$0" "$@"; exit $?', command, ...args],
})

const families: readonly Form[] = [
  {
    fault: 9,
    about: 'a grandchild keeps the pipes open',
    options: { ...PIPES, plan: { grandchild: true } },
    async run(rig, seeded) {
      const faultAt = now()
      const outcomes = await issue(rig, withVictim(seeded, 'kill-before'))
      if (rig.isNear) return { outcomes, faultAt, restored: true }
      return { outcomes: [...outcomes, ...(await untilBack(rig, seeded))], faultAt }
    },
  },
  {
    fault: 10,
    about: 'the wrapper is killed, the server lives',
    options: { ...PIPES, wrap: behindShell },
    async run(rig, seeded) {
      const plans = planCalls(seeded, () => ({ ms: 400, idempotent: false }))
      const calls = issue(rig, plans)
      await allStarted(rig, plans)
      const faultAt = now()
      process.kill(rig.wrapper, 'SIGKILL')
      const outcomes = await calls
      const after = rig.isNear ? await issue(rig, planLater(seeded)) : await untilBack(rig, seeded)
      const complaints = after.at(-1)?.kind === 'result' ? [] : ['it was not started again']
      return { outcomes: [...outcomes, ...after], faultAt, complaints }
    },
  },
]

const noises: readonly Form[] = (
  [
    [11, 'noise', 'stdout has noise'],
    [11, 'crlf', 'stdout has CRLF and a byte order mark'],
    [16, 'trickle', 'one byte at a time'],
    [21, 'duplicate', 'every line twice'],
    [21, 'reorder', 'lines in another order'],
  ] as const
).map(([fault, stdout, about]) => ({
  fault,
  about,
  options: { ...PIPES, plan: { stdout } },
  run: async (rig, seeded) => ({ outcomes: await issue(rig, planCalls(seeded)), allResults: true }),
}))

const blocked: readonly Form[] = [
  {
    fault: 12,
    about: 'stdin blocked with many queued',
    options: { ...PIPES, plan: { sync: false } },
    async run(rig, seeded) {
      await rig.stop()
      const long = (index: number) => ({ ms: 0, nonce: `${seeded.seed}-${index}-${'q'.repeat(2_000)}` })
      const calls = issue(rig, planCalls(seeded, long, rig.isNear ? QUEUED.L1 : QUEUED.L5))
      await sleep(300)
      rig.signal('SIGCONT')
      return { outcomes: await calls, allResults: true }
    },
  },
  {
    fault: 17,
    about: '5 MB answers, and a reader that does not read for a while',
    options: PIPES,
    async run(rig, seeded) {
      const calls = issue(
        rig,
        planCalls(seeded, (index) => (index < 3 ? { size: 5_000_000 } : {})),
      )
      await sleep(20)
      if (rig.isNear) block(400)
      else rig.tell('block 400')
      return { outcomes: await calls, allResults: true }
    },
  },
]

/** Keeps this process from doing anything. */
function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

export const pipeCells: readonly Cell[] = onLinks(['L1', 'L5'], [...crashes, ...families, ...noises, ...blocked])
