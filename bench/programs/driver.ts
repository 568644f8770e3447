/**
 * The process that makes the load and takes the time. `run.ts` starts one for each measurement and tells it the plan; it
 * starts the contestants, warms them up, and takes turns between them for as many rounds as were asked for.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Answer, MemoryReport, Ports, Question } from './control.ts'
import { HttpLoad, openSession } from './load/http.ts'
import { openStreams } from './load/idle.ts'
import type { Call, Era } from './load/messages.ts'
import { measureStart } from './load/start.ts'
import { StdioLoad } from './load/stdio.ts'
import { WebSocketLoad } from './load/websocket.ts'

export interface Contestant {
  readonly name: string
  /** The compiled program, without its ending: `servers/bare`. */
  readonly program: string
  readonly args?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  readonly nodeArgs?: readonly string[]
  readonly era?: Era
  /** Where it keeps what it shares; `run.ts` starts that and says so in `env`. */
  readonly store?: 'SQLite' | 'Valkey' | 'PostgreSQL'
  /** What it is called differently by than the others. */
  readonly call?: Partial<Call>
}

export interface Plan {
  readonly kind: 'http' | 'stdio' | 'websocket' | 'self' | 'sessions' | 'streams' | 'start'
  readonly contestants: readonly Contestant[]
  readonly call?: Call
  readonly inFlight: number
  readonly rounds: number
  readonly ms: number
  readonly warmMs: number
  /** How many sessions or streams, where those are counted. */
  readonly count?: number
  /** What becomes the figure: CPU of the process under test for a call, or the median time until a call's answer. */
  readonly figure?: 'cpu' | 'latency'
}

export interface Sample {
  readonly contestant: string
  /** Microseconds for a call or until the first answer, or bytes for each of what was counted. */
  readonly value: number
  readonly perSecond?: number
  /** From start to the first answer, and what the process then holds. */
  readonly wallMs?: number
  readonly rss?: number
}

export type Report = { samples: Sample[]; faults: { contestant: string; reason: string }[] }

process.on('message', (plan: Plan) => {
  run(plan).then(
    (report) => process.send?.(report, () => process.exit()),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())

interface Running {
  readonly name: string
  readonly measure: (ms: number) => Promise<Omit<Sample, 'contestant'>>
  readonly stop: () => Promise<void>
}

async function run(plan: Plan): Promise<Report> {
  const samples: Sample[] = []
  const faults: { contestant: string; reason: string }[] = []
  const running = new Map<string, Running>()
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      faults.push({ contestant: name, reason: error instanceof Error ? error.message : String(error) })
      await running.get(name)?.stop()
      running.delete(name)
    }
  }
  for (const contestant of plan.contestants) {
    await attempt(contestant.name, async () => {
      const started = await start(plan, contestant)
      running.set(contestant.name, started)
      if (plan.warmMs > 0) await started.measure(plan.warmMs)
    })
  }
  for (let round = 0; round < plan.rounds; round++) {
    for (const one of [...running.values()]) {
      await attempt(one.name, async () => {
        samples.push({ contestant: one.name, ...(await one.measure(plan.ms)) })
      })
    }
  }
  for (const one of running.values()) await one.stop()
  return { samples, faults }
}

async function start(plan: Plan, contestant: Contestant): Promise<Running> {
  const { name, era = 'modern' } = contestant
  if (plan.kind === 'start')
    return { name, stop: async () => {}, measure: () => measureStart(toFile(contestant.program)) }
  if (plan.kind === 'sessions' || plan.kind === 'streams')
    return { name, stop: async () => {}, measure: () => measureIdle(contestant, plan, era) }
  const child = launch(contestant, [])
  const ports = await ready(child)
  const stop = () => end(child)
  if (plan.kind === 'self')
    return { name, stop, measure: (ms) => measureFor(plan, ms, (part) => runSelf(child, part, plan.inFlight)) }
  const load = createLoad(plan, child, ports, era)
  await load.open()
  const call = { ...required(plan.call), ...contestant.call }
  const run = async (ms: number): Promise<Stretch> => {
    await load.connect(plan.inFlight)
    const before = await askCpu(child)
    const result = await within(load.run(call, plan.inFlight, ms), ms + 30_000)
    return { ...result, cpu: (await askCpu(child)) - before }
  }
  return { name, stop, measure: (ms) => measureFor(plan, ms, run) }
}

interface Stretch {
  readonly calls: number
  readonly cpu: number
  readonly ms: number
  /** How long each call took, in milliseconds, where that is of interest. */
  readonly times?: readonly number[]
}

/**
 * Runs until the process under test has had `ms` of CPU time, however long a busy machine takes to give it that, so that
 * a warm-up warms up and a round is a round; within reason.
 */
