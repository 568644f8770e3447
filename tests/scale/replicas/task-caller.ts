/** A client that has words noted by tasks, one after the other, and looks for every one that it was promised until it has its end. */

import { setTimeout as pause } from 'node:timers/promises'
import { type CallToolResult, type Client, connect, PorticoError, RpcError } from '@portico/sdk/client'
import type { ProtocolVersion } from '@portico/sdk/server'

/** What became of tasks. */
export interface TaskAccount {
  /** Words whose task was promised. */
  readonly promised: string[]
  readonly done: string[]
  /** They ended with words that say so: what they do may have happened. */
  readonly unknown: string[]
  /** The promise did not come; the error says whether it was asked for. */
  readonly refused: string[]
  readonly wrong: string[]
}

export function newTaskAccount(): TaskAccount {
  return { promised: [], done: [], unknown: [], refused: [], wrong: [] }
}

/** A task that has no end by then has none. */
const END_MS = 120_000
const AGAIN_MS = 200

export class TaskCaller {
  readonly #client: Client
  readonly #name: string
  #count = 0

  private constructor(client: Client, name: string) {
    this.#client = client
    this.#name = name
  }

  static async open(url: string, name: string, version: ProtocolVersion): Promise<TaskCaller> {
    const client = await connect(url, { versions: version })
    // What can be a task stands in the list.
    await client.listTools()
    return new TaskCaller(client, name)
  }

  /** One more task, to its end. */
  async work(account: TaskAccount): Promise<void> {
    const word = `${this.#name}-${++this.#count}`
    const started = await this.#client.startTool('work', { word }, { task: true }).catch((error: unknown) => error)
    if (started instanceof Error) {
      if (saysWhetherSent(started)) account.refused.push(word)
      else account.wrong.push(`${word}: ${started}`)
      return
    }
    const run = started as Awaited<ReturnType<Client['startTool']>>
    account.promised.push(word)
    // Where it was over before anybody could promise anything, its end is there.
    if (run.task === undefined) note(account, word, await run.result())
    else await this.#follow(run.task.taskId, word, account)
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  /** Looks again when a look is lost with its replica: the task is not. */
  async #follow(taskId: string, word: string, account: TaskAccount): Promise<void> {
    const until = performance.now() + END_MS
    let last: unknown
    while (performance.now() < until) {
      try {
        const run = await this.#client.resumeTask(taskId)
        note(account, word, await run.result({ signal: AbortSignal.timeout(END_MS) }))
        return
      } catch (error) {
        last = error
        if (error instanceof PorticoError && error.code === 'not-found') break
        await pause(AGAIN_MS)
      }
    }
    account.wrong.push(`${word}: the task was promised and has no end: ${last}`)
  }
}

/** How a task ended. */
function note(account: TaskAccount, word: string, { content, isError }: CallToolResult): void {
  const text = JSON.stringify(content)
  if (isError !== true && text.includes(word)) account.done.push(word)
  else if (isError === true && text.includes('may have happened')) account.unknown.push(word)
  else account.wrong.push(`${word}: ${text}`)
}

/** By the client itself, or by whoever answered for the server. */
function saysWhetherSent(error: Error): boolean {
  const { delivery } = (error instanceof RpcError ? (error.data ?? {}) : error) as { readonly delivery?: unknown }
  return delivery === 'unknown' || delivery === 'not-sent'
}
