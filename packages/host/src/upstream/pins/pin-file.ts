/**
 * Pins on disk: one JSON file for all servers, replaced in one step, readable by its owner alone. Several processes may
 * keep theirs in it: each writes what it has changed into what is there at that moment, one after the other.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isObject } from '@portico/sdk/internal'
import { callListener } from '../../config/call-listener.ts'
import { createStateFile } from '../../config/state-file.ts'
import { HostError, isOfSystem, remedyOf } from '../../errors.ts'
import { PendingPins } from './pending-pins.ts'
import type { Pin, PinChanges, PinTable } from './pin.ts'

export interface PinFile {
  read(): PinTable
  /** Somebody has removed it. */
  isGone(): boolean
  /** Writes one pin soon, or takes it out; what comes meanwhile goes along. */
  write(server: string, key: string, pin: Pin | undefined): void
  /** Takes out everything about a server. */
  forget(server: string): void
  flush(): Promise<void>
}

const MAX_BYTES = 64 * 1024 * 1024

export function createPinFile(path: string, onWarning: (message: string) => void): PinFile {
  const warn = (message: string): void => callListener(onWarning, message)
  const state = createStateFile<PinTable>({
    file: path,
    onWarning: warn,
    empty: new Map(),
    read: pinsFromText,
    write: pinsToText,
    maxBytes: MAX_BYTES,
  })
  const pending = new PendingPins(
    async (changes) => void (await state.update((table) => mergePins(table, changes))),
    (error) => warn(`Pins could not be written to ${path}, and will be tried again: ${error.message}`),
  )
  return {
    read: () => read(path, warn),
    isGone: () => !existsSync(path),
    write: (server, key, pin) => pending.write(server, key, pin),
    forget: (server) => pending.forget(server),
    flush: () => pending.flush(),
  }
}

/** What was there, with what one process has changed: of two approvals the stronger one counts. */
export function mergePins(table: PinTable, changes: ReadonlyMap<string, PinChanges>): PinTable {
  const next: PinTable = new Map(table)
  for (const [server, { anew, pins }] of changes) {
    const kept = new Map(anew ? [] : table.get(server))
    for (const [key, pin] of pins) {
      if (pin === undefined) kept.delete(key)
      else kept.set(key, merge(kept.get(key), pin))
    }
    if (kept.size === 0) next.delete(server)
    else next.set(server, kept)
  }
  return next
}

/** What was approved elsewhere meanwhile stays approved; what is seen now is what this process sees. */
function merge(theirs: Pin | undefined, own: Pin): Pin {
  const approved = strongerOf(theirs?.approved, own.approved)
  const { pending, present } = own
  const since = theirs?.since ?? own.since
  const isSettled = pending === undefined || pending.fingerprint === approved?.fingerprint
  return {
    ...(approved !== undefined && { approved }),
    ...(!isSettled && { pending }),
    present,
    ...(since !== undefined && { since }),
  }
}

/** A person's word counts more than the first sight; of two words the later one, of two first sights the earlier. */
function strongerOf(theirs: Pin['approved'], own: Pin['approved']): Pin['approved'] {
  if (theirs === undefined || own === undefined) return own ?? theirs
  const [isTheirsSaid, isOwnSaid] = [theirs.by !== 'first-sight', own.by !== 'first-sight']
  if (isTheirsSaid !== isOwnSaid) return isTheirsSaid ? theirs : own
  if (theirs.at === own.at) return own
  return theirs.at > own.at === isTheirsSaid ? theirs : own
}

function read(path: string, warn: (message: string) => void): PinTable {
  let text: string
  try {
    if (statSync(path).size > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`)
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
    // What cannot be read for now is not lost: to go on without it would be to take every definition as it is.
    if (isOfSystem(error)) {
      const why = remedyOf(error) ?? error.message
      throw new HostError('state-unwritable', `The pins in ${path} cannot be read: ${why}`, { cause: error })
    }
    return setAside(path, (error as Error).message, warn)
  }
  try {
    return pinsFromText(text)
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

export function pinsToText(table: PinTable): string {
  const servers = [...table].map(([server, pins]) => [server, Object.fromEntries(pins)])
  return `${JSON.stringify({ pinsVersion: 1, servers: Object.fromEntries(servers) })}\n`
}

/** Throws for what is no such text. */
export function pinsFromText(text: string): PinTable {
  const value: unknown = JSON.parse(text)
  if (!isObject(value) || value.pinsVersion !== 1 || !isObject(value.servers)) throw new Error('it is no file of pins')
  const table: PinTable = new Map()
  for (const [server, pins] of Object.entries(value.servers)) {
    const entries = Object.entries(isObject(pins) ? pins : {}).flatMap(([key, pin]): [string, Pin][] => {
      return /^(tool|resource|template|prompt|instructions|identity) /.test(key) && isPin(pin) ? [[key, pin]] : []
    })
    table.set(server, new Map(entries))
  }
  return table
}

function isPin(value: unknown): value is Pin {
  if (!isObject(value) || typeof value.present !== 'boolean') return false
  const { approved, pending, since } = value
  if (since !== undefined && typeof since !== 'number') return false
  return (approved === undefined || isMeaning(approved)) && (pending === undefined || isMeaning(pending))
}

function isMeaning(value: unknown): boolean {
  return isObject(value) && typeof value.fingerprint === 'string' && isObject(value.meaning)
}
