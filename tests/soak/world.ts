/** Everything that a soak runs: the process that is watched, its three servers with a breakable way to two of them, a folder. */

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StateSetting } from '@portico/host/state'
import { build } from 'esbuild'
import { type Breaker, startBreaker } from '../support/breaker.ts'
import { freePort } from '../support/free-port.ts'
import { until, withLimit } from '../support/wait.ts'
import type { Order, Reply, Setting } from './subject.ts'

const START_MS = 180_000
const ANSWER_MS = 120_000

type Without<T> = T extends unknown ? Omit<T, 'id'> : never

export interface World {
  readonly folder: string
  readonly port: number
  readonly breakers: readonly Breaker[]
  /** The two servers on HTTP; a killed one is started again. */
  readonly servers: readonly Keeper[]
  /** In the command lines of all servers. */
  readonly mark: string
  /** The file of the store, where it is one. */
  readonly file: string | undefined
  ask(order: Without<Order>): Promise<Reply>
  stop(): Promise<void>
}

export async function openWorld(state: (folder: string) => StateSetting): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'portico-soak-'))
  const stops: (() => Promise<void> | void)[] = []
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    return { ...(await fill(folder, state, stops)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Starts all of it; what was started is in `stops`, also where the rest failed. */
async function fill(
  folder: string,
  state: (folder: string) => StateSetting,
  stops: (() => Promise<void> | void)[],
): Promise<Omit<World, 'stop'>> {
  const [stateDir, temporary] = ['state', 'temporary'].map((name) => join(folder, name)) as [string, string]
  for (const path of [stateDir, temporary]) mkdirSync(path)
  const program = await bundle(folder)
  const started = async <T extends { stop(): Promise<void> | void }>(one: T | Promise<T>): Promise<T> => {
    const thing = await one
    stops.push(() => thing.stop())
    return thing
  }
  const servers = [await started(keep(program, 'newest')), await started(keep(program, 'older'))] as const
  const breakers = [await started(startBreaker(servers[0].port)), await started(startBreaker(servers[1].port))] as const
  const setting: Setting = {
    stateDir,
    temporary,
    state: state(folder),
    program,
    ports: [breakers[0].port, breakers[1].port],
  }
  const { port, ask } = await startSubject(setting, (stop) => stops.push(stop))
  const file = 'sqlite' in setting.state ? setting.state.sqlite : undefined
  return { folder, port, breakers, servers, mark: program, file, ask }
}

/** One file, since it is started many times. */
async function bundle(folder: string): Promise<string> {
  const outfile = join(folder, 'upstream.mjs')
  const entryPoints = [fileURLToPath(new URL('upstream.ts', import.meta.url))]
  const conditions = ['portico-source']
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', conditions, logLevel: 'error' })
  return outfile
}

export interface Keeper {
  readonly port: number
  readonly pid: number | undefined
  stop(): Promise<void>
}

async function keep(program: string, era: string): Promise<Keeper> {
  const port = await freePort()
  let [child, stopped] = [start(), false]
  function start(): ChildProcess {
    const started = spawn(process.execPath, [program, 'http', `${port}`, era], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    started.once('exit', () => {
      if (!stopped) child = start()
    })
    return started
  }
  await until(() => isOpen(port), `a server listens on ${port}`, START_MS)
  return {
    port,
    get pid() {
      return child.pid
    },
    async stop() {
      stopped = true
      const ended = once(child, 'exit')
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended
    },
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

async function startSubject(setting: Setting, onStop: (stop: () => Promise<void>) => void) {
  const env = { ...process.env, NODE_NO_WARNINGS: '1' }
  const child = fork(fileURLToPath(new URL('subject.ts', import.meta.url)), [JSON.stringify(setting)], { env })
  const waiting = new Map<number, (reply: Reply) => void>()
  let ids = 0
  const ended = new Promise<never>((_, reject) =>
    child.once('exit', (code, signal) => reject(new Error(`the process that is soaked ended: ${code ?? signal}`))),
  )
  ended.catch(() => {})
  child.on('message', (reply: Reply) => waiting.get(reply.id)?.(reply))
  const next = (id: number, what: string, limitMs: number) =>
    withLimit(Promise.race([ended, new Promise<Reply>((resolve) => waiting.set(id, resolve))]), limitMs, what).finally(
      () => waiting.delete(id),
    )
  onStop(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.disconnect()
    const timer = setTimeout(() => child.kill('SIGKILL'), ANSWER_MS)
    await exited
    clearTimeout(timer)
  })
  const { port = 0 } = await next(0, 'the gateway listens', START_MS)
  return {
    port,
    ask(order: Without<Order>): Promise<Reply> {
      const id = ++ids
      const replied = next(id, order.do, ANSWER_MS)
      child.send({ ...order, id })
      return replied
    },
  }
}
