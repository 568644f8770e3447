/**
 * Secrets by name, for `${secret:name}`: an encrypted file, or the environment. The file is one sealed text (AES-256-GCM),
 * so that not even the names can be read, under a key from the system's keyring or from a key file beside it.
 */

import { HostError } from '../../errors.ts'
import { createStateFile, type StateFileOptions } from '../state-file.ts'
import { createSeal } from './seal.ts'
import { readSecretVariable } from './secret-variable.ts'

/** As much as resolving needs. */
export interface SecretSource {
  get(name: string): Promise<string | undefined>
}

/** Secrets by name that can be read, set, deleted and listed. */
export interface SecretStore extends SecretSource {
  set(name: string, value: string): Promise<void>
  /** Whether there was one. */
  delete(name: string): Promise<boolean>
  /** The names, sorted. Values are given out one by one. */
  list(): Promise<readonly string[]>
}

/** Options of `createSecretStore`: the file, and the key that it is encrypted with. */
export interface SecretStoreOptions extends Pick<StateFileOptions, 'onWarning'> {
  readonly file: string
  /** 32 bytes, or how to get them (`createKeyringKey`); a key file beside the store unless given. */
  readonly key?: Uint8Array | (() => Promise<Uint8Array>)
}

/**
 * Keeps secrets by name in one encrypted file (AES-256-GCM), for `${secret:name}` in configuration files. The key comes
 * from `key`, or from a key file beside it that only the user can read.
 *
 * @example
 * ```ts
 * import { createSecretStore } from '@portico/host/config'
 *
 * const secrets = createSecretStore({ file: '/home/ann/.portico/secrets' })
 * await secrets.set('github-token', 'the token')
 * await secrets.get('github-token') // 'the token'
 * ```
 */
export function createSecretStore({ file, key, onWarning }: SecretStoreOptions): SecretStore {
  const sealed = createSeal({ file, key, mark: MARK, onWarning })
  const state = createStateFile<ReadonlyMap<string, string>>({
    file,
    onWarning,
    empty: new Map(),
    read: async (text) => fromPairs(await sealed.open(text)),
    write: (secrets) => sealed.close(JSON.stringify([...secrets])),
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

/**
 * Reads secrets from environment variables: `${secret:github-token}` is `PORTICO_SECRET_GITHUB_TOKEN`, or in
 * the file that `PORTICO_SECRET_GITHUB_TOKEN_FILE` names.
 *
 * @example
 * ```ts
 * import { secretsFromEnvironment } from '@portico/host/config'
 *
 * const secrets = secretsFromEnvironment(process.env)
 * const token = await secrets.get('github-token')
 * ```
 */
export function secretsFromEnvironment(env: { readonly [name: string]: string | undefined }): SecretSource {
  return {
    get: (name) => readSecretVariable(secretVariable(name), env),
  }
}

/** The variable that holds a secret of this name. */
export function secretVariable(name: string): string {
  return `PORTICO_SECRET_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`
}

/**
 * Joins several sources of secrets into one: the first that has a secret of the name counts.
 *
 * @example
 * ```ts
 * import { createSecretStore, firstSecret, secretsFromEnvironment } from '@portico/host/config'
 *
 * const store = createSecretStore({ file: '/home/ann/.portico/secrets' })
 * const secrets = firstSecret(secretsFromEnvironment(process.env), store)
 * ```
 */
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
const MARK = 'portico-secrets-1:'

function isSecretKey(name: string): boolean {
  return /^[^\p{C}{}]{1,200}$/u.test(name)
}

/** Only the holder of the key can have written it: these are the pairs of `set`. */
function fromPairs(text: string): ReadonlyMap<string, string> {
  return new Map(JSON.parse(text) as [string, string][])
}
