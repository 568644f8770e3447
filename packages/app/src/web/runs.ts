/**
 * Things that are run by hand: tools, readings and prompts, each under the name that the page gave the run, so that it can
 * show progress and be cancelled. A run goes on when the page is closed, and is in the history afterwards.
 */

import { performance } from 'node:perf_hooks'
import type { ActionResult, ActOptions, Host } from '@portico/host'
import type { JsonObject } from '@portico/sdk/client'
import { createByHand } from './answer-by-hand.ts'
import type { ApiEvent, HistoryEntry } from './api-types/api.ts'
import type { History } from './history.ts'
import { isAbort, Refused } from './http/failure.ts'

interface RunsOptions {
  readonly host: Host
  readonly history: History
  emit(event: ApiEvent): void
}

interface RunAbout {
  readonly run: string
  readonly kind: HistoryEntry['kind']
  readonly name: string
  readonly arguments: JsonObject
  /** As far as it is known before. */
  readonly server: string
}

interface Ran<Result> {
  readonly result: Result
  readonly durationMs: number
}

interface Open {
  readonly controller: AbortController
  readonly server: string
}

const SESSION = 'workbench'
const MAX_RUNS = 200

export class Runs {
  readonly #options: RunsOptions
  readonly #open = new Map<string, Open>()

  constructor(options: RunsOptions) {
    this.#options = options
  }

  async run<Result extends object>(
    about: RunAbout,
    act: (options: ActOptions) => Promise<ActionResult<Result>>,
  ): Promise<Ran<Result>> {
    const { run, server } = about
    if (this.#open.has(run) || this.#open.size >= MAX_RUNS) {
      throw new Refused(409, { code: 'busy', message: 'This run is under way already, or too many are' })
    }
    const controller = new AbortController()
    this.#open.set(run, { controller, server })
    const at = Date.now()
    const started = performance.now()
    const keep = (end: Pick<HistoryEntry, 'status' | 'server' | 'arguments'> & Partial<HistoryEntry>): void =>
      this.#keep({ ...about, at, durationMs: performance.now() - started, ...end })
    try {
      const done = await act({
        session: SESSION,
        signal: controller.signal,
        onProgress: (progress) => this.#options.emit({ type: 'progress', run, ...progress }),
        onWaiting: createByHand(this.#options.host.inbox),
      })
      const { result } = done
      // A tool that failed says so in its result.
      const status = (result as { isError?: boolean }).isError === true ? 'error' : 'ok'
      // Results of the protocol are JSON objects.
      keep({ status, server: done.server, arguments: done.arguments, result: result as unknown as JsonObject })
      return { result, durationMs: performance.now() - started }
    } catch (error) {
      const status = controller.signal.aborted || isAbort(error) ? 'cancelled' : 'error'
      const message = error instanceof Error ? error.message : String(error)
      keep({ status, server, arguments: about.arguments, error: message.slice(0, 2_000) })
      if (status === 'cancelled') throw new Refused(499, { code: 'cancelled', message: 'It was cancelled' })
      throw error
    } finally {
      this.#open.delete(run)
    }
  }

  /** False when there is no such run any more. */
  cancel(run: string): boolean {
    const open = this.#open.get(run)
    open?.controller.abort(new DOMException('The run was cancelled', 'AbortError'))
    return open !== undefined
  }

  /** The one run that a server works on; undefined where there is none, or several. */
  of(server: string): string | undefined {
    const found = [...this.#open].filter(([, open]) => open.server === server)
    return found.length === 1 ? found[0]?.[0] : undefined
  }

  close(): void {
    for (const run of this.#open.keys()) this.cancel(run)
  }

  #keep(entry: HistoryEntry): void {
    const { run, at, kind, server, name, arguments: args, status, durationMs, result, error } = entry
    const kept = this.#options.history.add({
      run,
      at,
      kind,
      server,
      name,
      arguments: args,
      status,
      durationMs,
      ...(result !== undefined && { result }),
      ...(error !== undefined && { error }),
    })
    this.#options.emit({ type: 'history', entry: kept })
  }
}
