/**
 * `npm run scale -- --simulate`: measures what a call, a session and a listener cost, holds the model that is made of it against
 * one, two and three replicas that are measured, and says what the model gives for more.
 */

import { ok } from 'node:assert/strict'
import { cpus } from 'node:os'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { toTable } from '../../support/table.ts'
import { type Kind as Database, missingFor, places } from '../places.ts'
import {
  CALLERS_EACH,
  type Effort,
  type InFleet,
  type Measured,
  measureCalls,
  measureCosts,
  withFleet,
} from './costs.ts'
import { type Costs, cpuOf, type Kind, opensOf, replicasOf, simulate, spread, storeCallsOf } from './model.ts'
import { openQuotas, type Quotas } from './quota.ts'

const EFFORT: Effort = { warm: 10_000, calls: 1_250, sessions: 2_000, listeners: 300, idleMs: 7_000 }
/** So that three of them and the load find room on two cores, and the load is not what is measured. */
const CORES = 0.1
const REPLICAS = [1, 2, 3] as const
const MORE = [1, 3, 10, 30, 100, 300, 1_000] as const
/** How far the model may be from what is measured. */
const TOLERANCE = 0.25
const ERAS = { modern: '2026-07-28', session: '2025-11-25' } as const

interface Row {
  readonly kind: Kind
  readonly replicas: number
  readonly measured: Measured
}

export function createSimulations(): readonly Trial[] {
  return (['valkey', 'redis', 'postgres', 'sqlite'] as const).map((database) => ({
    name: `${database} simulation`,
    missing: () => missingFor(database),
    run: (report) => runSimulation(database, report),
  }))
}

async function runSimulation(database: Database, report: Report): Promise<void> {
  const quotas = openQuotas()
  try {
    await simulateOn(database, quotas, report)
  } finally {
    quotas?.end()
  }
}

async function simulateOn(database: Database, quotas: Quotas | undefined, report: Report): Promise<void> {
  const place = await places.get(database)
  const inFleet: InFleet = (work) => withFleet({ setting: place.fresh(), count: 2, cores: CORES }, quotas, work)
  const costs = await measureCosts(inFleet, place.fresh(), EFFORT)
  console.log(`\n${database}: ${circumstances(quotas)}\n\n${costTable(costs)}`)
  const rows: Row[] = []
  for (const count of REPLICAS) {
    for (const kind of ['modern', 'session'] as const) {
      const way = {
        era: ERAS[kind],
        opens: (caller: number) => caller,
        calls: (_: number, turn: number) => spread(turn),
      }
      const own = { setting: place.fresh(), count, cores: CORES }
      const measured = await withFleet(own, quotas, (fleet) => measureCalls(fleet, way, EFFORT))
      rows.push({ kind, replicas: count, measured })
    }
  }
  console.log(`\n${checkTable(costs, rows, quotas)}\n\n${moreTable(costs)}\n`)
  await report.checkIn('simulation', 'a call of 2026-07-28 asks nothing of the store', () => {
    const idle = costs.idleStoreCalls * 3
    for (const { kind, measured } of rows) {
      if (kind === 'modern') ok(measured.storeCalls * measured.perSecond <= idle + 3, `${measured.storeCalls} a call`)
    }
  })
  await report.checkIn('simulation', 'an idle session asks nothing of the store', () => {
    ok(costs.idleSessionStoreCalls < 0.001, `${costs.idleSessionStoreCalls} calls a second`)
  })
  for (const { kind, replicas, measured } of rows) {
    await report.checkIn('simulation', `the model is right for ${replicas} replicas, ${ERAS[kind]}`, () => {
      isNear(cpuOf(costs, kind, replicas), measured.cpu, 'CPU for a call')
      if (quotas !== undefined) isNear(predicted(costs, kind, replicas), measured.perSecond, 'calls each second')
    })
  }
}

function predicted(costs: Costs, kind: Kind, replicas: number, cores = CORES): number {
  return simulate(costs, { kind, replicas, cores, callers: CALLERS_EACH * replicas, calls: 6_000 }).perSecond
}

