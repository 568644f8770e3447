/** A small file of the workbench's own state: read at start, written whole a moment after it changed, for its owner alone. */

import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

const WRITE_MS = 300
const MAX_BYTES = 64 * 1_048_576

interface SavedJsonOptions<T> {
  readonly file: string
  /** Makes what is used of what was read; undefined begins anew. */
  readonly read: (value: unknown) => T | undefined
  readonly empty: T
  readonly onWarning?: (message: string) => void
}

export class SavedJson<T> {
  readonly #options: SavedJsonOptions<T>
  #value: T
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> = Promise.resolve()

  static async open<T>(options: SavedJsonOptions<T>): Promise<SavedJson<T>> {
    const value = await readKept(options)
    return new SavedJson(options, value === undefined ? options.empty : (options.read(value) ?? options.empty))
  }

  constructor(options: SavedJsonOptions<T>, value: T) {
    this.#options = options
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  set(value: T): void {
    this.#value = value
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_MS)
  }

  /** Resolves when the latest value is on disk. */
  flush(): Promise<void> {
    if (this.#timer !== undefined) {
      clearTimeout(this.#timer)
      this.#timer = undefined
      const { file, onWarning } = this.#options
      this.#writing = this.#writing
        .then(() => writeJson(file, this.#value))
        .catch((error) =>
          onWarning?.(`${file} could not be written: ${error instanceof Error ? error.message : error}`),
        )
    }
    return this.#writing
  }
}

/** A file that cannot be read for now is an error: to begin anew would be to write over it. One that is damaged is kept aside. */
async function readKept({ file, onWarning }: Pick<SavedJsonOptions<unknown>, 'file' | 'onWarning'>): Promise<unknown> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found === undefined) return undefined
  try {
    if (found.size > MAX_BYTES) throw new SyntaxError('too long')
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const aside = `${file}.damaged-${Date.now()}`
    await rename(file, aside).catch(() => {})
    onWarning?.(`${file} is damaged. It is now ${aside}, and what it kept is gone from the workbench.`)
    return undefined
  }
}

/** Undefined where there is no such file, or nothing that can be read. */
export async function readJson(file: string): Promise<unknown> {
  try {
    const found = await stat(file)
    if (!found.isFile() || found.size > MAX_BYTES) return undefined
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

/** Whoever reads meanwhile gets the old content or the new, whole. */
export async function writeJson(file: string, value: unknown): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}.tmp`
  try {
    await writeFile(draft, JSON.stringify(value), { mode: 0o600, flag: 'wx' })
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
