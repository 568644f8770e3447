/**
 * The process that makes the load and takes the time. `run.ts` starts one for each measurement and tells it the plan; it
 * starts the contestants, warms them up, and takes turns between them for as many rounds as were asked for.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Answer, MemoryReport, Question } from './control.ts'
import { HttpLoad, openSession } from './load/http.ts'
import { openStreams } from './load/idle.ts'
import type { Call, Era } from './load/messages.ts'
import { StdioLoad } from './load/stdio.ts'

export interface Contestant {
  readonly name: string
  /** The compiled program, without its ending: `servers/bare`. */
  readonly program: string
  readonly args?: readonly string[]
  readonly env?: { readonly [name: string]: string }
  readonly nodeArgs?: readonly string[]
  readonly era?: Era
}

export interface Plan {
  readonly kind: 'http' | 'stdio' | 'self' | 'sessions' | 'streams'
  readonly contestants: readonly Contestant[]
  readonly call?: Call
  readonly inFlight: number
  readonly rounds: number
  readonly ms: number
  readonly warmMs: number
  /** How many sessions or streams, where those are counted. */
  readonly count?: number
}

export interface Sample {
  readonly contestant: string
  /** Microseconds of CPU per call, or bytes for each of what was counted. */
  readonly value: number
  readonly perSecond?: number
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
  readonly measure: (ms: number) => Promise<{ value: number; perSecond?: number }>
  readonly stop: () => void
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
      running.get(name)?.stop()
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
  for (const one of running.values()) one.stop()
  return { samples, faults }
}

async function start(plan: Plan, contestant: Contestant): Promise<Running> {
  const { name, era = 'modern' } = contestant
  const child = launch(contestant, plan.kind === 'sessions' || plan.kind === 'streams' ? ['--expose-gc'] : [])
  const { port } = await ready(child)
  const stop = (): void => void child.kill('SIGKILL')
  if (plan.kind === 'self') return { name, stop, measure: (ms) => measureSelf(child, ms, plan.inFlight) }
  if (plan.kind === 'sessions' || plan.kind === 'streams') {
    return { name, stop, measure: () => measureIdle(child, plan, port, era) }
  }
  const load =
    plan.kind === 'http' ? new HttpLoad(port, era) : new StdioLoad(required(child.stdin), required(child.stdout), era)
  await load.open()
  const call = required(plan.call)
  return {
    name,
    stop,
    async measure(ms) {
      await load.connect(plan.inFlight)
      const before = await askCpu(child)
      const result = await within(load.run(call, plan.inFlight, ms), ms + 30_000)
      const cpu = (await askCpu(child)) - before
      return { value: cpu / result.calls, perSecond: (result.calls / result.ms) * 1000 }
    },
  }
}

async function measureSelf(child: ChildProcess, ms: number, inFlight: number) {
  const answer = await within(ask(child, { ask: 'run', ms, inFlight }), ms + 30_000)
  if (!('calls' in answer)) throw new Error('an answer to something else')
  return { value: answer.cpu / answer.calls, perSecond: (answer.calls / answer.ms) * 1000 }
}

async function measureIdle(child: ChildProcess, plan: Plan, port: number, era: Era) {
  const count = plan.count ?? 1000
  const before = await askMemory(child)
  const close = plan.kind === 'streams' ? await openStreams(port, era, count) : await openSessions(port, count)
  const after = await askMemory(child)
  await close()
  return { value: (after.heapUsed + after.external - before.heapUsed - before.external) / count }
}

async function openSessions(port: number, count: number): Promise<() => Promise<void>> {
  for (let opened = 0; opened < count; opened += 20) {
    await Promise.all(Array.from({ length: Math.min(20, count - opened) }, () => openSession(port)))
  }
  return async () => {}
}

function launch({ program, args = [], env, nodeArgs = [] }: Contestant, flags: string[]): ChildProcess {
  const file = fileURLToPath(new URL(`./${program}.js`, import.meta.url))
  return spawn(process.execPath, [...flags, ...nodeArgs, file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
}

function ready(child: ChildProcess): Promise<{ port: number }> {
  return within(
    new Promise((resolve, reject) => {
      child.once('message', (message: { port?: number }) => resolve({ port: message.port ?? 0 }))
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
