/**
 * Clients of every era before three replicas behind plain round robin, while one is killed every few seconds, and while all are
 * restarted one after the other: a ledger says that nothing was done twice, and that nothing was done which was said not to be.
 */

import { deepEqual, equal, ok } from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { type Kind, missingFor, places } from '../places.ts'
import { type Launch, launchPortico, launchServers } from './launch.ts'
import { Ledger } from './ledger.ts'
import { type Account, LedgerClient, newAccount } from './ledger-client.ts'
import type { ReplicaProcesses } from './processes.ts'
import type { ReplicaRow, ReplicaTally } from './tally.ts'
import { newTaskAccount, type TaskAccount, TaskCaller } from './task-caller.ts'

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const TASK_VERSIONS = ['2025-11-25', '2026-07-28'] as const
const SHORT = { calls: 200, kills: 1, restarts: false, clients: 10, taskCallers: 2 }
const LONG = { kills: Number.POSITIVE_INFINITY, restarts: true, clients: 25, taskCallers: 4 }
const KILL_EVERY_MS = 3_000
const REST_MS = 2_000
const OPEN_MS = 120_000
const LIMIT_MS = 40 * 60_000
const TELL_MS = 30_000

type Size = typeof SHORT

interface Trying {
  readonly kind: Kind
  readonly launch: Launch
  readonly size: Size
  readonly row: ReplicaRow
}

/** Everybody in a trial. */
interface Scene {
  readonly replicas: ReplicaProcesses
  readonly ledger: Ledger
  readonly clients: readonly LedgerClient[]
  readonly callers: readonly TaskCaller[]
  readonly size: Size
  readonly row: ReplicaRow
  readonly mayForget: boolean
}

/** The long form makes so many calls on each database; the short one few, on one. */
export function createReplicaTrials(calls: number | undefined, tally: ReplicaTally): readonly Trial[] {
  const size = calls === undefined ? SHORT : { ...LONG, calls }
  const toTrial = (kind: Kind, words: string, launch: Launch): Trial => {
    const name = `${kind} ${words}`
    return {
      name,
      long: calls === undefined && name !== 'sqlite replicas',
      missing: () => missingFor(kind),
      run: (report) => runReplicas({ kind, launch, size, row: tally.row(name) }, report),
    }
  }
  const kinds = ['sqlite', 'postgres', 'valkey', 'redis'] as const
  return [
    ...kinds.map((kind) => toTrial(kind, 'replicas', launchServers)),
    ...kinds.map((kind) => toTrial(kind, 'portico serve', launchPortico)),
  ]
}

async function runReplicas({ kind, launch, size, row }: Trying, report: Report): Promise<void> {
  const ledger = new Ledger()
  const { replicas, mayForget, close } = await launch((await places.get(kind)).fresh(), ledger)
  const check = (name: string, action: () => Promise<void>, limitMs = LIMIT_MS) =>
    report.checkIn('replicas', name, action, { limitMs })
  let callers: readonly TaskCaller[] = []
  try {
    await replicas.start(3)
    const clients = Array.from({ length: size.clients }, (_, at) => {
      return new LedgerClient(replicas.url, `client-${at}`, VERSIONS[at % VERSIONS.length] ?? '')
    })
    callers = await Promise.all(
      Array.from({ length: size.taskCallers }, (_, at) =>
        TaskCaller.open(replicas.url, `caller-${at}`, TASK_VERSIONS[at % 2] ?? '2025-11-25'),
      ),
    )
    const scene = { replicas, ledger, clients, callers, size, row, mayForget }
    await check('clients of every era open and call behind round robin', () => openAll(scene), OPEN_MS)
    await check('one is killed every few seconds', () => killed(scene))
    await check('a change at any is heard by all that subscribed', () => heard(scene))
    if (size.restarts) await check('a rolling restart fails no call', () => restarted(scene))
    row.slowestStartMs = replicas.slowestStartMs
    report.note = `${row.done} done, ${row.unknown} unknown, ${row.notSent} not sent, ${row.kills} kills`
  } finally {
    await Promise.allSettled(callers.map((caller) => caller.close()))
    await close()
    ledger.close()
  }
}

async function openAll({ clients, ledger, row }: Scene): Promise<void> {
  const account = newAccount()
  await Promise.all(clients.map((client) => client.open()))
  row.sessions = clients.filter(({ isModern }) => !isModern).length
  for (let turn = 0; turn < 4; turn++) await Promise.all(clients.map((client) => client.note(account)))
  deepEqual({ ...account, done: account.done.length }, { ...newAccount(), done: clients.length * 4 })
  settle(account, ledger)
}