async function measureFor(
  { figure = 'cpu' }: Plan,
  ms: number,
  run: (ms: number) => Promise<Stretch>,
): Promise<Omit<Sample, 'contestant'>> {
  const sum = { calls: 0, cpu: 0, ms: 0 }
  const times: number[] = []
  do {
    const one = await run(Math.max(50, ms - sum.cpu / 1000))
    sum.calls += one.calls
    sum.cpu += one.cpu
    sum.ms += one.ms
    for (const time of one.times ?? []) times.push(time)
  } while (sum.cpu / 1000 < ms * 0.8 && sum.ms < ms * (figure === 'cpu' ? 10 : 1))
  const perSecond = (sum.calls / sum.ms) * 1000
  return { value: figure === 'cpu' ? sum.cpu / sum.calls : middleOf(times) * 1000, perSecond }
}

function middleOf(times: number[]): number {
  times.sort((a, b) => a - b)
  return times[times.length >> 1] ?? Number.NaN
}

function createLoad({ kind }: Plan, child: ChildProcess, { ports, opensAt }: Ports, era: Era) {
  if (kind === 'http') return new HttpLoad(ports, era, opensAt)
  if (kind === 'websocket') return new WebSocketLoad(required(ports[0]), era)
  return new StdioLoad(required(child.stdin), required(child.stdout), era)
}

async function runSelf(child: ChildProcess, ms: number, inFlight: number): Promise<Stretch> {
  const answer = await within(ask(child, { ask: 'run', ms, inFlight }), ms + 30_000)
  if (!('calls' in answer)) throw new Error('an answer to something else')
  return answer
}

/**
 * Each round has a server of its own: not every one ends a session when asked to, and what a round leaves behind (sessions,
 * Node's pool of parsers) would be part of the next one's figure, or fill the server up.
 */
async function measureIdle(contestant: Contestant, plan: Plan, era: Era) {
  const count = plan.count ?? 1000
  const child = launch(contestant, ['--expose-gc'])
  try {
    const port = required((await ready(child)).ports[0])
    const open = (some: number) => (plan.kind === 'streams' ? openStreams(port, era, some) : openSessions(port, some))
    // What the first few make a process allocate for good (compiled code, buffers, connections) is no cost of theirs.
    await (await open(WARM_COUNT))()
    const before = await askMemory(child)
    const close = await open(count)
    const after = await askMemory(child)
    await close()
    return { value: (after.heapUsed + after.external - before.heapUsed - before.external) / count }
  } finally {
    await end(child)
  }
}

const WARM_COUNT = 200

async function openSessions(port: number, count: number): Promise<() => Promise<void>> {
  for (let opened = 0; opened < count; opened += 20) {
    await Promise.all(Array.from({ length: Math.min(20, count - opened) }, () => openSession(port)))
  }
  return async () => {}
}

function launch({ program, args = [], env, nodeArgs = [] }: Contestant, flags: string[]): ChildProcess {
  const child = spawn(process.execPath, [...flags, ...nodeArgs, toFile(program), ...args], {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  // Some libraries talk while they work. What they said is of interest only when they end.
  let said = ''
  child.stderr?.setEncoding('utf8')
  child.stderr?.on('data', (text: string) => {
    said = (said + text).slice(-4000)
  })
  child.once('exit', (code) => {
    if (code) console.error(said)
  })
  return child
}

function toFile(program: string): string {
  return fileURLToPath(new URL(`./${program}.js`, import.meta.url))
}

/** Programs leave when the channel goes, which lets a profiler write what it has. */
function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    const timer = setTimeout(() => child.kill('SIGKILL'), 3000)
    child.once('exit', () => {
      clearTimeout(timer)
      resolve()
    })
    if (child.connected) child.disconnect()
    else child.kill('SIGKILL')
  })
}

function ready(child: ChildProcess): Promise<Ports> {
  return within(
    new Promise((resolve, reject) => {
      child.once('message', (message: Ports) => resolve(message))
      child.once('exit', (code) => reject(new Error(`ended with ${code} before it was ready`)))
    }),
    20_000,
  )
}

async function askCpu(child: ChildProcess): Promise<number> {
  const answer = await ask(child, { ask: 'cpu' })
  if (!('cpu' in answer)) throw new Error('an answer to something else')
  return answer.cpu
}

async function askMemory(child: ChildProcess): Promise<MemoryReport> {
  const answer = await ask(child, { ask: 'memory' })
  if (!('memory' in answer)) throw new Error('an answer to something else')
  return answer.memory
}

function ask(child: ChildProcess, question: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (answer: Answer) => {
      child.off('exit', ended)
      resolve(answer)
    })
    child.send(question)
  })
}

function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout>
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing within ${ms} ms`)), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

function required<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('something that the plan needs is missing')
  return value
}
