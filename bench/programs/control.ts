/**
 * The wire between a measured process and the one that measures it: the IPC channel that both were started with. A
 * program says when it is ready; asked for its CPU time or memory, it answers. Nothing here runs while calls are made.
 */

export interface MemoryReport {
  readonly heapUsed: number
  readonly rss: number
  readonly external: number
}

export type Question = { ask: 'cpu' } | { ask: 'memory' } | { ask: 'run'; ms: number; inFlight: number }

/** CPU time in microseconds, user and system together. */
export type Answer =
  | { cpu: number }
  | { memory: MemoryReport }
  | { calls: number; cpu: number; ms: number; times?: readonly number[] }

/** Where calls come by HTTP. */
export interface Ports {
  /** Connections are divided among them. */
  readonly ports: readonly number[]
  /** Where a session is opened; at the first of the ports unless given. */
  readonly opensAt?: number
}

/** Tells that calls can be made; `port` where they come by HTTP, `cpu` where other processes do the work too. */
export function announce(port?: number | Ports, cpu: () => number | Promise<number> = cpuTime): void {
  process.on('message', (question: Question) => {
    if (question.ask === 'cpu') void Promise.resolve(cpu()).then((time) => send({ cpu: time }), fail)
    if (question.ask === 'memory') void memoryReport().then((memory) => send({ memory }))
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ ready: true, ...(typeof port === 'object' ? port : { ports: [port ?? 0] }) })
}

/** The other direction: a program that makes the calls itself and counts its own cost. */
export function announceCaller(call: () => Promise<unknown>): void {
  process.on('message', (question: Question) => {
    if (question.ask === 'run') void runCalls(call, question.ms, question.inFlight).then(send, fail)
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ ready: true })
}

/** Work that says itself how many milliseconds of it count: what is made ready and cleared away does not. */
export function announceTimed(work: () => Promise<number>): void {
  process.on('message', (question: Question) => {
    if (question.ask !== 'run') return
    const times: number[] = []
    const timed = () => work().then((ms) => times.push(ms))
    void runCalls(timed, question.ms, question.inFlight).then((answer) => send({ ...answer, times }), fail)
  })
  process.on('disconnect', () => process.exit())
  process.send?.({ ready: true })
}

export function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

async function runCalls(call: () => Promise<unknown>, ms: number, inFlight: number) {
  const cpu = cpuTime()
  const start = performance.now()
  const end = start + ms
  let calls = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      await call()
      calls++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return { calls, cpu: cpuTime() - cpu, ms: performance.now() - start }
}

async function memoryReport(): Promise<MemoryReport> {
  // Twice, with a turn between them: finalizers of the first round free what the second can collect.
  for (let round = 0; round < 2; round++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  globalThis.gc?.()
  const { heapUsed, rss, external } = process.memoryUsage()
  return { heapUsed, rss, external }
}

function send(answer: Answer): void {
  process.send?.(answer)
}

function fail(error: unknown): void {
  console.error(error)
  process.exit(1)
}
