/**
 * `portico serve --workers N`: the same command N times in processes that share its port, so that all cores of a machine serve.
 * One that dies is started again, later each time it dies early; one that ends before it ever served ends the command with
 * its words and its code. One signal lets all of them finish.
 */

import cluster, { type Worker } from 'node:cluster'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import { stateOf } from '../host-places.ts'
import type { Io } from '../terminal/io.ts'
import { stayUntil } from '../terminal/stay-until.ts'
import type { GatewaySettings } from './gateway-settings.ts'

const NUMBER = 'PORTICO_SERVE_WORKER'
const FOLDER = 'PORTICO_SERVE_FOLDER'
const MOST = 64
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
/** One that lived so long did not die of how it was started. */
const STEADY_MS = 60_000
const END = 'portico:end'
const SERVES = 'portico:serves'

/** How many are wanted; undefined for this process alone. */
export function workersOf(given: unknown, io: Io): number | undefined {
  if (given === undefined || io.env[NUMBER] !== undefined) return undefined
  const count = Number(given)
  if (Number.isInteger(count) && count >= 1 && count <= MOST) return count
  throw new CliError('usage', `serve: --workers is a number from 1 to ${MOST}`, 'As many as there are cores is enough.')
}

/** Starts the workers and stays until all of them have ended. */
export async function runWorkers(count: number, io: Io): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-serve-'))
  const crew = new Crew(io, folder)
  try {
    crew.start(1)
    // What is wrong with the file or the port is said once: the others start when the first one serves.
    await stayUntil(io.signal, crew.first, crew.failed)
    if (crew.first.aborted) {
      for (let number = 2; number <= count; number++) crew.start(number)
      io.say(`${count} workers share the port; Ctrl-C, SIGTERM or SIGHUP lets calls finish and ends them.`)
      await stayUntil(io.signal, crew.failed)
    }
    if (!crew.failed.aborted) io.say('Ending: calls under way may finish.')
    await crew.end()
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return crew.code
}

/** Says to whoever started this worker that it serves; does nothing in a process of its own. */
export function tellServing(): void {
  if (cluster.isWorker) process.send?.(SERVES)
}

class Crew {
  readonly #io: Io
  readonly #folder: string
  readonly #workers = new Map<number, Worker>()
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #early = new Map<number, number>()
  readonly #served = new Set<number>()
  readonly #first = new AbortController()
  readonly #failed = new AbortController()
  /** Aborted when one of them serves. */
  readonly first = this.#first.signal
  /** Aborted when one ended that never served: another try would end in the same way. */
  readonly failed = this.#failed.signal
  code = 0
  #ending = false
  #ended: () => void = () => {}

  constructor(io: Io, folder: string) {
    this.#io = io
    this.#folder = folder
  }

  start(number: number): void {
    const began = performance.now()
    const worker = cluster.fork({ [NUMBER]: `${number}`, [FOLDER]: this.#folder })
    this.#workers.set(number, worker)
    worker.on('message', (message) => {
      if (message !== SERVES) return
      this.#served.add(number)
      this.#first.abort()
    })
    worker.once('exit', (code, signal) => {
      this.#workers.delete(number)
      if (!this.#ending && !this.#served.has(number)) this.#fail(code)
      else if (!this.#ending) this.#again(number, signal ?? `code ${code}`, performance.now() - began)
      else if (this.#workers.size === 0) this.#ended()
    })
  }

  async end(): Promise<void> {
    this.#ending = true
    for (const timer of this.#timers) clearTimeout(timer)
    if (this.#workers.size === 0) return
    const over = new Promise<void>((resolve) => {
      this.#ended = resolve
    })
    for (const worker of this.#workers.values()) worker.isConnected() && worker.send(END)
    await over
  }

  /** It has said why; one that was killed has no code. */
  #fail(code: number | null): void {
    this.#ending = true
    this.code = code || EXIT_CODES.failed.code
    this.#failed.abort()
  }

  #again(number: number, how: string, livedMs: number): void {
    const early = livedMs >= STEADY_MS ? 0 : (this.#early.get(number) ?? 0) + 1
    this.#early.set(number, early)
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.max(0, early - 1))
    this.#io.say(`${this.#io.paint.red('ended')}: worker ${number} (${how}); started again in ${waitMs / 1000} s`)
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.start(number)
    }, waitMs)
    this.#timers.add(timer)
  }
}

/** What a worker does otherwise than a gateway of its own; undefined where this is none. */
export function asWorker(settings: GatewaySettings, io: Io): { settings: GatewaySettings; io: Io } | undefined {
  const number = Number(io.env[NUMBER])
  if (!cluster.isWorker || !Number.isInteger(number)) return undefined
  const ending = new AbortController()
  process.on('message', (message) => message === END && ending.abort())
  // Whoever started us is gone: nobody would end us.
  process.once('disconnect', () => ending.abort())
  const own: Partial<Io> = {
    signal: AbortSignal.any([io.signal, ending.signal]),
    say: (text) => io.say(`[worker ${number}] ${text}`),
    out: (text) => number === 1 && io.out(text),
  }
  return { settings: toWorkerSettings(settings, number, io), io: Object.assign(Object.create(io), own) }
}

/**
 * Each has a port for operations of its own, and a socket for the others that only this user's processes reach. Windows has no
 * such sockets in folders: there it is a free port of 127.0.0.1, where nothing is opened that another worker did not seal.
 */
export function toWorkerSettings(
  settings: GatewaySettings,
  number: number,
  io: Pick<Io, 'env'>,
  platform: NodeJS.Platform = process.platform,
): GatewaySettings {
  const { state = { sqlite: join(stateOf(io), 'workers.db') }, operations } = settings
  const port = operations?.port ?? 9464
  const door = platform === 'win32' ? { host: '127.0.0.1' } : { folder: io.env[FOLDER] ?? tmpdir() }
  return {
    ...settings,
    state: { ...state, door: state.door ?? door },
    ...(operations && { operations: { ...operations, port: port === 0 ? 0 : port + number - 1 } }),
  }
}
