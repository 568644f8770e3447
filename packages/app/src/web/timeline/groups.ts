/**
 * Which messages belong together: a request, its answer, its progress and its cancelling, what comes on a subscription,
 * all rounds of a call on the revision where a call that needs input is made again, and what is asked and told of the task
 * that a call became.
 */

import type { JsonObject } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import { isId } from './entry.ts'

interface OpenRequest {
  readonly row: number
  readonly at: number
  readonly method: string
  readonly group: string
  /** Under which its notifications are known. */
  readonly token?: string
}

interface Placed {
  readonly group: string
  /** The request that this answers. */
  readonly answers?: OpenRequest
}

const MAX_OPEN = 20_000
const RELATED_TASK = 'io.modelcontextprotocol/related-task'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

interface MessagePlace {
  readonly connection: string
  readonly direction: 'out' | 'in'
  /** Its row in the log. */
  readonly row: number
  readonly at: number
}

export class Groups {
  /** By connection, direction and id. */
  readonly #open = new Map<string, OpenRequest>()
  /** By connection, direction and progress token, or subscription. */
  readonly #tokens = new Map<string, string>()
  /** By connection and what a round gave to continue with. */
  readonly #rounds = new Map<string, string>()
  /** By connection and task. */
  readonly #tasks = new Map<string, string>()

  place(message: JsonObject, { connection, direction, row, at }: MessagePlace): Placed {
    const { id, method } = message
    const params = isObject(message.params) ? message.params : {}
    if (typeof method !== 'string') return this.#answer(connection, direction, message, row)
    if (!isId(id)) return { group: this.#groupOfNotice(connection, direction, method, params) ?? `m${row}` }
    const group = this.#groupOfTask(connection, params) ?? this.#groupOfRound(connection, params) ?? `m${row}`
    const token = method === LISTEN ? keyOf(connection, 'subscription', id) : progressOf(connection, direction, params)
    if (token !== undefined) keep(this.#tokens, token, group)
    const opened = { row, at, method, group, ...(token !== undefined && { token }) }
    keep(this.#open, keyOf(connection, direction, id), opened)
    return { group }
  }

  /** Takes away the request of this id in either direction, or every open one of the connection, and tells which. */
  lose(connection: string, id?: string | number): readonly (OpenRequest & { readonly direction: 'out' | 'in' })[] {
    const keys =
      id === undefined
        ? [...this.#open.keys()].filter((key) => key.startsWith(`${connection} `))
        : [keyOf(connection, 'out', id)]
    return keys.flatMap((key) => {
      const request = this.#open.get(key)
      if (request === undefined) return []
      this.#open.delete(key)
      if (request.token !== undefined) this.#tokens.delete(request.token)
      return [{ ...request, direction: key.startsWith(`${connection} out `) ? ('out' as const) : ('in' as const) }]
    })
  }

  clear(): void {
    this.#open.clear()
    this.#tokens.clear()
    this.#rounds.clear()
    this.#tasks.clear()
  }

  #answer(connection: string, direction: 'out' | 'in', message: JsonObject, row: number): Placed {
    if (!isId(message.id)) return { group: `m${row}` }
    const key = keyOf(connection, opposite(direction), message.id)
    const request = this.#open.get(key)
    if (request === undefined) return { group: `m${row}` }
    this.#open.delete(key)
    if (request.token !== undefined) this.#tokens.delete(request.token)
    const { result } = message
    const task = isObject(result) ? taskOf(isObject(result.task) ? result.task : result) : undefined
    // Of the call that it began with; whatever asks after it later belongs there.
    if (task !== undefined && request.method === 'tools/call') {
      keep(this.#tasks, `${connection} ${task}`, request.group)
    }
    if (isObject(result) && result.resultType === 'input_required') {
      for (const mark of marksOf(result.requestState, result.inputRequests)) {
        keep(this.#rounds, `${connection} ${mark}`, request.group)
      }
    }
    return { group: request.group, answers: request }
  }

  /** Requests about a task, its notices, and what is asked for it on 2025-11-25. */
  #groupOfTask(connection: string, params: JsonObject): string | undefined {
    const meta = isObject(params._meta) ? params._meta : {}
    const related = meta[RELATED_TASK]
    const task = taskOf(params) ?? (isObject(related) ? taskOf(related) : undefined)
    return task === undefined ? undefined : this.#tasks.get(`${connection} ${task}`)
  }

  #groupOfRound(connection: string, params: JsonObject): string | undefined {
    if (params.inputResponses === undefined && params.requestState === undefined) return undefined
    const marks = marksOf(params.requestState, params.inputResponses)
    const found = marks.map((mark) => this.#rounds.get(`${connection} ${mark}`)).find((group) => group !== undefined)
    for (const mark of marks) this.#rounds.delete(`${connection} ${mark}`)
    return found
  }

  #groupOfNotice(connection: string, direction: 'out' | 'in', method: string, params: JsonObject): string | undefined {
    if (method === 'notifications/cancelled' && isId(params.requestId)) {
      return this.#open.get(keyOf(connection, direction, params.requestId))?.group
    }
    if (method === 'notifications/progress' && isId(params.progressToken)) {
      return this.#tokens.get(keyOf(connection, direction, params.progressToken))
    }
    const task = this.#groupOfTask(connection, params)
    if (task !== undefined) return task
    const subscription = isObject(params._meta) ? params._meta[SUBSCRIPTION] : undefined
    return isId(subscription) ? this.#tokens.get(keyOf(connection, 'subscription', subscription)) : undefined
  }
}

/** Notifications about a request come from the other side; those of a subscription name its request. */
const LISTEN = 'subscriptions/listen'

function taskOf({ taskId }: JsonObject): string | undefined {
  return typeof taskId === 'string' ? taskId : undefined
}

/** What notices about a request's progress will name. */
function progressOf(connection: string, direction: 'out' | 'in', params: JsonObject): string | undefined {
  const token = isObject(params._meta) ? params._meta.progressToken : undefined
  return isId(token) ? keyOf(connection, opposite(direction), token) : undefined
}

/** What ties a round to the next: the state that is sent back, or else the names of what was asked. */
function marksOf(state: unknown, asked: unknown): string[] {
  if (typeof state === 'string') return [`state ${state}`]
  return isObject(asked) ? [`asked ${Object.keys(asked).sort().slice(0, 50).join(' ').slice(0, 2_000)}`] : []
}

function keyOf(connection: string, side: string, id: string | number): string {
  return `${connection} ${side} ${typeof id === 'number' ? 'n' : 's'}${id}`
}

function opposite(direction: 'out' | 'in'): 'out' | 'in' {
  return direction === 'out' ? 'in' : 'out'
}

/** Requests that are never answered must not pile up: the oldest are forgotten. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value)
  if (map.size <= MAX_OPEN) return
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
}
