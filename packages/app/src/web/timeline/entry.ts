/** One message as the timeline keeps it: the row that is shown, its text, and what became of the request. */

import type { JsonObject } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import type { TimelineRow } from '../api-types/api.ts'

type EntryStatus = 'ok' | 'error' | 'pending'

export interface TimelineEntry {
  row: TimelineRow
  /** As JSON, cut where it is very long. */
  readonly text: string
  readonly cut: boolean
  /** Of a request and its answer; notifications have none. */
  status: EntryStatus | undefined
}

export const MAX_TEXT = 256 * 1024

export function kindOf(message: JsonObject): TimelineRow['kind'] {
  if (typeof message.method === 'string') return isId(message.id) ? 'request' : 'notification'
  return isObject(message.error) ? 'error' : 'response'
}

export function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}

/** A tool that reports an error answers with a result; it failed all the same. */
export function isFailure(message: JsonObject): boolean {
  return isObject(message.error) || (isObject(message.result) && message.result.isError === true)
}

const MAX_SUMMARY = 160

/** A few words: the tool's name, the error's message. */
export function summaryOf(message: JsonObject): string {
  const { params, result, error } = message
  if (isObject(error)) return short(`${String(error.code)} ${String(error.message)}`)
  if (isObject(params)) return short(wordsOfParams(params))
  return isObject(result) ? short(wordsOfResult(result)) : ''
}

function wordsOfParams(params: JsonObject): string {
  const { name, uri, message, reason, level, data, progress, total, requestId } = params
  const task = wordsOfTask(params)
  if (task !== undefined) return task
  if (typeof progress === 'number') {
    const of = typeof total === 'number' ? ` of ${total}` : ''
    return `${progress}${of}${typeof message === 'string' ? ` ${message}` : ''}`
  }
  if (typeof name === 'string') return name
  if (typeof uri === 'string') return uri
  if (typeof level === 'string') return `${level} ${typeof data === 'string' ? data : (JSON.stringify(data) ?? '')}`
  if (typeof message === 'string') return message
  return isId(requestId) ? `request ${requestId}${typeof reason === 'string' ? `: ${reason}` : ''}` : ''
}

/** A task, with the kind that it is on the wire: their members are called otherwise. */
function wordsOfTask(value: JsonObject): string | undefined {
  const task = isObject(value.task) ? value.task : value
  const { taskId, status, statusMessage } = task
  if (typeof taskId !== 'string' || typeof status !== 'string') return undefined
  const generation = 'ttlMs' in task ? '2026-07-28 tasks extension' : '2025-11-25 tasks'
  return `task ${status}${typeof statusMessage === 'string' ? `: ${statusMessage}` : ''} (${generation})`
}

const LISTS = ['tools', 'resources', 'resourceTemplates', 'prompts', 'contents', 'messages', 'roots']

function wordsOfResult(result: JsonObject): string {
  if (result.resultType === 'input_required') return 'asks for input'
  const task = wordsOfTask(result)
  if (task !== undefined) return task
  const list = LISTS.find((name) => Array.isArray(result[name]))
  // `find` has just said that it is a list.
  if (list !== undefined) return `${(result[list] as unknown[]).length} ${list}`
  const [block] = Array.isArray(result.content) ? result.content : []
  if (!isObject(block)) return ''
  return typeof block.text === 'string' ? block.text : String(block.type)
}

function short(text: string): string {
  const line = text
    .slice(0, 2 * MAX_SUMMARY)
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > MAX_SUMMARY ? `${line.slice(0, MAX_SUMMARY - 1)}…` : line
}
