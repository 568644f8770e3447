/** Three real processes on one place: they raise one number together, wake each other, and one is killed with a lease in hand. */

import { deepEqual, equal, ok } from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { openState, type StateSetting } from '@portico/host/state'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'
import { until, withLimit } from '../support/wait.ts'
import { type Kind, missingFor, places } from './places.ts'

export const processTrials: readonly Trial[] = (['sqlite', 'postgres', 'valkey', 'redis'] as const).map((kind) => ({
  name: `${kind} processes`,
  long: kind === 'redis',
  missing: () => missingFor(kind),
  run: (report) => runProcesses(kind, report),
}))

const STEPS = 40
const LEASE_MS = 1000

async function runProcesses(kind: Kind, report: Report): Promise<void> {
  const setting = (await places.get(kind)).fresh()
  const workers = [1, 2, 3].map((name) => startWorker(`worker-${name}`, setting))
  const [first, second, third] = workers
  const state = await openState(setting)
  try {
    if (first === undefined || second === undefined || third === undefined) throw new Error('three were started')
    await report.checkIn('processes', 'three open one place at once', async () => {
      deepEqual(await Promise.all(workers.map((worker) => worker.ask('open'))), ['open', 'open', 'open'])
    })
    await report.checkIn('processes', 'three raise one number, and no step is lost', async () => {
      await Promise.all(workers.map((worker) => worker.ask(`raise ${STEPS}`)))
      equal((await state.store.get('number'))?.value, `${3 * STEPS}`)
    })
    await report.checkIn('processes', 'one publishes, the others hear it soon', async () => {
      await Promise.all([first, second].map((worker) => worker.ask('listen')))
      await third.ask('publish hello')
      deepEqual(await Promise.all([first, second].map((worker) => worker.ask('heard hello'))), ['hello', 'hello'])
    })
    await report.checkIn(
      'processes',
      'one is killed with a lease in hand: another takes it later, with a greater epoch',
      async () => {
        const epoch = Number(await first.ask(`lease ${LEASE_MS}`))
        ok(epoch > 0)
        equal(await second.ask(`lease ${LEASE_MS}`), 'held')
        await first.kill()
        let next = Number.NaN
        await until(async () => {
          next = Number(await second.ask(`lease ${LEASE_MS}`))
          return next > 0
        }, 'the lease was taken')
        ok(next > epoch, `${next} after ${epoch}`)
        // What the dead process would still write is refused: its epoch no longer holds.
        equal(await state.store.renew('lease', { owner: 'worker-1', epoch }, LEASE_MS), false)
      },
    )
    await report.checkIn(
      'processes',
      'one is killed while it writes: the others go on, and nothing is half written',
      async () => {
        void second.ask('raise 1000000').catch(() => {})
        const before = Number((await state.store.get('number'))?.value)
        await until(async () => Number((await state.store.get('number'))?.value) > before + 5, 'it writes')
        await second.kill()
        equal(await third.ask(`raise ${STEPS}`), `${STEPS}`)
        const [number, mirror] = await state.store.list('n', { limit: 2 })
        equal(number?.value, mirror?.value)
      },
    )
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
    await state.close()
  }
}

interface Worker {
  /** Gives one command and waits for its answer. */
  ask(command: string): Promise<string>
  kill(): Promise<void>
}

const ANSWER_MS = 60_000

interface WorkerProgram {
  /** A file of this folder. */
  readonly program: string
  /** What it is told besides its name and the place. */
  readonly words: readonly string[]
}

const PLAIN: WorkerProgram = { program: 'worker.ts', words: [] }

/** Starts a process that answers each line with a line. */
export function startWorker(name: string, setting: StateSetting, { program, words } = PLAIN): Worker {
  const run = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url))
  const file = fileURLToPath(new URL(program, import.meta.url))
  const child: ChildProcess = spawn(process.execPath, [run, file, name, JSON.stringify(setting), ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: process.platform !== 'win32',
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const waiting: ((answer: string) => void)[] = []
  if (child.stdout !== null) createInterface(child.stdout).on('line', (line) => waiting.shift()?.(line))
  return {
    ask(command) {
      const answered = new Promise<string>((resolve) => waiting.push(resolve))
      child.stdin?.write(`${command}\n`)
      return withLimit(answered, ANSWER_MS, `${name}: ${command}`)
    },
    async kill() {
      if (child.exitCode === null && child.signalCode === null) killAll(child)
      await ended
    },
  }
}

/** With whatever it started: the runner is a process around the program. */
function killAll(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') child.kill('SIGKILL')
  else process.kill(-child.pid, 'SIGKILL')
}
