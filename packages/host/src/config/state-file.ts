/**
 * One small file of state, as the stores of this folder keep it: read and written whole, for its owner alone, replaced
 * in one step, changed by one process at a time. What cannot be read is set aside with a warning, and the store begins anew.
 */

import { randomUUID } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { createFileTokenStore } from '@portico/sdk/auth-node'
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
  const prepare = () => mkdir(folder, { recursive: true, mode: 0o700 })
  // The token store's lock works between processes; nothing is kept in it.
  const lock = createFileTokenStore({ folder, key: new Uint8Array(32) })
  return {
    get: () => readState(shape),
    async update(change) {
      await prepare()
      return lock.withLock(`state ${basename(file)}`, async () => {
        const next = change(await readState(shape))
        await replaceFile(file, await shape.write(next), 0o600)
        return next
      })
    },
  }
}

/** Whoever reads meanwhile gets the old content or the new, whole. */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const draft = `${file}.${randomUUID()}.tmp`
  await writeFile(draft, text, { mode, flag: 'wx' })
  await rename(draft, file)
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
  if (!(error instanceof Error) || !('code' in error)) return false
  return ['EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EISDIR', 'EIO', 'secret-missing'].includes(String(error.code))
}
