/**
 * Runs of tools, readings and prompts by the item that they belong to, so that a run goes on while another item is
 * looked at. Progress and logs come as events and are kept in bounds.
 */

import type { ApiParams, ApiResult } from 'portico/web-api'
import { type ApiError, call } from '../app/data/api.ts'
import { onApiEvent } from '../app/data/events.ts'
import { createStore, useStore } from '../app/data/store.ts'
import { showFailure, toApiError } from '../app/data/use-api.ts'

type RunMethod = 'tools.call' | 'resources.read' | 'prompts.get'

type RunRequest = {
  readonly [M in RunMethod]: { readonly method: M; readonly params: Omit<ApiParams<M>, 'run'> }
}[RunMethod]

export type RunResult = {
  readonly [M in RunMethod]: { readonly method: M; readonly result: ApiResult<M>['result'] }
}[RunMethod]

export interface RunState {
  readonly run: string
  readonly status: 'running' | 'done' | 'failed' | 'cancelled'
  readonly startedAt: number
  readonly progress?: { readonly progress: number; readonly total?: number; readonly message?: string }
  readonly logs: readonly { readonly level: string; readonly text: string }[]
  readonly answer?: RunResult
  readonly durationMs?: number
  readonly error?: ApiError
}

const MAX_RUNS = 60
const MAX_LOGS = 500

const runs = createStore<ReadonlyMap<string, RunState>>(new Map())
let made = 0

export function useRun(key: string): RunState | undefined {
  return useStore(runs).get(key)
}

export async function startRun(key: string, request: RunRequest): Promise<void> {
  const run = `${Date.now().toString(36)}-${++made}-${Math.random().toString(36).slice(2, 8)}`
  const startedAt = Date.now()
  put(key, { run, status: 'running', startedAt, logs: [] })
  try {
    // Method and parameters belong together by the type of the request.
    const { result, durationMs } = await call(request.method, { ...request.params, run } as never)
    change(run, { status: 'done', durationMs, answer: { method: request.method, result } as RunResult })
  } catch (thrown) {
    const error = toApiError(thrown)
    const status = error.code === 'cancelled' || isCancelled(run) ? 'cancelled' : 'failed'
    change(run, { status, error, durationMs: Date.now() - startedAt })
  }
}

const cancelled = new Set<string>()

export async function cancelRun(run: string): Promise<void> {
  cancelled.add(run)
  try {
    await call('runs.cancel', { run })
  } catch (error) {
    cancelled.delete(run)
    showFailure(toApiError(error))
  }
}

function isCancelled(run: string): boolean {
  return cancelled.delete(run)
}

function put(key: string, state: RunState): void {
  runs.set((before) => {
    const next = new Map(before)
    next.delete(key)
    next.set(key, state)
    const [oldest] = next.keys()
    if (next.size > MAX_RUNS && oldest !== undefined) next.delete(oldest)
    return next
  })
}

function change(run: string, part: Partial<RunState> | ((state: RunState) => Partial<RunState>)): void {
  runs.set((before) => {
    for (const [key, state] of before) {
      if (state.run !== run) continue
      return new Map(before).set(key, { ...state, ...(typeof part === 'function' ? part(state) : part) })
    }
    return before
  })
}

onApiEvent('progress', ({ run, progress, total, message }) => {
  change(run, {
    progress: { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) },
  })
})

onApiEvent('log', ({ run, level, text }) => {
  if (run !== undefined) change(run, ({ logs }) => ({ logs: [...logs.slice(1 - MAX_LOGS), { level, text }] }))
})
