/**
 * Where credentials are kept: text by key, and a lock that whoever shares the store respects. The lock is what makes one
 * refresh at a time possible between connections, processes and machines. `credentials.ts` decides what is in the text.
 */

/** Where tokens and registrations are kept between runs. */
export interface TokenStore {
  get(key: string): Promise<string | undefined>
  set(key: string, value: string): Promise<void>
  delete(key: string): Promise<void>
  /** Runs the action while nobody else who shares this store runs one for the same key. */
  withLock<T>(key: string, action: () => Promise<T>): Promise<T>
}

/**
 * Keeps tokens and registrations as long as the process lives.
 *
 * @example
 * ```ts
 * import { clientCredentials, createMemoryTokenStore, type OAuthOptions } from '@portico/sdk/auth'
 *
 * const grant = clientCredentials({ clientId: 'report', clientSecret: process.env.SECRET ?? '' })
 * const auth: OAuthOptions = { grant, store: createMemoryTokenStore() }
 * ```
 */
export function createMemoryTokenStore(): TokenStore {
  const values = new Map<string, string>()
  const mutex = createMutex()
  return {
    async get(key) {
      return values.get(key)
    },
    async set(key, value) {
      values.set(key, value)
    },
    async delete(key) {
      values.delete(key)
    },
    withLock: mutex,
  }
}

/** Runs actions of the same key one after the other. */
export function createMutex(): <T>(key: string, action: () => Promise<T>) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>()
  return (key, action) => {
    const before = tails.get(key) ?? Promise.resolve()
    const run = before.then(action)
    const tail = run.then(
      () => {},
      () => {},
    )
    tails.set(key, tail)
    void tail.then(() => {
      if (tails.get(key) === tail) tails.delete(key)
    })
    return run
  }
}
