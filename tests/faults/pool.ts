/** Cells side by side: processes that each run one at a time and get the next when they are done. */

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Account } from '@portico/sdk/testing/faults'

/** What a worker tells of a cell. */
export interface Told {
  readonly name: string
  readonly runs: number
  readonly account: Account
  readonly complaints: readonly string[]
  /** For each run, the longest time from the fault to the end of a call that failed of it. */
  readonly slowest: readonly number[]
  readonly ms: number
}

/** A cell, and a run of it for each seed. */
export interface Order {
  readonly name: string
  readonly seeds: readonly number[]
}

export interface PoolOptions {
  readonly workers: number
  /** Where the bundled programs are. */
  readonly programs: string
  onTold(told: Told): void
}

/** Runs them all; gives what was left open by workers, in words. */
export async function runCells(orders: readonly Order[], options: PoolOptions): Promise<string[]> {
  const queue = [...orders]
  const lanes = Array.from({ length: Math.min(options.workers, orders.length) }, () => runLane(queue, options))
  return (await Promise.all(lanes)).flat()
}

async function runLane(queue: Order[], { programs, onTold }: PoolOptions): Promise<string[]> {
  const left: string[] = []
  let worker = start(programs)
  for (let order = queue.shift(); order !== undefined; order = queue.shift()) {
    const { name, seeds } = order
    const answer = await worker.ask({ cell: name, seeds })
    if (answer !== undefined) {
      onTold(answer as Told)
      continue
    }
    left.push(`${name}: the process that ran it ended`)
    worker = start(programs)
  }
  const bye = (await worker.ask({})) as { readonly left: readonly string[] } | undefined
  left.push(...(bye?.left ?? ['it did not say goodbye']).map((kind) => `a worker has left open: ${kind}`))
  await worker.end()
  return left
}

interface Worker {
  /** What it says next; undefined when it has ended instead. */
  ask(message: object): Promise<unknown>
  end(): Promise<void>
}

function start(programs: string): Worker {
  const child = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), {
    env: { ...process.env, PORTICO_FAULT_PROGRAMS: programs },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  let answered: (message: unknown) => void = () => {}
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.on('message', (message) => answered(message))
  void ended.then(() => answered(undefined))
  return {
    ask: (message) =>
      new Promise((resolve) => {
        answered = resolve
        if (child.exitCode === null && child.signalCode === null) child.send(message)
        else resolve(undefined)
      }),
    async end() {
      child.kill()
      await ended
    },
  }
}
