/** Everything that a soak runs: the process that is watched, its three servers with a breakable way to two of them, a folder. */

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { connect as connectTcp } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { StateSetting } from '@portico/host/state'
import { type BuildOptions, build } from 'esbuild'
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
  const program = await bundle('upstream.ts', folder)
  const subject = await bundleSubject((stop) => stops.push(stop))
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
  const { port, ask } = await startSubject(subject, setting, (stop) => stops.push(stop))
  const file = 'sqlite' in setting.state ? setting.state.sqlite : undefined
  return { folder, port, breakers, servers, mark: program, file, ask }
}

/** A program as one file: it starts in a third of a second, and no file is read later that would count as growth. */
async function bundle(entry: string, folder: string, options: BuildOptions = {}): Promise<string> {
  const outfile = join(folder, entry.replace('.ts', '.mjs'))
  await build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Not the form of a library that asks for its own parts while it runs.
    mainFields: ['module', 'main'],
    conditions: ['portico-source'],
    logLevel: 'error',
    ...options,
  })
  return outfile
}

/** Below this folder, so that libraries of databases are found from there. */
async function bundleSubject(onStop: (stop: () => void) => void): Promise<string> {
  const shelf = fileURLToPath(new URL('node_modules/.portico', import.meta.url))
  mkdirSync(shelf, { recursive: true })
  const folder = mkdtempSync(join(shelf, 'soak-'))
  onStop(() => rmSync(folder, { recursive: true, force: true }))
  return bundle('subject.ts', folder, {
    external: ['libsql', 'pg', 'redis'],
    // Some of the libraries are of the older kind, which asks for others by `require`.
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
  })
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
      // The channel is how it learns that this process has ended, however that was.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
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

async function startSubject(program: string, setting: Setting, onStop: (stop: () => Promise<void>) => void) {
  const env = { ...process.env, NODE_NO_WARNINGS: '1' }
  const child = fork(program, [JSON.stringify(setting)], { env, execArgv: [] })
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
