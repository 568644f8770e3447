/**
 * Secrets by name, for `${secret:name}`: an encrypted file, or the environment. The file is one sealed text (AES-256-GCM),
 * so that not even the names can be read, under a key from the system's keyring or from a key file beside it.
 */

import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { HostError } from '../errors.ts'
import { createStateFile, type StateFileOptions } from './state-file.ts'

/** As much as resolving needs. */
export interface SecretSource {
  get(name: string): Promise<string | undefined>
}

export interface SecretStore extends SecretSource {
  set(name: string, value: string): Promise<void>
  /** Whether there was one. */
  delete(name: string): Promise<boolean>
  /** The names, sorted. Values are given out one by one. */
  list(): Promise<readonly string[]>
}

export interface SecretStoreOptions extends Pick<StateFileOptions, 'onWarning'> {
  readonly file: string
  /** 32 bytes, or how to get them (`createKeyringKey`); a key file beside the store unless given. */
  readonly key?: Uint8Array | (() => Promise<Uint8Array>)
}

export function createSecretStore({ file, key, onWarning }: SecretStoreOptions): SecretStore {
  let kept: Promise<Uint8Array> | undefined
  const getKey = () => {
    kept ??= openKey(file, key)
    return kept
  }
  const state = createStateFile<ReadonlyMap<string, string>>({
    file,
    onWarning,
    empty: new Map(),
    read: async (text) => fromSealed(text, await getKey()),
    write: async (secrets) => seal(JSON.stringify([...secrets]), await getKey()),
  })
  return {
    get: async (name) => (await state.get()).get(name),
    async set(name, value) {
      if (!isSecretKey(name)) throw new HostError('invalid-config', 'A secret is named by 1 to 200 visible characters')
      if (value.length > MAX_VALUE)
        throw new HostError('invalid-config', `A secret has at most ${MAX_VALUE} characters`)
      await state.update((secrets) => {
        if (secrets.size >= MAX_SECRETS && !secrets.has(name)) {
          throw new HostError('invalid-config', `There are ${MAX_SECRETS} secrets; delete some first`)
        }
        return new Map(secrets).set(name, value)
      })
    },
    async delete(name) {
      let found = false
      await state.update((secrets) => {
        const rest = new Map(secrets)
        found = rest.delete(name)
        return rest
      })
      return found
    },
    list: async () => [...(await state.get()).keys()].sort(),
  }
}

/** `${secret:github-token}` is `PORTICO_SECRET_GITHUB_TOKEN`. */
export function secretsFromEnvironment(env: { readonly [name: string]: string | undefined }): SecretSource {
  return {
    async get(name) {
      const value = env[`PORTICO_SECRET_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`]
      return typeof value === 'string' ? value : undefined
    },
  }
}

/** The first source that has the secret counts. */
export function firstSecret(...sources: readonly SecretSource[]): SecretSource {
  return {
    async get(name) {
      for (const source of sources) {
        const value = await source.get(name)
        if (value !== undefined) return value
      }
      return undefined
    },
  }
}

const MAX_SECRETS = 1000
const MAX_VALUE = 65_536
const NONCE = 12
const TAG = 16
const MARK = 'portico-secrets-1:'

function isSecretKey(name: string): boolean {
  return /^[^\p{C}{}]{1,200}$/u.test(name)
}

function seal(text: string, key: Uint8Array): string {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(MARK))
  return (
    MARK + Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
  )
}

/** Throws for what was altered or sealed with another key; the state file is then set aside. */
function fromSealed(text: string, key: Uint8Array): ReadonlyMap<string, string> {
  const bytes = Buffer.from(text.slice(MARK.length), 'base64')
  if (!text.startsWith(MARK) || bytes.length < NONCE + TAG) throw new Error('not a secret store')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE), { authTagLength: TAG })
    .setAAD(Buffer.from(MARK))
    .setAuthTag(bytes.subarray(-TAG))
  const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]).toString('utf8')
  // Only the holder of the key can have written it: these are the pairs of `seal`.
  return new Map(JSON.parse(plain) as [string, string][])
}

/** A key that is not to be had is no reason to think the store damaged: the error says so by its code. */
async function openKey(file: string, key: SecretStoreOptions['key']): Promise<Uint8Array> {
  let bytes: Uint8Array
  try {
    bytes = typeof key === 'function' ? await key() : (key ?? (await readOrMakeKey(`${file}.key`)))
  } catch (cause) {
    throw new HostError('secret-missing', 'The key of the secret store cannot be had', { cause })
  }
  if (bytes.length !== 32) throw new HostError('secret-missing', 'The key of the secret store must be 32 bytes')
  return bytes
}

/** Made once: of several processes that begin at the same time, one makes the key and all use it. */
async function readOrMakeKey(path: string): Promise<Uint8Array> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const found = await readFile(path).catch(() => undefined)
  if (found === undefined) {
    const draft = `${path}.${randomUUID()}`
    await writeFile(draft, randomBytes(32), { mode: 0o600, flag: 'wx' })
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
    await rm(draft, { force: true })
  }
  await chmod(path, 0o600)
  return found ?? readFile(path)
}
