/** A database in a process of its own that can be ended and started again, and held and let go. */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { StateSetting } from '@portico/host/state'
import { freePort } from '../../support/free-port.ts'
import { startPostgresProcess } from '../../support/postgres-process.ts'
import { withLimit } from '../../support/wait.ts'
import { isPostgresReady, postgresUrl } from '../places.ts'

export interface StoreProcess {
  readonly setting: StateSetting
  /** Ends it without a word to anybody, and resolves when it is gone. */
  end(): Promise<void>
  /** Starts it again. */
  again(): Promise<void>
  /** It and all that belongs to it do nothing until `release`, and no connection is closed. */
  hold(): void
  release(): void
  stop(): Promise<void>
}

const ENGINE = fileURLToPath(new URL('valkey-engine.ts', import.meta.url))
const START_MS = 60_000

/** What it had is gone when it starts again: replicas have to write anew what they hold. */
export async function startValkeyProcess(): Promise<StoreProcess> {
  const port = await freePort()
  let child = await startEngine(port)
  const end = async (): Promise<void> => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await ended
  }
  return {
    setting: { redis: `redis://127.0.0.1:${port}` },
    end,
    again: async () => {
      child = await startEngine(port)
    },
    hold: () => void child.kill('SIGSTOP'),
    release: () => void child.kill('SIGCONT'),
    stop: end,
  }
}

export async function startPostgres(): Promise<StoreProcess> {
  const { port, running: first, again } = await startPostgresProcess(isPostgresReady)
  let running = first
  const tell = (signal: 'SIGSTOP' | 'SIGCONT'): void => {
    // Its connections are processes, each a group of its own.
    for (const pid of [running.pid ?? 0, ...childrenOf(running.pid ?? 0)]) if (pid > 1) process.kill(pid, signal)
  }
  return {
    setting: { postgres: postgresUrl(port) },
    end: async () => {
      // "Immediate": it ends its connections without a word, and recovers from its log when it starts.
      if (running.pid !== undefined) process.kill(running.pid, 'SIGQUIT')
      await running.ended
    },
    again: async () => {
      running = await again()
    },
    hold: () => tell('SIGSTOP'),
    release: () => tell('SIGCONT'),
    stop: () => running.stop(),
  }
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return text.trim().split(' ').filter(Boolean).map(Number)
}

async function startEngine(port: number): Promise<ChildProcess> {
  const child = fork(ENGINE, [`${port}`])
  process.once('exit', () => child.kill('SIGKILL'))
  const listens = new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve())
    child.once('exit', () => reject(new Error('Valkey ended before it listened')))
  })
  await withLimit(listens, START_MS, 'Valkey starts')
  return child
}