function isNear(model: number, measured: number, what: string): void {
  const off = Math.abs(model / measured - 1)
  ok(off <= TOLERANCE, `${what}: ${model.toFixed(1)} by the model, ${measured.toFixed(1)} measured`)
}

function circumstances(quotas: Quotas | undefined): string {
  const share = quotas === undefined ? 'with the cores of this machine between them' : `each with ${CORES} of a core`
  return `replicas run from source, ${share}; ${cpus().length} cores; what the load and the store use is not counted`
}

function costTable(costs: Costs): string {
  const us = (value: number): string => `${value.toFixed(0)} µs CPU`
  const { storeCalls } = costs
  return toTable([
    ['what', 'costs', 'calls to the store'],
    ['a call of 2026-07-28', us(costs.modern), few(storeCalls.modern)],
    ['a call of a session, where the session is', us(costs.owned), few(storeCalls.owned)],
    ['the same, passed on by another replica', us(costs.passedHere + costs.passedThere), few(storeCalls.passed)],
    ['to open a session', us(costs.open), few(costs.openStoreCalls)],
    [
      'an idle session',
      `${(costs.sessionBytes / 1024).toFixed(1)} KiB`,
      `${few(costs.idleSessionStoreCalls)} a second`,
    ],
    ['an open listener', `${(costs.listenerBytes / 1024).toFixed(1)} KiB`, '0'],
    ['to tell a listener of a change', us(costs.tell), '0'],
    ['an idle replica', '', `${few(costs.idleStoreCalls)} a second`],
    ['the store takes from one client', '', `${costs.storeWrites.toFixed(0)} writes a second`],
  ])
}

function checkTable(costs: Costs, rows: readonly Row[], quotas: Quotas | undefined): string {
  const head = ['replicas', 'era', 'CPU a call', 'model', 'off', 'calls/s', 'model', 'off', 'times one', 'store calls']
  const body = rows.map(({ kind, replicas, measured }) => {
    const cpu = cpuOf(costs, kind, replicas)
    const rate = predicted(costs, kind, replicas)
    const one = rows.find((row) => row.kind === kind && row.replicas === 1)?.measured.perSecond ?? Number.NaN
    const model = quotas === undefined ? ['', ''] : [rate.toFixed(0), percent(rate / measured.perSecond)]
    return [
      `${replicas}`,
      ERAS[kind],
      `${measured.cpu.toFixed(0)} µs`,
      `${cpu.toFixed(0)} µs`,
      percent(cpu / measured.cpu),
      measured.perSecond.toFixed(0),
      ...model,
      (measured.perSecond / one).toFixed(2),
      `${few(measured.storeCalls)} (${few(storeCallsOf(costs, kind, replicas))})`,
    ]
  })
  return toTable([head, ...body])
}

/** What the model gives where each replica has a core of its own. */
function moreTable(costs: Costs): string {
  const gigabyte = 1024 ** 3
  const head = [
    'replicas',
    '2026-07-28 calls/s',
    'session calls/s',
    'sessions in 1 GiB each',
    'listeners in 1 GiB each',
    'signs of life a second',
  ]
  const rows = MORE.map((replicas) => [
    replicas,
    (1e6 / cpuOf(costs, 'modern', replicas)) * replicas,
    (1e6 / cpuOf(costs, 'session', replicas)) * replicas,
    (gigabyte / costs.sessionBytes) * replicas,
    (gigabyte / costs.listenerBytes) * replicas,
    costs.idleStoreCalls * replicas,
  ])
  const words = rows.map((row) => row.map((value) => Math.round(value).toLocaleString('en')))
  const first = `First bottleneck: the store takes ${Math.round(opensOf(costs)).toLocaleString('en')} new sessions a second, however many replicas there are; signs of life are a tenth of what it takes at ${replicasOf(costs).toLocaleString('en')} replicas.`
  return `${toTable([head, ...words])}\n\n${first}`
}

function few(value: number): string {
  return value === 0 ? '0' : value < 0.1 ? value.toFixed(4) : value.toFixed(1)
}

function percent(ratio: number): string {
  const off = Math.round((ratio - 1) * 100)
  return `${off >= 0 ? '+' : ''}${off} %`
}
