/**
 * Keeps credentials in a folder, encrypted: one file for each record under a name that tells nothing, AES-256-GCM with
 * the record's key bound in, and the encryption key in a file that only its owner can read (sec-81). Processes that
 * share the folder share the lock. Node only.
 */

import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  chmod,
  type FileHandle,
  link,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  stat,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { PorticoError } from '../../jsonrpc/errors.ts'
import { createMutex, type TokenStore } from './token-store.ts'

/** Where tokens are kept on disk. */
export interface FileTokenStoreOptions {
  /** The folder that holds the files. Made if it is not there, for its owner alone. */
  readonly folder: string
  /**
   * The 32 bytes that files are encrypted with, from the system's keyring for instance. Without it, a key is made and
   * kept in a file of the folder.
   */
  readonly key?: Uint8Array
  /** How long a lock holds without a sign of life. 10 seconds unless given. */
  readonly staleMs?: number
}

/**
 * Keeps tokens in a folder, encrypted, in files that only this user can read. Processes that use the same folder share
 * them.
 *
 * @example
 * ```ts
 * import { createFileTokenStore } from '@portico/sdk/auth-node'
 * import { homedir } from 'node:os'
 * import { join } from 'node:path'
 *
 * const store = createFileTokenStore({ folder: join(homedir(), '.my-program', 'tokens') })
 * ```
 */
export function createFileTokenStore(options: FileTokenStoreOptions): TokenStore {
  return new FileTokenStore(options)
}

class FileTokenStore implements TokenStore {
  readonly #folder: string
  readonly #staleMs: number
  readonly #mutex = createMutex()
  readonly #given: Uint8Array | undefined
  #key: Promise<Uint8Array> | undefined

  constructor({ folder, key, staleMs = 10_000 }: FileTokenStoreOptions) {
    if (key !== undefined && key.length !== 32) throw new PorticoError('invalid-arguments', 'The key must be 32 bytes')
    this.#folder = folder
    this.#given = key
    this.#staleMs = staleMs
  }

  async get(key: string): Promise<string | undefined> {
    const secret = await this.#secret()
    const sealed = await readFile(this.#path(key)).catch(absent)
    return sealed === undefined ? undefined : unseal(sealed, secret, key)
  }

  async set(key: string, value: string): Promise<void> {
    const secret = await this.#secret()
    const path = this.#path(key)
    const draft = `${path}.${randomUUID()}`
    // Whoever reads meanwhile gets the old record or the new one, whole.
    try {
      await writeFile(draft, seal(value, secret, key), { mode: 0o600, flag: 'wx' })
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  async delete(key: string): Promise<void> {
    await rm(this.#path(key), { force: true })
  }

  withLock<T>(key: string, action: () => Promise<T>): Promise<T> {
    return this.#mutex(key, async () => {
      await this.#secret()
      const path = `${this.#path(key)}.lock`
      const owner = await this.#acquire(path)
      const alive = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => {}), this.#staleMs / 4)
      try {
        return await action()
      } finally {
        clearInterval(alive)
        await release(path, owner)
      }
    })
  }

  #path(key: string): string {
    return join(this.#folder, createHash('sha256').update(key).digest('hex'))
  }

  #secret(): Promise<Uint8Array> {
    this.#key ??= this.#prepare().catch((error: unknown) => {
      // A disk that is full or read only now may be in order at the next call.
      this.#key = undefined
      throw error
    })
    return this.#key
  }

  async #prepare(): Promise<Uint8Array> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    return this.#given ?? readOrMakeKey(join(this.#folder, 'key'))
  }

  async #acquire(path: string): Promise<string> {
    const owner = randomUUID()
    const until = performance.now() + LOCK_WAIT_MS
    for (;;) {
      const made = await open(path, 'wx', 0o600).catch(taken)
      if (made !== undefined) {
        await sign(made, owner).catch(async (error: unknown) => {
          // A lock that names nobody would keep everybody waiting until it counts as left behind.
          await rm(path, { force: true }).catch(() => {})
          throw error
        })
        return owner
      }
      await this.#breakStale(path)
      if (performance.now() > until) throw new PorticoError('timeout', 'The token store is locked by another process')
      await pause(20 + Math.random() * 30)
    }
  }

  /** A lock without a sign of life belonged to a process that died. Renaming lets only one of several break it. */
  async #breakStale(path: string): Promise<void> {
    const found = await stat(path).catch(absent)
    if (found === undefined || Date.now() - found.mtimeMs < this.#staleMs) return
    const aside = `${path}.${randomUUID()}`
    const moved = await rename(path, aside).then(
      () => true,
      () => false,
    )
    if (!moved) return
    const stolen = await stat(aside).catch(absent)
    // Between the look and the move it may have been made anew: then it goes back to its owner.
    if (stolen !== undefined && stolen.mtimeMs !== found.mtimeMs) await link(aside, path).catch(() => {})
    await rm(aside, { force: true })
  }
}

const LOCK_WAIT_MS = 600_000

async function sign(made: FileHandle, owner: string): Promise<void> {
  try {
    await made.writeFile(owner)
  } finally {
    await made.close()
  }
}

async function release(path: string, owner: string): Promise<void> {
  const holder = await readFile(path, 'utf8').catch(absent)
  if (holder === owner) await unlink(path).catch(() => {})
}

/** Made once: of several processes that begin at the same time, one makes the key and all use it. */
async function readOrMakeKey(path: string): Promise<Uint8Array> {
  const draft = `${path}.${randomUUID()}`
  try {
    await writeFile(draft, randomBytes(32), { mode: 0o600, flag: 'wx', flush: true })
    await link(draft, path).catch(taken)
  } finally {
    await rm(draft, { force: true })
  }
  // A key file that others could read is put right, though what they have read stays read.
  await chmod(path, 0o600)
  const key = await readFile(path)
  if (key.length !== 32) {
    const message = `The key of the token store, ${path}, is damaged: it has ${key.length} bytes in place of 32`
    throw new PorticoError('invalid-arguments', `${message}. Remove it; everybody then signs in again`)
  }
  return key
}

function seal(value: string, secret: Uint8Array, key: string): Uint8Array {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', secret, nonce).setAAD(new TextEncoder().encode(key))
  return Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** A record that was altered, moved from another name or sealed with another key counts as absent. */
function unseal(sealed: Uint8Array, secret: Uint8Array, key: string): string | undefined {
  if (sealed.length < 28) return undefined
  try {
    const decipher = createDecipheriv('aes-256-gcm', secret, sealed.subarray(0, 12))
      .setAAD(new TextEncoder().encode(key))
      .setAuthTag(sealed.subarray(-16))
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}

function taken(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error
  return undefined
}
