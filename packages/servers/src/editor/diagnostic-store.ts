/** What a language server has found wrong so far, by file: bounded, however much it says. */

import type { toObject } from '../vendor/values.ts'

type Json = ReturnType<typeof toObject>

interface Kept {
  readonly found: readonly Json[]
  readonly characters: number
  readonly leftOut: number
}

/** Of one file. */
const MAX_DIAGNOSTICS = 500
const MAX_FILES = 2_000
/** Of all files; those longest untouched are forgotten. */
const MAX_CHARACTERS = 20_000_000

export class DiagnosticStore {
  readonly #kept = new Map<string, Kept>()
  readonly #listeners = new Set<(uri: string) => void>()
  #characters = 0

  of(uri: string): readonly Json[] | undefined {
    return this.#kept.get(uri)?.found
  }

  /** How much more was said of a file than is kept. */
  leftOut(uri: string): number {
    return this.#kept.get(uri)?.leftOut ?? 0
  }

  all(): readonly (readonly [uri: string, found: readonly Json[], leftOut: number])[] {
    return [...this.#kept].map(([uri, { found, leftOut }]) => [uri, found, leftOut])
  }

  keep(uri: string, all: readonly Json[]): void {
    const found = all.slice(0, MAX_DIAGNOSTICS)
    const characters = JSON.stringify(found).length + uri.length
    this.forget(uri)
    if (characters <= MAX_CHARACTERS) {
      this.#kept.set(uri, { found, characters, leftOut: all.length - found.length })
      this.#characters += characters
    }
    while (this.#kept.size > MAX_FILES || this.#characters > MAX_CHARACTERS) {
      const [oldest] = this.#kept.keys()
      this.forget(oldest ?? '')
    }
    for (const listener of [...this.#listeners]) listener(uri)
  }

  forget(uri: string): void {
    this.#characters -= this.#kept.get(uri)?.characters ?? 0
    this.#kept.delete(uri)
  }

  onChange(listener: (uri: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves when something was said of a file, or after a while. */
  heard(uri: string, signal: AbortSignal, limitMs: number): Promise<void> {
    if (signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        stop()
        resolve()
      }
      const stop = this.onChange((changed) => changed === uri && done())
      const timer = setTimeout(done, limitMs)
      signal.addEventListener('abort', done, { once: true })
    })
  }
}
