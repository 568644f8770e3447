/**
 * The file of a Unix socket: made so that only its owner can connect, put in place without taking it from a server
 * that is running, and removed by nobody but the one that made it. `socket.ts` listens with it. Node only.
 */

import { chmodSync, linkSync, lstatSync, mkdtempSync, renameSync, rmSync, type Stats, unlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { PorticoError } from '../../jsonrpc/errors.ts'

const OWNER_ONLY = 0o600
/** The field for it in the system's address, less its end. */
const MAX_PATH = process.platform === 'darwin' ? 103 : 107

export interface SocketPath {
  /** Where to listen. Not yet where clients look. */
  readonly draft: string
  /** Lets clients in, once the draft is listened on. */
  publish(): void
  /** Removes the file if it is still the one that was published. */
  remove(): void
}

/** Throws where something is in the way that may not be removed. */
export async function claimSocketPath(path: string): Promise<SocketPath> {
  // Named pipes are no files: the system guards and removes them.
  if (process.platform === 'win32') return { draft: path, publish() {}, remove() {} }
  // A longer one could be made, but not connected to.
  if (Buffer.byteLength(path) > MAX_PATH) throw inTheWay(path, `a socket's path has at most ${MAX_PATH} bytes`)
  await removeStale(path)
  // A file in a folder that others cannot enter never has the wrong mode in their sight. Short, as such paths must be.
  const folder = mkdtempSync(join(dirname(path), '.s-'))
  const draft = join(folder, 's')
  let published: Stats | undefined
  return {
    draft,
    publish() {
      try {
        chmodSync(draft, OWNER_ONLY)
        place(draft, path)
        published = lstatSync(path)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
    remove() {
      rmSync(folder, { recursive: true, force: true })
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (published !== undefined && found !== undefined && isSame(found, published)) unlinkSync(path)
    },
  }
}

/** A link, unlike a move, fails where another server was quicker. Not every file system has links. */
function place(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') throw inTheWay(path, 'another server listens there', cause)
    renameSync(draft, path)
  }
}

async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) throw inTheWay(path, 'the file there is no socket')
  const code = await knock(path)
  if (code === undefined) throw inTheWay(path, 'another server listens there')
  if (code === 'ENOENT') return
  if (code !== 'ECONNREFUSED') throw inTheWay(path, `the socket there cannot be tried (${code})`)
  const now = lstatSync(path, { throwIfNoEntry: false })
  if (now !== undefined && isSame(now, found)) unlinkSync(path)
}

/** Why nobody answers at the socket; undefined when somebody does. */
function knock(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(undefined)
    })
    socket.once('error', (error) => resolve(codeOf(error) ?? 'unknown'))
  })
}

function isSame(one: Stats, other: Stats): boolean {
  // The number of a file that was removed is soon given to another; its times tell the two apart.
  return one.ino === other.ino && one.dev === other.dev && one.birthtimeMs === other.birthtimeMs
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function inTheWay(path: string, why: string, cause?: unknown): PorticoError {
  return new PorticoError('connect-failed', `Cannot listen on ${path}: ${why}`, { cause })
}
