/**
 * Opens what `confine.ts` found and makes sure that it is what was judged: between the two, somebody may have put a link
 * in its place. On Linux a folder is held open and used through its descriptor, so that nothing can be swapped
 * underneath; elsewhere its identity is compared before and after.
 */

import { closeSync, constants, existsSync, fstatSync, open as openDescriptor, openSync, readlinkSync } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { promisify } from 'node:util'
import { ToolError } from '@portico/sdk/server'
import { PathError } from './confine.ts'

const DESCRIPTORS = '/proc/self/fd'
const hasDescriptors = process.platform === 'linux' && existsSync(DESCRIPTORS)

/** Absent on Windows, where links need a privilege to make. */
const NOFOLLOW = constants.O_NOFOLLOW ?? 0
const NONBLOCK = constants.O_NONBLOCK ?? 0
const DIRECTORY = constants.O_DIRECTORY ?? 0
const AS_FOLDER = constants.O_RDONLY | NOFOLLOW | DIRECTORY

export interface OpenFile {
  readonly descriptor: number
  /** Bytes, when it was opened. */
  readonly size: number
}

const open = promisify(openDescriptor)

/**
 * Works with a regular file, opened for reading. Pipes and devices are refused rather than waited for. What needs no disk
 * (what the system knows of an open file, closing one that was only read) is not worth a turn of another thread.
 */
export async function withFile<T>(path: string, work: (file: OpenFile) => Promise<T>): Promise<T> {
  const descriptor = await open(path, constants.O_RDONLY | NOFOLLOW | NONBLOCK).catch((error: unknown) =>
    fail(error, path),
  )
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw notAFile(path, stats.isDirectory())
    await verify(descriptor, path)
    return await work({ descriptor, size: stats.size })
  } finally {
    closeSync(descriptor)
  }
}

type InFolder<T> = (base: string) => Promise<T>

/** Works inside a folder under a name that cannot come to mean another folder. */
export async function withDirectory<T>(path: string, work: InFolder<T>): Promise<T> {
  if (!hasDescriptors) return withIdentity(path, work)
  return inOpened(await open(path, AS_FOLDER).catch((error: unknown) => fail(error, path)), path, work)
}

/**
 * The same for a folder that the system has just looked up: opening it then needs no disk, and is not worth a turn of
 * another thread.
 */
export async function withFoundDirectory<T>(path: string, work: InFolder<T>): Promise<T> {
  if (!hasDescriptors) return withIdentity(path, work)
  return inOpened(openNow(path), path, work)
}

function openNow(path: string): number {
  try {
    return openSync(path, AS_FOLDER)
  } catch (error) {
    return fail(error, path)
  }
}

async function inOpened<T>(descriptor: number, path: string, work: InFolder<T>): Promise<T> {
  try {
    await verify(descriptor, path)
    return await work(`${DESCRIPTORS}/${descriptor}`)
  } finally {
    closeSync(descriptor)
  }
}

function fail(error: unknown, path: string): never {
  throw toPathError(error, path)
}

/** The plain words for an error of the file system. */
export function toPathError(error: unknown, path: string): unknown {
  if (error instanceof ToolError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new PathError('absent', `There is no ${path}, or it is not of the right kind`)
    case 'EISDIR':
      return new PathError('absent', `${path} is a directory: use list_directory`)
    case 'ELOOP':
    case 'EMLINK':
      return replaced(path)
    case 'EACCES':
    case 'EPERM':
      return new PathError('denied', `The operating system does not allow this for ${path}`)
    case 'EEXIST':
    case 'ENOTEMPTY':
      return new ToolError(`${path} exists already. Choose another name, or trash the old one first`)
    case 'ENOSPC':
    case 'EDQUOT':
      return new ToolError(`There is no room left on the disk of ${path}`)
    case 'ESTALE':
    case 'EIO':
    case 'EBADF':
      return new ToolError(`${path} changed while it was being read, or its disk fails (${code}). Try again`)
    default:
      return error
  }
}

function notAFile(path: string, isDirectory: boolean): PathError {
  const words = isDirectory
    ? 'is a directory: use list_directory'
    : 'is not a file and no directory either: it is not opened'
  return new PathError('absent', `${path} ${words}`)
}

async function verify(descriptor: number, path: string): Promise<void> {
  if (hasDescriptors) {
    // Asks the system's own table, never a disk.
    const actual = readlinkSync(`${DESCRIPTORS}/${descriptor}`)
    if (actual !== path && actual !== `${path} (deleted)`) throw replaced(path)
    return
  }
  const opened = fstatSync(descriptor, { bigint: true })
  const [found, real] = await Promise.all([identify(path), realpath(path)])
  if (real !== path || found !== `${opened.dev} ${opened.ino}`) throw replaced(path)
}

async function withIdentity<T>(path: string, work: InFolder<T>): Promise<T> {
  const before = await identify(path)
  if ((await realpath(path)) !== path) throw replaced(path)
  const done = await work(path)
  if ((await realpath(path)) !== path || (await identify(path)) !== before) throw replaced(path)
  return done
}

async function identify(path: string): Promise<string> {
  const { dev, ino } = await lstat(path, { bigint: true }).catch((error: unknown) => fail(error, path))
  return `${dev} ${ino}`
}

function replaced(path: string): PathError {
  return new PathError('outside', `${path} was replaced while it was being opened. Try again`)
}
