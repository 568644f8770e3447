/**
 * Changes on disk, each in one step that happens whole or not at all: a file is written beside its place and renamed into
 * it, nothing is overwritten unless it is what was read, and nothing is ever deleted.
 */

import { randomBytes } from 'node:crypto'
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  fsync,
  linkSync,
  open,
  unlinkSync,
  writeFile,
  writeFileSync,
} from 'node:fs'
import { chmod, link, lstat, mkdir, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ToolError } from '@portico/sdk/server'
import { refusedName } from '../machine/path-text.ts'
import { toPathError, withDirectory, withFile } from './anchor.ts'
import { PathError, type Reached } from './confine.ts'
import { readBytes } from './read.ts'
import { TRASH } from './walk.ts'

/** A file as it was read, so that a later write can tell whether it is still that. */
export interface Snapshot {
  readonly bytes: Buffer
  readonly stats: BigIntStats
}

export function takeSnapshot(path: string, maxBytes: number): Promise<Snapshot> {
  return withFile(path, async (file) => {
    const stats = fstatSync(file.descriptor, { bigint: true })
    if (stats.size > BigInt(maxBytes)) {
      throw new ToolError(`${path} has ${stats.size} bytes; the option "maxWriteBytes" allows ${maxBytes}`)
    }
    return { bytes: await readBytes(file, 0, Number(stats.size)), stats }
  })
}

/** Makes a new file; fails when there is something already. */
export async function createFile(reached: Reached, bytes: Uint8Array): Promise<void> {
  checkName(reached.path)
  await inFolderOf(reached.path, async (base, name) => {
    await withTemporary(base, { bytes, mode: 0o666, replaces: false }, (temporary) => {
      const path = join(base, name)
      return linkAtOnce(temporary, path) ? undefined : moveUnlessTaken(temporary, path)
    })
  })
}

/** Replaces a file that is still what the snapshot shows; its mode stays. */
export async function replaceFile(reached: Reached, bytes: Uint8Array, snapshot: Snapshot): Promise<void> {
  await inFolderOf(reached.path, async (base, name) => {
    const mode = Number(snapshot.stats.mode & 0o777n)
    await withTemporary(base, { bytes, mode, replaces: true }, async (temporary) => {
      const now = await lstat(join(base, name), { bigint: true })
      if (!now.isFile() || !isSame(now, snapshot.stats)) {
        throw changedMeanwhile(reached)
      }
      await rename(temporary, join(base, name))
    })
  })
}

interface Replaced {
  readonly reached: Reached
  readonly bytes: Uint8Array
  readonly snapshot: Snapshot
}

/**
 * Replaces several files: all are looked at before the first is written, and where one cannot be written those before it are put
 * back. What somebody changed in between is theirs, and is said to be left.
 */
export async function replaceFiles(changes: readonly Replaced[]): Promise<void> {
  for (const { reached, snapshot } of changes) await requireSame(reached, snapshot)
  const written: Replaced[] = []
  for (const change of changes) {
    try {
      await replaceFile(change.reached, change.bytes, change.snapshot)
      written.push(change)
    } catch (error) {
      const left = await putBack(written)
      if (left.length === 0) throw error
      const reason = error instanceof Error ? error.message : String(error)
      const message = `${change.reached.path} was not written (${reason}). Written before that, and still so: ${left.join(', ')}`
      throw new ToolError(message, { cause: error })
    }
  }
}

/** The paths of the files that could not be put back. */
async function putBack(written: readonly Replaced[]): Promise<string[]> {
  const left: string[] = []
  for (const { reached, bytes, snapshot } of written) {
    try {
      const now = await takeSnapshot(reached.path, bytes.length)
      if (!now.bytes.equals(bytes)) throw new ToolError('changed')
      await replaceFile(reached, snapshot.bytes, now)
    } catch {
      left.push(reached.path)
    }
  }
  return left
}

async function requireSame(reached: Reached, { bytes, stats }: Snapshot): Promise<void> {
  const now = await takeSnapshot(reached.path, Number.MAX_SAFE_INTEGER).catch(() => undefined)
  if (now === undefined || !isSame(now.stats, stats) || !now.bytes.equals(bytes)) throw changedMeanwhile(reached)
}

function changedMeanwhile({ path }: Reached): ToolError {
  return new ToolError(`${path} was changed by somebody else meanwhile. Read it again; nothing was written`)
}

