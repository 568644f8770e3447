/** What was run by hand, newest first, kept over restarts. Long results are left out: running it again brings them back. */

import { isObject } from '@portico/sdk/internal'
import type { HistoryEntry } from './api-types/api.ts'
import { SavedJson } from './saved-json.ts'

const MAX_ENTRIES = 200
const MAX_RESULT_CHARS = 64 * 1_024
const MAX_ARGUMENT_CHARS = 64 * 1_024

export class History {
  readonly #saved: SavedJson<readonly HistoryEntry[]>

  static async open(file: string, onWarning?: (message: string) => void): Promise<History> {
    const read = (value: unknown) => (Array.isArray(value) ? value.filter(isEntry) : undefined)
    return new History(await SavedJson.open<readonly HistoryEntry[]>({ file, read, empty: [], onWarning }))
  }

  constructor(saved: SavedJson<readonly HistoryEntry[]>) {
    this.#saved = saved
  }

  list(): readonly HistoryEntry[] {
    return this.#saved.value
  }

  /** The entry as it is kept. */
  add(entry: HistoryEntry): HistoryEntry {
    const { result, ...rest } = entry
    const isShort = result !== undefined && JSON.stringify(result).length <= MAX_RESULT_CHARS
    const isPlain = JSON.stringify(rest.arguments).length <= MAX_ARGUMENT_CHARS
    const kept: HistoryEntry = { ...rest, ...(!isPlain && { arguments: {} }), ...(isShort && { result }) }
    this.#saved.set([kept, ...this.#saved.value].slice(0, MAX_ENTRIES))
    return kept
  }

  clear(): void {
    this.#saved.set([])
  }

  close(): Promise<void> {
    return this.#saved.flush()
  }
}

function isEntry(value: unknown): value is HistoryEntry {
  if (!isObject(value)) return false
  const { run, at, kind, server, name, status, durationMs } = value
  const texts = [run, kind, server, name, status]
  return (
    texts.every((one) => typeof one === 'string') &&
    typeof at === 'number' &&
    typeof durationMs === 'number' &&
    isObject(value.arguments)
  )
}
