/**
 * A program that keeps three things in a store, and is killed at one of the points at which it changes the disk: `<store> <folder>
 * <point>`. Within a write, the first half of it reaches the disk. It says what is kept, and at the end how many points there were.
 */

/**
 * A program that keeps three things in a store, and is killed at one of the points at which it changes the disk: `<store> <folder>
 * <point>`. Within a write, the first half of it reaches the disk. It says what is kept, and at the end how many points there were.
 */

import fs, { constants } from 'node:fs'
import promises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { openStore, STORES } from './killed-stores.ts'

const [name = '', folder = '', at = '0'] = process.argv.slice(2)
let points = 0

/** One point; `torn` is what reaches the disk if it is the last. */
function point(torn?: () => void): void {
  if (++points !== Number(at)) return
  torn?.()
  process.kill(process.pid, 'SIGKILL')
}

const { open, rename } = promises
const { writeSync, renameSync } = fs

promises.open = async (path, flags, mode) => {
  const handle = await open(path, flags, mode)
  const writes = typeof flags === 'number' ? (flags & (constants.O_WRONLY | constants.O_RDWR)) !== 0 : flags !== 'r'
  if (writes && String(path).startsWith(folder)) watch(handle)
  return handle
}
promises.rename = async (from, to) => {
  point()
  await rename(from, to)
  point()
}
fs.renameSync = (from, to) => {
  point()
  renameSync(from, to)
  point()
}
// The form of it that stores use.
fs.writeSync = writeHalf as typeof fs.writeSync
syncBuiltinESMExports()

type Span = readonly [from?: number, length?: number, place?: number]

function writeHalf(descriptor: number, bytes: Uint8Array, ...[from = 0, length, place]: Span): number {
  const count = length ?? bytes.length - from
  point(() => writeSync(descriptor, bytes, from, Math.floor(count / 2), place ?? null))
  return writeSync(descriptor, bytes, from, count, place ?? null)
}

function watch(handle: FileHandle): void {
  const { writeFile, datasync } = handle
  handle.writeFile = async (data, options) => {
    const bytes = Buffer.from(data as string | Uint8Array)
    point(() => fs.writeSync(handle.fd, bytes.subarray(0, Math.floor(bytes.length / 2))))
    return writeFile.call(handle, bytes, options)
  }
  handle.datasync = async () => {
    point()
    return datasync.call(handle)
  }
}

const store = await openStore(STORES[name], folder)
for (const one of [1, 2, 3]) {
  await store.write(one)
  console.log(`kept ${one}`)
}
await store.close()
console.log(`points ${points}`)
