/**
 * A server that answers a call with a task: it is followed to its end for the caller, who gets a task of the gateway's own, or
 * waits. The server's id is noted, so that another process can go on, and goes to nobody.
 */

import { setTimeout as pause } from 'node:timers/promises'
import type { Client, RequestOptions, ToolRun } from '@portico/sdk/client'
import { generationOf, INTERNAL_ERROR, isObject, META_RELATED_TASK, readCreated } from '@portico/sdk/internal'
import { type CallToolResult, type JsonObject, PorticoError, RpcError } from '@portico/sdk/server'
import type { RelayedCall } from '../call/relayed-call.ts'
import type { UpstreamTask } from './noted.ts'

/** `task` for a call of 2025-11-25: where the tool runs as nothing else, and where it can and somebody wants one. */
export function taskParam(client: Client, support: unknown, wanted: boolean): JsonObject | undefined {
  if (support !== 'required' && !(support === 'optional' && wanted)) return undefined
  const { requests } = client.server.capabilities.tasks ?? {}
  const takes = client.version === CORE && isObject(requests?.tools) && isObject(requests.tools.call)
  return takes ? {} : undefined
}

const CORE = '2025-11-25'

/** The id of the task that a call became. Throws for what is none. */
export function createdIn(answer: JsonObject, client: Client): string {
  const generation = generationOf(client.revision)
  if (generation === undefined) throw new PorticoError('invalid-message', 'A task came of a revision that has none')
  return readCreated(answer, generation).task.taskId
}

/** Follows a task until its tool has answered. What it says of itself meanwhile is the progress of the call. */
export async function followTask(
  call: RelayedCall,
  client: Client,
  task: UpstreamTask,
  options: RequestOptions,
): Promise<CallToolResult> {
  const { signal } = call
  const told = new Told(call)
  try {
    const run = await takeUp(client, task, { ...options, signal })
    void report(told, run, task)
    return withoutMark(await run.result({ signal }))
  } catch (error) {
    // Nobody will come for what it does any more, unless another process goes on with it.
    if (!call.left) endTask(client, task)
    throw call.cancelled ? error : wordedFor(task, error)
  } finally {
    told.end()
  }
}

/** A server that is busy, away for a moment or started anew is asked again: its work goes on, and nobody gives it up so soon. */
async function takeUp(client: Client, { taskId }: UpstreamTask, options: RequestOptions): Promise<ToolRun> {
  const until = performance.now() + PATIENCE_MS
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await client.resumeTask(taskId, options)
    } catch (error) {
      const passes = error instanceof PorticoError && PASSING.has(error.code) && performance.now() < until
      if (!passes || options.signal?.aborted) throw error
      await pause(waitMs, undefined, { signal: options.signal })
    }
  }
}

const PASSING: ReadonlySet<string> = new Set(['timeout', 'closed', 'connect-failed'])
const PATIENCE_MS = 300_000
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 10_000

/** What a caller is told of a task while it waits: how far it is, and now and then that it goes on. */
class Told {
  readonly #call: RelayedCall
  readonly #beat: ReturnType<typeof setInterval>
  #progress = 0

  constructor(call: RelayedCall) {
    this.#call = call
    // A caller that has a task looks by itself.
    this.#beat = setInterval(() => call.isTask || this.#live(), BEAT_MS)
    this.#beat.unref()
  }

  say(message: string): void {
    this.#progress = Math.floor(this.#progress) + 1
    this.#call.progress({ progress: this.#progress, message })
  }

  #live(): void {
    this.#progress += BEAT
    this.#call.progress({ progress: this.#progress })
  }

  end(): void {
    clearInterval(this.#beat)
  }
}

const BEAT_MS = 15_000
/** Smaller than any step that is told. */
const BEAT = 0.001

/** Has a server end a task; nobody waits for it. */
export function endTask(client: Client, { taskId }: UpstreamTask): void {
  client.resumeTask(taskId).then(
    (run) => run.cancel().catch(() => {}),
    () => {},
  )
}

async function report(told: Told, run: ToolRun, { taskId }: UpstreamTask): Promise<void> {
  try {
    for await (const { statusMessage } of run.updates()) {
      if (statusMessage !== undefined) told.say(statusMessage.replaceAll(taskId, '…'))
    }
  } catch {
    // Whoever waits for the result is told.
  }
}

/** Which task of the server's a result belongs to is no business of the caller's. */
function withoutMark(result: CallToolResult): CallToolResult {
  const { _meta, ...own } = result
  if (!isObject(_meta) || _meta[META_RELATED_TASK] === undefined) return result
  const { [META_RELATED_TASK]: _mark, ...meta } = _meta
  return Object.keys(meta).length === 0 ? own : { ...own, _meta: meta }
}

/** What became of a task in words for the caller, who knows nothing of the server's own. */
const WORDS: { readonly [code: string]: string } = {
  'not-found': 'no longer knows of this work',
  aborted: 'has cancelled this work',
  timeout: 'did not finish this work in the time that it keeps it',
}

function wordedFor({ server, taskId }: UpstreamTask, error: unknown): unknown {
  const named = error instanceof RpcError && JSON.stringify([error.message, error.data]).includes(taskId)
  const code = error instanceof PorticoError ? error.code : ''
  const words = named ? 'could not finish this work' : Object.hasOwn(WORDS, code) ? WORDS[code] : undefined
  return words === undefined ? error : new RpcError(INTERNAL_ERROR, `The server "${server}" ${words}`, undefined, error)
}