async function killed({ clients, callers, replicas, ledger, size, row, mayForget }: Scene): Promise<void> {
  const [account, tasks] = [newAccount(), newTaskAccount()]
  let isOver = false
  const killing = (async () => {
    while (!isOver && row.kills < size.kills) {
      await replicas.kill(row.kills++)
      await pause(KILL_EVERY_MS)
    }
  })()
  const telling = setInterval(() => tell(account, tasks, row.kills), TELL_MS)
  const each = Math.ceil(size.calls / clients.length)
  const working = callers.map(async (caller) => {
    do await caller.work(tasks)
    while (!isOver)
  })
  const calling = clients.map(async (client) => {
    for (let call = 0; call < each || (!isOver && row.kills === 0); call++) await client.note(account)
  })
  await Promise.all(calling).finally(() => clearInterval(telling))
  isOver = true
  await Promise.all([killing, ...working])
  const { done, unknown, notSent } = account
  Object.assign(row, { done: done.length, unknown: unknown.length, notSent: notSent.length })
  row.calls = done.length + unknown.length + notSent.length + account.wrong.length
  row.sessionsLost = account.lost
  row.tasks = tasks.promised.length
  row.tasksUnknown = tasks.unknown.length
  row.tasksLost = tasks.promised.length - tasks.done.length - tasks.unknown.length
  row.doubled = [...ledger.read().values()].filter((count) => count > 1).length
  settle(account, ledger)
  settleTasks(tasks, ledger)
  if (!mayForget) deepEqual(tasks.unknown, [], 'their end is known')
  equal(account.lost, 0, 'sessions were lost')
  ok(done.length > unknown.length + notSent.length, 'most calls are done')
}

/** How far it is. */
function tell({ done, unknown, notSent, wrong, lost }: Account, tasks: TaskAccount, kills: number): void {
  const calls = `${done.length} calls done, ${unknown.length} unknown, ${notSent.length} not sent, ${wrong.length} wrong`
  console.log(
    `  ${calls}, ${lost} sessions lost, ${tasks.done.length} of ${tasks.promised.length} tasks, ${kills} kills`,
  )
  for (const text of [...wrong, ...tasks.wrong].slice(0, 3)) console.log(`    wrong: ${text}`)
}

/** Every call ended with its result or with an error that says whether it was sent; nothing was done twice. */
function settle({ done, notSent, wrong }: Account, ledger: Ledger): void {
  const noted = ledger.read()
  const doubled = [...noted].filter(([, count]) => count > 1)
  deepEqual(wrong.slice(0, 3), [])
  deepEqual(doubled, [], 'done twice')
  deepEqual(
    done.filter((word) => noted.get(word) !== 1),
    [],
    'answered and not done',
  )
  deepEqual(
    notSent.filter((word) => noted.has(word)),
    [],
    'said not to be sent, and done',
  )
}

/** Every task that was promised came to its end, and did its work once; not twice where nobody knows. */
function settleTasks({ promised, done, unknown, wrong }: TaskAccount, ledger: Ledger): void {
  const noted = ledger.read()
  deepEqual(wrong.slice(0, 3), [])
  deepEqual(
    promised.filter((word) => !done.includes(word) && !unknown.includes(word)),
    [],
    'promised and not done',
  )
  deepEqual(
    done.filter((word) => noted.get(word) !== 1),
    [],
    'tasks that did their work not once',
  )
}

/** Every session is still subscribed to what it was before the first kill. */
async function heard({ clients, row, size }: Scene): Promise<void> {
  const all = clients.filter(({ isModern }) => !isModern)
  const sessions = size.restarts ? all : all.slice(0, 3)
  row.subscriptions = sessions.length
  for (const session of sessions) {
    if (!(await session.hearsOf(() => session.note(newAccount(), true)))) row.subscriptionsLost++
  }
  equal(row.subscriptionsLost, 0, 'subscriptions were lost')
}

async function restarted({ clients, replicas, ledger, row }: Scene): Promise<void> {
  const account = newAccount()
  let isOver = false
  const work = clients.map(async (client) => {
    while (!isOver) {
      await client.note(account)
      await pause(REST_MS / clients.length)
    }
  })
  await replicas.restartAll()
  isOver = true
  await Promise.all(work)
  const { done, notSent, unknown, wrong, lost } = account
  row.restartFailed = notSent.length + unknown.length + wrong.length
  row.restartCalls = done.length + row.restartFailed
  settle(account, ledger)
  deepEqual({ notSent, unknown, wrong, lost }, { notSent: [], unknown: [], wrong: [], lost: 0 })
  ok(done.length > 0)
}
