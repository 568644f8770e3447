/**
 * Which projects' own files somebody has vouched for: a file is trusted by its whole path and the digest of its content,
 * so that a copy elsewhere and the next change are not. `load-config.ts` asks here before it reads a project's servers.
 */

import { HostError } from '../../errors.ts'
import { createStateFile, type StateFileOptions } from '../state-file.ts'
import { digestOfText } from './fingerprint.ts'

/** A file that the user has trusted, and since when (milliseconds since 1970). */
export interface TrustedFile {
  readonly path: string
  /** SHA-256 of the content that was trusted. */
  readonly digest: string
  readonly since: number
}

/** The configuration files of projects that the user has trusted. */
export interface TrustStore {
  isTrusted(path: string, content: string): Promise<boolean>
  /** Trusts this content at this path; the path's earlier content no longer is. */
  trust(path: string, content: string): Promise<void>
  /** Whether it was trusted. */
  revoke(path: string): Promise<boolean>
  list(): Promise<readonly TrustedFile[]>
}

/** Options of `createTrustStore`; `now` is the clock, in milliseconds since 1970. */
export interface TrustStoreOptions extends StateFileOptions {
  readonly now?: () => number
}

/**
 * Keeps which configuration files of projects the user has trusted, each by its path and the digest of its content: a
 * changed file has to be trusted again. Give it to `loadConfig`.
 *
 * @example
 * ```ts
 * import { createTrustStore, loadConfig } from '@portico/host/config'
 *
 * const trust = createTrustStore({ file: '/home/ann/.portico/trust.json' })
 * const config = await loadConfig({ files: [{ path: '.mcp.json', scope: 'project' }], trust })
 * for (const { file, content } of config.untrusted) await trust.trust(file, content) // once the user has said yes
 * ```
 */
export function createTrustStore({ now = Date.now, ...options }: TrustStoreOptions): TrustStore {
  const state = createStateFile<ReadonlyMap<string, TrustedFile>>({
    ...options,
    empty: new Map(),
    read: fromText,
    write: (files) => `${JSON.stringify({ version: 1, files: [...files.values()] }, null, 2)}\n`,
  })
  return {
    isTrusted: async (path, content) => (await state.get()).get(path)?.digest === digestOfText(content),
    async trust(path, content) {
      await state.update((files) => {
        if (files.size >= MAX_FILES && !files.has(path)) {
          throw new HostError('untrusted-config', `${MAX_FILES} files are trusted; revoke some first`)
        }
        return new Map(files).set(path, { path, digest: digestOfText(content), since: now() })
      })
    },
    async revoke(path) {
      let found = false
      await state.update((files) => {
        const rest = new Map(files)
        found = rest.delete(path)
        return rest
      })
      return found
    },
    list: async () => [...(await state.get()).values()],
  }
}

const MAX_FILES = 1000

function fromText(text: string): ReadonlyMap<string, TrustedFile> {
  const { version, files } = JSON.parse(text)
  if (version !== 1 || !Array.isArray(files) || !files.every(isTrustedFile)) throw new Error('not a trust store')
  return new Map(files.map((file) => [file.path, file]))
}

function isTrustedFile(value: unknown): value is TrustedFile {
  if (typeof value !== 'object' || value === null) return false
  const { path, digest, since } = value as Partial<TrustedFile>
  return typeof path === 'string' && typeof digest === 'string' && typeof since === 'number'
}
