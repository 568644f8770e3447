/** Pins on disk: one JSON file for all servers, written whole and in one step, readable by its owner alone. */

import { mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { JsonObject } from '@portico/sdk/client'
import { isObject } from './canonical.ts'

export interface Pin {
  readonly approved?: {
    readonly fingerprint: string
    readonly meaning: JsonObject
    readonly at: number
    readonly by: 'first-sight' | 'person' | 'trust'
    /** The whole definition is in it; earlier versions kept some members alone. */
    readonly whole?: boolean
  }
  /** What it means now, where that is not approved. */
  readonly pending?: { readonly fingerprint: string; readonly meaning: JsonObject; readonly since: number }
  /** The last listing had it. */
  readonly present: boolean
}

/** By server, then by kind and name. */
export type PinTable = Map<string, Map<string, Pin>>

export interface PinFile {
  read(): PinTable
  /** Writes soon; what comes meanwhile goes along. */
  write(table: PinTable): void
  flush(): Promise<void>
}

const MAX_BYTES = 64 * 1024 * 1024

export function createPinFile(path: string, warn: (message: string) => void): PinFile {
  let table: PinTable | undefined
  let writing: Promise<void> | undefined
  const save = async (): Promise<void> => {
    // A moment, so that a whole listing is one write.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (table !== undefined) {
      const text = toText(table)
      table = undefined
      const temporary = `${path}.${process.pid}.new`
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(temporary, text, { mode: 0o600 })
      await rename(temporary, path)
    }
  }
  return {
    read: () => read(path, warn),
    write(next) {
      table = next
      writing ??= save()
        .catch((error) => warn(`Pins could not be written to ${path}: ${(error as Error).message}`))
        .finally(() => {
          writing = undefined
        })
    },
    async flush() {
      while (writing !== undefined) await writing
    },
  }
}

function read(path: string, warn: (message: string) => void): PinTable {
  let text: string
  try {
    if (statSync(path).size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`)
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    return setAside(path, (error as Error).message, warn)
  }
  try {
    return fromText(text)
  } catch (error) {
    return setAside(path, (error as Error).message, warn)
  }
}

/** A file that cannot be used is kept for a person to look at; the host goes on without it. */
function setAside(path: string, reason: string, warn: (message: string) => void): PinTable {
  const aside = `${path}.broken-${Date.now()}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    renameSync(path, aside)
    warn(`The pins in ${path} cannot be read (${reason}). They are now in ${aside}; every item counts as new.`)
  } catch {
    warn(`The pins in ${path} cannot be read (${reason}); every item counts as new.`)
  }
  return new Map()
}

function toText(table: PinTable): string {
  const servers = [...table].map(([server, pins]) => [server, Object.fromEntries(pins)])
  return `${JSON.stringify({ pinsVersion: 1, servers: Object.fromEntries(servers) })}\n`
}

function fromText(text: string): PinTable {
  const value: unknown = JSON.parse(text)
  if (!isObject(value) || value.pinsVersion !== 1 || !isObject(value.servers)) throw new Error('it is no file of pins')
  const table: PinTable = new Map()
  for (const [server, pins] of Object.entries(value.servers)) {
    const entries = Object.entries(isObject(pins) ? pins : {}).flatMap(([key, pin]): [string, Pin][] => {
      return /^(tool|resource|template|prompt|instructions) /.test(key) && isPin(pin) ? [[key, pin]] : []
    })
    table.set(server, new Map(entries))
  }
  return table
}

function isPin(value: unknown): value is Pin {
  if (!isObject(value) || typeof value.present !== 'boolean') return false
  const { approved, pending } = value
  return (approved === undefined || isMeaning(approved)) && (pending === undefined || isMeaning(pending))
}

function isMeaning(value: unknown): boolean {
  return isObject(value) && typeof value.fingerprint === 'string' && isObject(value.meaning)
}
