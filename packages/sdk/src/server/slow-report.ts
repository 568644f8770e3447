/** What is told of a handler that takes long (`slow.ts`). */

import type { ServerCall } from './call/call.ts'

/** A handler that takes long: which, and for how long so far. */
export interface SlowReport {
  readonly method: string
  /** The tool or prompt, or the resource's URI without its query. */
  readonly name: string | undefined
  readonly elapsedMs: number
  readonly thresholdMs: number
  /** True while the handler is still at it; a second report follows when it ends. */
  readonly running: boolean
  /** What the author of the handler can do about it. */
  readonly advice: string
}

/** Told of handlers that take long. */
export type SlowHook = (report: SlowReport) => void

export function toReport(
  call: ServerCall,
  times: Pick<SlowReport, 'elapsedMs' | 'thresholdMs' | 'running'>,
): SlowReport {
  const { method } = call
  return { method, name: nameOf(call), ...times, advice: adviceFor(method) }
}

/** What a request is about, without anything that may be private: arguments and queries stay out. */
function nameOf({ sent }: ServerCall): string | undefined {
  if (typeof sent.name === 'string') return sent.name.slice(0, 128)
  return typeof sent.uri === 'string' ? sent.uri.split(/[?#]/, 1)[0]?.slice(0, 256) : undefined
}

function adviceFor(method: string): string {
  if (method === 'tools/call') {
    return 'Clients give up on calls after about 30 s: send ctx.progress while working, pass ctx.signal on, split the work, or answer with a resource link and finish it in the background.'
  }
  if (method.endsWith('/list')) {
    return 'Lists are asked for while people wait: keep what they are made of in memory, set pageSize, or give cache.lists a ttlMs.'
  }
  return 'Reads are expected within 10 s: cache what is slow to fetch, give the resource a cache hint, or split it into smaller ones.'
}

const REPEAT_MS = 60_000
const MAX_NAMES = 1_000

/** Standard error, at most once a minute for each thing that is slow. */
export function createStderrReport(): SlowHook {
  const last = new Map<string, number>()
  return ({ method, name, elapsedMs, thresholdMs, running, advice }) => {
    const key = `${method} ${name ?? ''}`
    const now = performance.now()
    if (now - (last.get(key) ?? -Infinity) < REPEAT_MS) return
    if (last.size >= MAX_NAMES) last.clear()
    last.set(key, now)
    const state = running ? 'is still running after' : 'took'
    console.error(`[portico] ${key.trim()} ${state} ${elapsedMs} ms (more than ${thresholdMs} ms). ${advice}`)
  }
}