/** Makes a folder and those above it that are missing. False when it was there. */
export async function createFolder(reached: Reached): Promise<boolean> {
  const missing = reached.relative === '' ? [] : reached.relative.split('/')
  let folder = reached.directory.real
  let made = false
  for (const name of missing) {
    const path = join(folder, name)
    checkName(path)
    const isNew = await withDirectory(folder, (base) =>
      mkdir(join(base, name)).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
          throw toPathError(error, path)
        },
      ),
    )
    made ||= isNew
    folder = path
  }
  // The last one may have been there as a file: then it cannot be opened as a folder.
  await withDirectory(folder, async () => {})
  return made
}

/** Moves a file, folder or link to a place where nothing is. */
export async function moveEntry(from: Reached, to: Reached): Promise<void> {
  checkName(to.path)
  await inFolderOf(from.path, (source, oldName) =>
    inFolderOf(to.path, (target, newName) => moveUnlessTaken(join(source, oldName), join(target, newName))),
  )
}

/** Moves an entry into a fresh folder of the trash; returns where it is now. */
export async function trashEntry(reached: Reached, trash: string | undefined): Promise<string> {
  const bin = trash ?? join(reached.directory.real, TRASH)
  if (trash === undefined) {
    await withDirectory(reached.directory.real, (base) =>
      mkdir(join(base, TRASH), { mode: 0o700 }).catch(ignoreExisting),
    )
  }
  const stamp = `${new Date().toISOString().replace(/[:.]/g, '-')}-${randomBytes(4).toString('hex')}`
  const name = basename(reached.path)
  await withDirectory(bin, async (base) => {
    await mkdir(join(base, stamp), { mode: 0o700 })
    try {
      await inFolderOf(reached.path, (source) => rename(join(source, name), join(base, stamp, name)))
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
      throw new ToolError(
        `The trash is on another disk than ${reached.path}: set the option "trash" to a folder on the same`,
      )
    }
  })
  return join(bin, stamp, name)
}

async function inFolderOf<T>(path: string, work: (base: string, name: string) => Promise<T>): Promise<T> {
  return withDirectory(dirname(path), (base) =>
    work(base, basename(path)).catch((error: unknown) => {
      throw toPathError(error, path)
    }),
  )
}

interface NewBytes {
  readonly bytes: Uint8Array
  readonly mode: number
  /** What was there before is given up for them, so they are on the disk first: that is most of the time a write takes. */
  readonly replaces: boolean
}

async function withTemporary(
  base: string,
  { bytes, mode, replaces }: NewBytes,
  place: (temporary: string) => Promise<void> | undefined,
): Promise<void> {
  const temporary = join(base, `.portico-${randomBytes(8).toString('hex')}.tmp`)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
  const descriptor = await openDescriptor(temporary, flags, mode)
  try {
    try {
      // What goes no further than the system's memory is not worth a turn of another thread.
      if (bytes.length <= SMALL && !replaces) writeFileSync(descriptor, bytes)
      else await writeWhole(descriptor, bytes)
      if (replaces) await sync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    // What the process's mask took away from an existing file's mode is given back.
    if (mode !== 0o666) await chmod(temporary, mode)
    await place(temporary)
  } catch (error) {
    await unlink(temporary).catch(() => {})
    throw error
  }
}

const SMALL = 64 * 1024
const openDescriptor = promisify(open)
const writeWhole = promisify(writeFile)
const sync = promisify(fsync)

/** Another name for a file that was just made, in a folder that the system has at hand; false where there are no such names. */
function linkAtOnce(from: string, to: string): boolean {
  try {
    linkSync(from, to)
  } catch (error) {
    if (isWithoutLinks(error)) return false
    throw error
  }
  unlinkSync(from)
  return true
}

/** Some disks have no second names. */
function isWithoutLinks(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS' || code === 'EMLINK'
}

/** A second name for a file fails where something is, which renaming does not; the first name then goes. */
async function moveUnlessTaken(from: string, to: string): Promise<void> {
  if ((await lstat(from)).isFile()) {
    try {
      await link(from, to)
      await unlink(from)
      return
    } catch (error) {
      // There, looking first has to do.
      if (!isWithoutLinks(error)) throw error
    }
  }
  const taken = await lstat(to).catch(() => undefined)
  if (taken !== undefined) throw Object.assign(new Error('taken'), { code: 'EEXIST' })
  await rename(from, to)
}

function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs
}

function checkName(path: string): void {
  const refused = refusedName(basename(path))
  if (refused !== undefined) throw new PathError('malformed', `The new name ${refused}. Choose another`)
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
}
