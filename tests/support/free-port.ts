/**
 * A port of this machine that was free a moment ago, for programs that must be told theirs. It is none of those that systems
 * give to connections going out (from 32768 on Linux, 49152 elsewhere), which another process may get in between, and none
 * that another test of this machine was given within the hour: each is marked by a file.
 */

import { randomInt } from 'node:crypto'
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

const HOUR_MS = 3_600_000

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(16_000, 32_000)
    if (mark(port) && (await isFree(port))) return port
  }
  throw new Error('no port between 16000 and 32000 is free')
}

/** Whether nobody else was given the port within the hour. */
function mark(port: number): boolean {
  const folder = join(tmpdir(), `ports-of-tests-${userInfo().username}`)
  const file = join(folder, String(port))
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(file, '', { flag: 'wx' })
    return true
  } catch {
    const old = Date.now() - statSync(file).mtimeMs > HOUR_MS
    if (old) utimesSync(file, new Date(), new Date())
    return old
  }
}

async function isFree(port: number): Promise<boolean> {
  const socket = createServer()
  return await new Promise((resolve) => {
    socket.once('error', () => resolve(false))
    socket.listen(port, '127.0.0.1', () => socket.close(() => resolve(true)))
  })
}
