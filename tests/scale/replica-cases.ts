/**
 * Clients of every era before three replicas behind plain round robin, while one is killed every few seconds, and while all are
 * restarted one after the other: a ledger says that nothing was done twice, and that nothing was done which was said not to be.
 */

import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'
import { type Kind, missingFor, places } from './places.ts'
import { type Account, LedgerClient, newAccount } from './replica-client.ts'
import { ReplicaProcesses } from './replica-processes.ts'

const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']
const SHORT = { calls: 200, kills: 1, restarts: false, clients: 8 }
const LONG = { kills: Number.POSITIVE_INFINITY, restarts: true, clients: 24 }
const KILL_EVERY_MS = 3_000
const REST_MS = 2_000
const LIMIT_MS = 20 * 60_000

type Size = typeof SHORT

/** The long form makes so many calls on each database; the short one few, on one. */
export function createReplicaTrials(calls: number | undefined): readonly Trial[] {
  return (['sqlite', 'postgres', 'valkey', 'redis'] as const).map((kind) => ({
    name: `${kind} replicas`,
    long: calls === undefined && kind !== 'sqlite',
    missing: () => missingFor(kind),
    run: (report) => runReplicas(kind, report, calls === undefined ? SHORT : { ...LONG, calls }),
  }))
}

async function runReplicas(kind: Kind, report: Report, size: Size): Promise<void> {
  const replicas = new ReplicaProcesses((await places.get(kind)).fresh())
  try {
    await replicas.start(3)
    const clients = Array.from({ length: size.clients }, (_, at) => {
      return new LedgerClient(replicas.url, `client-${at}`, VERSIONS[at % VERSIONS.length] ?? '')
    })
    await report.checkIn('replicas', 'clients of every era open and call behind round robin', () => {
      return openAll(clients, replicas)
    })
    const limitMs = LIMIT_MS
    await report.checkIn('replicas', 'one is killed every few seconds', () => killed(clients, replicas, size, report), {
      limitMs,
    })
    await report.checkIn('replicas', 'a change at any is heard by all that subscribed', () => heard(clients), {
      limitMs: 60_000,
    })
    if (size.restarts) {
      await report.checkIn('replicas', 'a rolling restart fails no call', () => restarted(clients, replicas), {
        limitMs,
      })
    }
  } finally {
    await replicas.close()
  }
}

async function openAll(clients: readonly LedgerClient[], replicas: ReplicaProcesses): Promise<void> {
  const account = newAccount()
  await Promise.all(clients.map((client) => client.open()))
  for (let turn = 0; turn < 4; turn++) await Promise.all(clients.map((client) => client.note(account)))
  deepEqual({ ...account, done: account.done.length }, { ...newAccount(), done: clients.length * 4 })
  settle(account, replicas)
}

async function killed(
  clients: readonly LedgerClient[],
  replicas: ReplicaProcesses,
  size: Size,
  report: Report,
): Promise<void> {
  const account = newAccount()
  let isOver = false
  let kills = 0
  const killing = (async () => {
    while (!isOver && kills < size.kills) {
      await replicas.kill(kills++)
      await new Promise((resolve) => setTimeout(resolve, KILL_EVERY_MS))
    }
  })()
  const each = Math.ceil(size.calls / clients.length)
  const work = clients.map(async (client) => {
    for (let call = 0; call < each || (!isOver && kills === 0); call++) await client.note(account)
  })
  await Promise.all(work)
  isOver = true
  await killing
  settle(account, replicas)
  const { done, unknown, notSent } = account
  report.note = `${done.length} done, ${unknown.length} unknown, ${notSent.length} not sent, ${kills} kills`
  equal(account.lost, 0, 'sessions were lost')
  ok(done.length > unknown.length + notSent.length, report.note)
}

/** Every call ended with its result or with an error that says whether it was sent; nothing was done twice. */
function settle({ done, notSent, wrong }: Account, replicas: ReplicaProcesses): void {
  deepEqual(wrong.slice(0, 3), [])
  const ledger = replicas.ledger()
  const doubled = [...ledger].filter(([word, count]) => word !== '' && count > 1)
  deepEqual(doubled, [], 'done twice')
  deepEqual(
    done.filter((word) => ledger.get(word) !== 1),
    [],
    'answered and not done',
  )
  deepEqual(
    notSent.filter((word) => ledger.has(word)),
    [],
    'said not to be sent, and done',
  )
}

async function heard(clients: readonly LedgerClient[]): Promise<void> {
  const sessions = clients.filter(({ isModern }) => !isModern).slice(0, 3)
  const account = newAccount()
  for (const session of sessions)
    ok(await session.hearsOf(() => session.note(account, true)), 'a subscription was lost')
}

async function restarted(clients: readonly LedgerClient[], replicas: ReplicaProcesses): Promise<void> {
  const account = newAccount()
  let isOver = false
  const work = clients.map(async (client) => {
    while (!isOver) {
      await client.note(account)
      await new Promise((resolve) => setTimeout(resolve, REST_MS / clients.length))
    }
  })
  await replicas.restartAll()
  isOver = true
  await Promise.all(work)
  const { done, ...failed } = account
  settle(account, replicas)
  deepEqual(failed, { notSent: [], unknown: [], wrong: [], lost: 0 })
  ok(done.length > 0)
}
