/** A workbench for tests: real HTTP, a state folder of its own, and a page's way of asking and listening. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiEvent, ApiFailure, ApiMethod, ApiParams, ApiResult } from '../../src/web/api-types/api.ts'
import { startWorkbench, type Workbench, type WorkbenchOptions } from '../../src/web/workbench.ts'

export class Refusal extends Error {
  readonly status: number
  readonly failure: ApiFailure

  constructor(status: number, failure: ApiFailure) {
    super(`${status} ${failure.code}: ${failure.message}`)
    this.status = status
    this.failure = failure
  }
}

export interface Bench {
  readonly workbench: Workbench
  readonly stateDir: string
  readonly configFile: string
  readonly cookie: string
  call<M extends ApiMethod>(method: M, params: ApiParams<M>): Promise<ApiResult<M>>
  /** Everything that was told so far. */
  readonly events: ApiEvent[]
  /** The first event, past or to come, that passes. */
  next<E extends ApiEvent>(isWanted: (event: ApiEvent) => event is E): Promise<E>
  next(isWanted: (event: ApiEvent) => boolean): Promise<ApiEvent>
  close(): Promise<void>
}

let cleanups: (() => Promise<unknown>)[] = []

export function onCleanup(cleanup: () => Promise<unknown>): void {
  cleanups.push(cleanup)
}

export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.reverse()) await cleanup()
  cleanups = []
}

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-web-'))
  onCleanup(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

export async function startBench(options: WorkbenchOptions = {}): Promise<Bench> {
  const stateDir = options.stateDir ?? (await makeFolder())
  const configFile = options.configFile ?? join(stateDir, 'portico.json')
  const workbench = await startWorkbench({
    builtIns: [],
    watch: false,
    env: { PATH: process.env.PATH },
    home: stateDir,
    page: join(stateDir, 'no-page'),
    tourPaceMs: 0,
    ...options,
    stateDir,
    configFile,
    hostOptions: { upstreams: { watchdog: false }, ...options.hostOptions },
  })
  let closing: Promise<void> | undefined
  const listening = new AbortController()
  const close = () => {
    listening.abort()
    closing ??= workbench.close()
    return closing
  }
  onCleanup(close)
  const cookie = await admit(workbench)
  const { origin } = workbench
  const headers = { cookie, origin, 'content-type': 'application/json' }
  const events: ApiEvent[] = []
  const waiting = new Set<() => void>()
  const stream = await fetch(`${origin}/api/events`, { headers: { cookie }, signal: listening.signal })
  void follow(stream, (event) => {
    events.push(event)
    for (const look of [...waiting]) look()
  }).catch(() => {})
  return {
    workbench,
    stateDir,
    configFile,
    cookie,
    events,
    close,
    async call(method, params) {
      const response = await fetch(`${origin}/api/${method}`, { method: 'POST', headers, body: JSON.stringify(params) })
      const body: unknown = await response.json()
      if (!response.ok) throw new Refusal(response.status, body as ApiFailure)
      // The other half of the contract.
      return body as ApiResult<typeof method>
    },
    next(isWanted: (event: ApiEvent) => boolean): Promise<never> {
      return new Promise((resolve) => {
        const look = (): void => {
          const found = events.find(isWanted)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found as never)
        }
        waiting.add(look)
        look()
      })
    },
  }
}

/** Opens the link as a browser would; gives the cookie. */
export async function admit({ url }: Pick<Workbench, 'url'>): Promise<string> {
  const response = await fetch(url, { redirect: 'manual' })
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}

/** A condition that will come true by itself: looked at again whenever something else had a turn. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10))
}

async function follow(response: Response, tell: (event: ApiEvent) => void): Promise<void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) if (block.startsWith('data: ')) tell(JSON.parse(block.slice(6)) as ApiEvent)
  }
}
