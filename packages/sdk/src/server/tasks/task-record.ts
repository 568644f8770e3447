/** A task as it is kept: who asked for what, where it stands, and what a worker needs to go on with it. */

import { toCanonicalJson } from '../../jsonrpc/canonical-json.ts'
import type { JsonObject, RpcErrorObject } from '../../jsonrpc/message.ts'
import type { ClientCapabilities } from '../../protocol/capabilities.ts'
import type { Implementation } from '../../protocol/content.ts'
import type { ProtocolVersion } from '../../protocol/revision.ts'
import { MAX_STATUS_MESSAGE, type TaskStatus, type TaskView, TRANSITIONS } from '../../protocol/tasks.ts'
import type { CallToolResult } from '../../protocol/tools.ts'

/** The request that became a task, with all that its handler may ask about it. */
export interface TaskRequest {
  readonly params: JsonObject
  readonly version: ProtocolVersion
  readonly capabilities: ClientCapabilities
  readonly clientInfo?: Implementation
  readonly principal?: { readonly id: string; readonly scopes: readonly string[]; readonly claims?: JsonObject }
}

/** An open question, under the key that its asker is told. */
export interface OpenQuestion {
  /** The key that the handler gave it. */
  readonly key: string
  readonly method: string
  readonly params: JsonObject
  /** The answer, once it came. */
  readonly answer?: JsonObject
}

/** All that is kept of a task. */
export interface TaskRecord {
  readonly id: string
  /** Who may see it: a digest of the principal's id, or `anonymous`. */
  readonly owner: string
  readonly request: TaskRequest
  readonly status: TaskStatus
  readonly statusMessage?: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly ttlMs: number
  readonly pollIntervalMs: number
  /** The lease under which it is worked on; an older one may write no more. */
  readonly epoch: number
  /** Whether a run has begun and has not said how it ended. */
  readonly running?: boolean | undefined
  /** The moment until which its handler sleeps. */
  readonly wakeAt?: number | undefined
  /** What the handler did until its last questions, as rounds of input keep it. */
  readonly state?: string
  readonly questions?: { readonly [wireKey: string]: OpenQuestion }
  /** Every key that a question ever had: none comes back. */
  readonly usedKeys?: readonly string[]
  readonly result?: CallToolResult
  readonly error?: RpcErrorObject
}

/** What may be changed of a task, by one step. */
export type TaskChange = Partial<Omit<TaskRecord, 'id' | 'owner' | 'request' | 'createdAt'>>

/** The record after a change, or undefined when a task cannot go from its status to that one. */
export function changed(record: TaskRecord, change: TaskChange, now: number): TaskRecord | undefined {
  const { status = record.status } = change
  const final = TRANSITIONS[record.status].size === 0
  if (final || (status !== record.status && !TRANSITIONS[record.status].has(status))) return undefined
  const { statusMessage } = change
  const said = statusMessage !== undefined && { statusMessage: toStatusMessage(statusMessage) }
  return { ...record, ...change, ...said, updatedAt: now }
}

/** What is kept of a message: it is for people to read, and counts towards nobody's share of the store. */
export function toStatusMessage(text: string): string {
  return text.slice(0, MAX_STATUS_MESSAGE)
}

/** Whether a worker could go on with a task. */
export function isDue({ status, running, wakeAt }: TaskRecord, now: number): boolean {
  if (TRANSITIONS[status].size === 0) return false
  if (wakeAt !== undefined) return wakeAt <= now
  return status === 'working' || running === true
}

/** What the wire shows of a record. */
export function viewOf(record: TaskRecord): TaskView {
  const { id, status, statusMessage, createdAt, updatedAt, ttlMs, pollIntervalMs, result, error } = record
  return {
    taskId: id,
    status,
    createdAt,
    updatedAt,
    ttlMs,
    pollIntervalMs,
    ...(statusMessage !== undefined && { statusMessage }),
    ...(result !== undefined && { result }),
    ...(error !== undefined && { error }),
    questions: Object.fromEntries(unanswered(record).map(([key, { method, params }]) => [key, { method, params }])),
  }
}

/** The questions that nobody has answered yet. */
export function unanswered({ questions = {} }: TaskRecord): [wireKey: string, question: OpenQuestion][] {
  return Object.entries(questions).filter(([, { answer }]) => answer === undefined)
}

/** The record once answers came: unknown keys and those that were answered before are passed over. */
export function withAnswers(record: TaskRecord, answers: JsonObject): TaskChange | undefined {
  const { questions = {} } = record
  const came = unanswered(record).flatMap(([key, question]): [string, OpenQuestion][] => {
    const answer = Object.hasOwn(answers, key) ? answers[key] : undefined
    return typeof answer === 'object' && answer !== null ? [[key, { ...question, answer: answer as JsonObject }]] : []
  })
  if (came.length === 0 || record.status !== 'input_required') return undefined
  const after = { ...questions, ...Object.fromEntries(came) }
  const open = Object.values(after).some(({ answer }) => answer === undefined)
  return open ? { questions: after } : { questions: after, status: 'working', wakeAt: undefined }
}

/**
 * What a run leaves behind that asked. Keys are never used twice (T26-20); what was open before it began and is asked again stays
 * what it is, with the answer that came meanwhile.
 */
export function withQuestions(record: TaskRecord, before: TaskRecord, asked: JsonObject): TaskChange {
  const { questions: known = {}, usedKeys = [] } = record
  const used = new Set(usedKeys)
  const questions: { [wireKey: string]: OpenQuestion } = {}
  for (const [key, value] of Object.entries(asked)) {
    // What rounds give out is a method and its parameters.
    const question = { key, ...(value as { method: string; params: JsonObject }) }
    const same = unanswered(before).find(([wireKey, open]) => isSame(open, question) && Object.hasOwn(known, wireKey))
    const wireKey = same?.[0] ?? freshKey(key, used)
    used.add(wireKey)
    questions[wireKey] = same === undefined ? question : (known[wireKey] ?? question)
  }
  const open = Object.values(questions).some(({ answer }) => answer === undefined)
  return { questions, usedKeys: [...used], status: open ? 'input_required' : 'working' }
}

function isSame(one: OpenQuestion, other: OpenQuestion): boolean {
  const { answer: _answer, ...asked } = one
  return toCanonicalJson(asked) === toCanonicalJson(other)
}

function freshKey(key: string, used: ReadonlySet<string>): string {
  if (!used.has(key)) return key
  let turn = 2
  while (used.has(`${key}.${turn}`)) turn++
  return `${key}.${turn}`
}
