/**
 * A recorded session as a file: one JSON object on each line, first a head that says whose messages follow, then every
 * message in the order it passed. Written by `recorder.ts`, answered from by `replay-server.ts`.
 */

import { open, stat } from 'node:fs/promises'
import type { JsonObject } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import { parseJson } from '@portico/sdk/transport'

/** A server of the recording, as it introduced itself. */
export interface RecordedServer {
  readonly name: string
  readonly info?: { readonly name: string; readonly version: string; readonly title?: string }
  readonly instructions?: string
  /** The protocol revision that was spoken. */
  readonly version?: string
  /** How to reach it again, without secrets. */
  readonly target?: { readonly command: string; readonly args: readonly string[] } | { readonly url: string }
}

export interface RecordingHead {
  readonly at: number
  readonly servers: readonly RecordedServer[]
}

export interface RecordedMessage {
  readonly at: number
  readonly server: string
  /** Tells the connections of one server apart. */
  readonly connection: string
  /** `out` is from the client to the server. */
  readonly direction: 'out' | 'in'
  readonly message: JsonObject
}

export interface Recording extends RecordingHead {
  readonly messages: readonly RecordedMessage[]
}

export const RECORDING_LIMITS = {
  maxBytes: 256 * 1_048_576,
  maxMessages: 500_000,
  // Of one line: the largest message that a client takes, and what stands around it.
  maxNodes: 1_001_000,
} as const

/** A file that is no recording, or one too large. */
export class RecordingError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RecordingError'
  }
}

export function headLine({ at, servers }: RecordingHead): string {
  return `${JSON.stringify({ portico: 'recording', version: 1, at, servers })}\n`
}

export function messageLine({ at, server, connection, direction, message }: RecordedMessage): string {
  return `${JSON.stringify({ at, server, connection, direction, message })}\n`
}

/** Lines that are no messages are passed over: the last one may be torn. */
export async function readRecording(file: string): Promise<Recording> {
  let head: RecordingHead | undefined
  const messages: RecordedMessage[] = []
  for await (const value of readValues(file)) {
    if (head === undefined) head = toHead(value, file)
    else if (isMessage(value)) messages.push(value)
    if (messages.length > RECORDING_LIMITS.maxMessages) {
      throw new RecordingError(`${file} holds more than ${RECORDING_LIMITS.maxMessages} messages`)
    }
  }
  if (head === undefined) throw new RecordingError(`${file} is empty`)
  return { ...head, messages }
}

export async function readRecordingHead(file: string): Promise<RecordingHead> {
  for await (const value of readValues(file)) return toHead(value, file)
  throw new RecordingError(`${file} is empty`)
}

async function* readValues(file: string): AsyncGenerator<unknown, void> {
  const found = await stat(file)
  if (!found.isFile() || found.size > RECORDING_LIMITS.maxBytes) {
    throw new RecordingError(`${file} is no file of at most ${RECORDING_LIMITS.maxBytes} bytes`)
  }
  const handle = await open(file)
  try {
    for await (const line of handle.readLines()) {
      const parsed = parseJson(line, { maxNodes: RECORDING_LIMITS.maxNodes })
      if (parsed.ok) yield parsed.value
    }
  } finally {
    await handle.close()
  }
}

function toHead(value: unknown, file: string): RecordingHead {
  const { portico, version, at, servers } = isObject(value) ? value : {}
  if (portico !== 'recording' || version !== 1 || typeof at !== 'number' || !Array.isArray(servers)) {
    throw new RecordingError(`${file} is no recording of this program`)
  }
  return { at, servers: servers.flatMap(toServer) }
}

function toServer(value: unknown): RecordedServer[] {
  if (!isObject(value) || typeof value.name !== 'string') return []
  const { name, info, instructions, version, target } = value
  return [
    {
      name,
      ...(isInfo(info) && { info }),
      ...(typeof instructions === 'string' && { instructions }),
      ...(typeof version === 'string' && { version }),
      ...(isTarget(target) && { target }),
    },
  ]
}

function isInfo(value: unknown): value is NonNullable<RecordedServer['info']> {
  return isObject(value) && typeof value.name === 'string' && typeof value.version === 'string'
}

function isTarget(value: unknown): value is NonNullable<RecordedServer['target']> {
  if (!isObject(value)) return false
  if (typeof value.url === 'string') return true
  return (
    typeof value.command === 'string' && Array.isArray(value.args) && value.args.every((one) => typeof one === 'string')
  )
}

function isMessage(value: unknown): value is RecordedMessage {
  if (!isObject(value)) return false
  const { at, server, connection, direction, message } = value
  return (
    typeof at === 'number' &&
    typeof server === 'string' &&
    typeof connection === 'string' &&
    (direction === 'out' || direction === 'in') &&
    isObject(message)
  )
}
