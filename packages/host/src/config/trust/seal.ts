/**
 * State that only the holder of a key can read or write (AES-256-GCM): the text of one file, under a key from the
 * system's keyring or from a key file beside it. What keeps such a file decides what the text says.
 */

import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { HostError } from '../../errors.ts'

interface SealOptions {
  /** The file whose text it is; the key file is beside it. */
  readonly file: string
  /** 32 bytes, or how to get them; a key file beside the file unless given. */
  readonly key?: Uint8Array | (() => Promise<Uint8Array>)
  /** Begins every sealed text, and is sealed with it: one kind of file does not pass for another. */
  readonly mark: string
}

interface Seal {
  close(text: string): Promise<string>
  /** Rejects what was altered or sealed with another key. */
  open(sealed: string): Promise<string>
}

export function createSeal({ file, key, mark }: SealOptions): Seal {
  let kept: Promise<Uint8Array> | undefined
  const getKey = () => {
    kept ??= openKey(file, key).catch((error: unknown) => {
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
async function openKey(file: string, key: SealOptions['key']): Promise<Uint8Array> {
  let bytes: Uint8Array
  try {
    bytes = typeof key === 'function' ? await key() : (key ?? (await readOrMakeKey(`${file}.key`)))
  } catch (cause) {
    throw new HostError('secret-missing', `The key of ${basename(file)} cannot be had`, { cause })
  }
  if (bytes.length !== 32) throw new HostError('secret-missing', `The key of ${basename(file)} must be 32 bytes`)
  return bytes
}

/** Made once: of several processes that begin at the same time, one makes the key and all use it. */
async function readOrMakeKey(path: string): Promise<Uint8Array> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const found = await readFile(path).catch(() => undefined)
  if (found === undefined) {
    const draft = `${path}.${randomUUID()}`
    try {
      await writeFile(draft, randomBytes(32), { mode: 0o600, flag: 'wx' })
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
