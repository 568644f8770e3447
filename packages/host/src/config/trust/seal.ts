/**
 * State that only the holder of a key can read or write (AES-256-GCM): the text of one file, under a key from the
 * system's keyring or from a key file beside it. What keeps such a file decides what the text says.
 */

import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HostError, remedyOf } from '../../errors.ts'
import { callListener } from '../call-listener.ts'

interface SealOptions {
  /** The file whose text it is; the key file is beside it. */
  readonly file: string
  /** 32 bytes, or how to get them; a key file beside the file unless given. */
  readonly key?: Uint8Array | (() => Promise<Uint8Array>)
  /** Begins every sealed text, and is sealed with it: one kind of file does not pass for another. */
  readonly mark: string
  /** Is told when a key file was set aside. Emits a process warning unless given. */
  readonly onWarning?: ((message: string) => void) | undefined
}

interface Seal {
  close(text: string): Promise<string>
  /** Rejects what was altered or sealed with another key. */
  open(sealed: string): Promise<string>
}

export function createSeal({ file, key, mark, onWarning = emitWarning }: SealOptions): Seal {
  let kept: Promise<Uint8Array> | undefined
  const getKey = () => {
    kept ??= openKey(file, key, onWarning).catch((error: unknown) => {
      // A keyring that is locked, or a disk that fails, may be in order at the next call.
      kept = undefined
      throw error
    })
    return kept
  }
  const context = Buffer.from(mark)
  return {
    async close(text) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', await getKey(), nonce).setAAD(context)
      const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return mark + Buffer.concat(sealed).toString('base64')
    },
    async open(sealed) {
      const bytes = Buffer.from(sealed.slice(mark.length), 'base64')
      if (!sealed.startsWith(mark) || bytes.length < NONCE + TAG) throw new Error('not sealed by us')
      const decipher = createDecipheriv('aes-256-gcm', await getKey(), bytes.subarray(0, NONCE), { authTagLength: TAG })
        .setAAD(context)
        .setAuthTag(bytes.subarray(-TAG))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]).toString('utf8')
    },
  }
}

const NONCE = 12
const TAG = 16

/** A key that is not to be had is no reason to think the file damaged: the error says so by its code. */
async function openKey(
  file: string,
  key: SealOptions['key'],
  onWarning: (message: string) => void,
): Promise<Uint8Array> {
  const path = `${file}.key`
  let bytes: Uint8Array
  try {
    bytes = typeof key === 'function' ? await key() : (key ?? (await readOrMakeKey(path, onWarning)))
  } catch (cause) {
    const why = remedyOf(cause) ?? (cause instanceof Error ? cause.message : String(cause))
    const whose = key === undefined ? `The key ${path}` : `The key of ${file}`
    throw new HostError('secret-missing', `${whose} cannot be had: ${why}`, { cause })
  }
  if (bytes.length !== KEY) {
    throw new HostError('secret-missing', `The key of ${file} must be ${KEY} bytes, and has ${bytes.length}`)
  }
  return bytes
}

const KEY = 32

/** Made once: of several processes that begin at the same time, one makes the key and all use it. */
async function readOrMakeKey(path: string, onWarning: (message: string) => void): Promise<Uint8Array> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  let found = await readKey(path)
  // A power cut may leave a file without all of its bytes: what was sealed with them cannot be opened any more.
  if (found !== undefined && found.length !== KEY) {
    const aside = await setAside(path)
    if (aside !== undefined) {
      const words = `${path} has ${found.length} bytes in place of ${KEY}, and was set aside as ${aside}`
      callListener(onWarning, `${words}; a new key was made, and what the old one sealed has to be entered again`)
    }
    found = await readKey(path)
  }
  if (found === undefined) {
    const draft = `${path}.${randomUUID()}`
    try {
      await writeFile(draft, randomBytes(KEY), { mode: 0o600, flag: 'wx', flush: true })
      await link(draft, path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
    } finally {
      await rm(draft, { force: true })
    }
  }
  await chmod(path, 0o600)
  return found ?? readFile(path)
}

/** What cannot be read for now is there all the same: a key that is made in its place would open nothing. */
async function readKey(path: string): Promise<Uint8Array | undefined> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}

/** Of several that find the same, one moves it; a whole key that was made meanwhile goes back to its place. */
async function setAside(path: string): Promise<string | undefined> {
  const aside = `${path}.damaged-${Date.now()}-${randomUUID().slice(0, 8)}`
  const isMoved = await rename(path, aside).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return false
    },
  )
  if (!isMoved) return undefined
  if ((await readFile(aside)).length !== KEY) return aside
  await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
  return undefined
}

function emitWarning(message: string): void {
  process.emitWarning(message, { code: 'PORTICO_STATE_DAMAGED' })
}
