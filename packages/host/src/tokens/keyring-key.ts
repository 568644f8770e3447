/**
 * The key that token stores encrypt with, from the system's keyring: Keychain, Credential Manager, or the Secret
 * Service. The library for it is optional; without it, or without a keyring that answers, the key is in a file that
 * only its owner can read, and whoever starts the program is told.
 */

import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createFileTokenStore } from '@portico/sdk/auth-node'
import { PorticoError } from '@portico/sdk/server'

/** Options of `createKeyringKey`: how long the keyring may take, and where the key is kept without one. */
export interface KeyringKeyOptions {
  /** Where the key is kept if there is no keyring; `.portico/keys/<service>` in the home folder unless given. */
  readonly keyFile?: string
  /** Is told why the key file is used. Emits a process warning unless given. */
  readonly onFallback?: (reason: string) => void
  /** How long the keyring may take, a person unlocking it included. 60 seconds unless given. */
  readonly timeoutMs?: number
  /** On Linux, `keyutils` is the kernel's keyring, which forgets at the next start. `secret-service` unless given. */
  readonly linuxStore?: 'secret-service' | 'keyutils'
  /** `() => import('@napi-rs/keyring')` where a bundler has to see the name; by default it is looked for at run time. */
  readonly library?: () => Promise<KeyringLibrary>
}

/** As much of `@napi-rs/keyring` as is used. */
export interface KeyringLibrary {
  readonly AsyncEntry: new (
    service: string,
    account: string,
    options: { readonly linux: { readonly store: 'secret-service' | 'keyutils' } },
  ) => KeyringEntry
}

/** One entry of the system's keyring. */
export interface KeyringEntry {
  getSecret(signal?: AbortSignal): Promise<ArrayLike<number> | null>
  setSecret(secret: Uint8Array, signal?: AbortSignal): Promise<void>
}

/**
 * Gets a key of 32 bytes from the system's keyring, for encrypting tokens and secrets; it is made at the first call and
 * stays the same for the service. Without a keyring, the key is kept in a file that only the user can read.
 *
 * @example
 * ```ts
 * import { createKeyringKey } from '@portico/host/tokens'
 * import { createFileTokenStore } from '@portico/sdk/auth-node'
 *
 * const key = await createKeyringKey('my-program')
 * const store = createFileTokenStore({ folder: '/home/ann/.my-program/tokens', key })
 * ```
 */
export async function createKeyringKey(service: string, options: KeyringKeyOptions = {}): Promise<Uint8Array> {
  if (!/^\w[\w.-]{0,63}$/.test(service)) {
    throw new PorticoError('invalid-arguments', 'A service is named by letters, digits, dots and dashes')
  }
  const { keyFile = join(homedir(), '.portico', 'keys', service), timeoutMs = 60_000 } = options
  const folder = dirname(keyFile)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // Keyrings cannot make an entry only where there is none: the lock lets one process at a time look and make.
  const lock = createFileTokenStore({ folder, key: new Uint8Array(32), staleMs: 10_000 })
  return lock.withLock(`keyring ${service}`, async () => {
    const entry = await openEntry(service, options)
    if (typeof entry === 'string') return fallBack(keyFile, entry, options)
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      return await within(signal, keyFromEntry(entry, keyFile, signal))
    } catch (error) {
      if (error instanceof PorticoError) throw error
      return fallBack(keyFile, NO_ANSWER, options)
    }
  })
}

const LIBRARY: string = '@napi-rs/keyring'

async function openEntry(service: string, options: KeyringKeyOptions): Promise<KeyringEntry | string> {
  // A name in a variable: neither compilers nor bundlers look for a library that need not be there.
  const { linuxStore = 'secret-service', library = () => import(LIBRARY) as Promise<KeyringLibrary> } = options
  let loaded: KeyringLibrary
  try {
    loaded = await library()
  } catch {
    return `${LIBRARY} is not installed, or does not work here`
  }
  try {
    // Named, because the library would otherwise take the kernel's keyring, where nothing outlives a restart.
    return new loaded.AsyncEntry(service, 'token-store-key', { linux: { store: linuxStore } })
  } catch {
    return NO_ANSWER
  }
}

const NO_ANSWER = 'the system’s keyring does not answer'

async function keyFromEntry(entry: KeyringEntry, keyFile: string, signal: AbortSignal): Promise<Uint8Array> {
  const found = await entry.getSecret(signal)
  if (found !== null) return checkKey(Uint8Array.from(found), 'keyring entry')
  // A key from before there was a keyring moves into it, so that what it has sealed can still be read.
  const key = (await readKey(keyFile)) ?? randomBytes(KEY_BYTES)
  await entry.setSecret(key, signal)
  const kept = await entry.getSecret(signal)
  if (kept === null || !Buffer.from(key).equals(Uint8Array.from(kept))) {
    throw new Error('the keyring does not keep what it is given')
  }
  await rm(keyFile, { force: true })
  return key
}

/** Whoever is told must not keep the key from being had. */
function warnOf(error: unknown): void {
  process.emitWarning(`onFallback failed: ${String(error)}`, { code: 'PORTICO_LISTENER' })
}

async function fallBack(keyFile: string, reason: string, { onFallback }: KeyringKeyOptions): Promise<Uint8Array> {
  const message = `The key of the token store is kept in ${keyFile}: ${reason}`
  if (onFallback === undefined) process.emitWarning(message, { code: 'PORTICO_KEY_FILE' })
  else await new Promise((told) => told(onFallback(reason))).catch(warnOf)
  const found = await readKey(keyFile)
  if (found !== undefined) return found
  const key = randomBytes(KEY_BYTES)
  await writeFile(keyFile, key, { mode: 0o600, flag: 'wx' })
  return key
}

async function readKey(keyFile: string): Promise<Uint8Array | undefined> {
  try {
    const key = await readFile(keyFile)
    // A key file that others could read is put right, though what they have read stays read.
    await chmod(keyFile, 0o600)
    return checkKey(key, 'key file')
  } catch (error) {
    // What file functions throw has a code.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return undefined
  }
}

const KEY_BYTES = 32

function checkKey(key: Uint8Array, what: string): Uint8Array {
  if (key.length === KEY_BYTES) return key
  throw new PorticoError('invalid-arguments', `The ${what} of the token store is damaged`)
}

function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}
