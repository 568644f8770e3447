/**
 * One small file of state, as the stores of this folder keep it: read and written whole, for its owner alone, replaced
 * in one step, changed by one process at a time. What cannot be read is set aside with a warning, and the store begins anew.
 */

import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { createFileTokenStore } from '@portico/sdk/auth-node'
import { HostError, isOfSystem, remedyOf } from '../errors.ts'
import { callListener } from './call-listener.ts'
import { readRegular } from './read-regular.ts'
import type { SharedPlace, StatePlace } from './shared-place.ts'

export interface StateFileOptions {
  readonly file: string
  /** Is told when a file was set aside. Emits a process warning unless given. */
  readonly onWarning?: (message: string) => void
}

interface StateShape<T> extends Omit<StateFileOptions, 'file'> {
  readonly file: StatePlace
  readonly empty: T
  /** May throw: the file is then damaged. */
  readonly read: (text: string) => T | Promise<T>
  readonly write: (value: T) => string | Promise<string>
  /** What is larger counts as damaged. 8 MiB unless given. */
  readonly maxBytes?: number
}

export interface StateFile<T> {
  get(): Promise<T>
  /** Changes what is there at that moment, other processes' changes included. */
  update(change: (value: T) => T): Promise<T>
}

type FileShape<T> = StateShape<T> & { readonly file: string }

export function createStateFile<T>(shape: StateShape<T>): StateFile<T> {
  const { file } = shape
  return typeof file === 'string' ? createOwnFile({ ...shape, file }) : createShared(shape, file)
}

/** What is not as it should be in a shared text is for a person to look at: nothing is set aside, nothing begun anew. */
function createShared<T>({ empty, read, write }: StateShape<T>, place: SharedPlace): StateFile<T> {
  const parse = async (text: string | undefined): Promise<T> => (text === undefined ? empty : read(text))
  return {
    get: async () => parse(await place.get()),
    async update(change) {
      let next = empty
      await place.update(async (text) => {
        next = change(await parse(text))
        return write(next)
      })
      return next
    },
  }
}

function createOwnFile<T>(shape: FileShape<T>): StateFile<T> {
  const { file } = shape
  const folder = dirname(file)
  // The token store's lock works between processes; nothing is kept in it.
  const lock = createFileTokenStore({ folder, key: new Uint8Array(32) })
  let isSwept = false
  const change = async (make: (value: T) => T): Promise<T> => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return lock.withLock(`state ${basename(file)}`, async () => {
      // Whoever holds the lock is the only one to write: all others are drafts of processes that were killed.
      if (!isSwept) await removeDrafts(file)
      isSwept = true
      const next = make(await readState(shape))
      await replaceFile(file, await shape.write(next), 0o600)
      return next
    })
  }
  return {
    get: () => readState(shape),
    update: (make) => underWay(folder, change(make)).catch((error) => Promise.reject(toStateError(file, error))),
  }
}

const changes = new Map<string, Set<Promise<unknown>>>()

function underWay<T>(path: string, change: Promise<T>): Promise<T> {
  const folder = resolve(path)
  const open = changes.get(folder) ?? new Set()
  changes.set(folder, open)
  open.add(change)
  const end = (): void => {
    open.delete(change)
    if (open.size === 0) changes.delete(folder)
  }
  change.then(end, end)
  return change
}

/** Resolves once nothing in this process changes a state file of the folder. */
export async function settleState(path: string): Promise<void> {
  const folder = resolve(path)
  for (let open = changes.get(folder); open !== undefined; open = changes.get(folder)) await Promise.allSettled(open)
}

/** Whoever reads meanwhile gets the old content or the new, whole; also after a power cut. */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const draft = `${file}.${randomUUID()}${DRAFT}`
  try {
    const handle = await open(draft, 'wx', mode)
    try {
      await handle.writeFile(text)
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}

const DRAFT = '.tmp'

async function removeDrafts(file: string): Promise<void> {
  const [folder, name] = [dirname(file), basename(file)]
  const isDraft = (entry: string): boolean => entry.startsWith(`${name}.`) && entry.endsWith(DRAFT)
  const drafts = (await readdir(folder)).filter(isDraft)
  await Promise.all(drafts.map((draft) => rm(join(folder, draft), { force: true })))
}

function toStateError(file: string, error: unknown): unknown {
  if (!isOfSystem(error)) return error
  const why = remedyOf(error) ?? error.message
  const message = `${file} cannot be written: ${why}. What it held is as it was, and the next change tries again`
  return new HostError('state-unwritable', message, { cause: error, data: { file } })
}

/** The text of a file, whatever it is called: nothing that has no end, and nothing larger than is sensible. */
export async function readBounded(file: string, maxBytes: number): Promise<string> {
  return (await readRegular(file, maxBytes)).toString('utf8')
}

const MAX_BYTES = 8 * 1_048_576

async function readState<T>(shape: FileShape<T>): Promise<T> {
  const { file, empty, read, maxBytes = MAX_BYTES, onWarning = emitWarning } = shape
  try {
    return await read(await readBounded(file, maxBytes))
  } catch (error) {
    if (isAbsent(error)) return empty
    if (isRefused(error)) throw error
    const aside = `${file}.damaged-${Date.now()}`
    await rename(file, aside).catch(() => {})
    callListener(
      onWarning,
      `${file} could not be read and was set aside as ${aside}; what it held has to be entered again`,
    )
    return empty
  }
}

function emitWarning(message: string): void {
  process.emitWarning(message, { code: 'PORTICO_STATE_DAMAGED' })
}

export function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

/** The system said no, or the key is missing: the file itself may be well. */
function isRefused(error: unknown): boolean {
  return isOfSystem(error) || (error instanceof Error && 'code' in error && error.code === 'secret-missing')
}
