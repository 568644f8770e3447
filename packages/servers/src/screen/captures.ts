/**
 * The pictures that were taken last, kept in memory for whoever took them: so many, so large together, and no longer than
 * a yes holds. Whoever cannot be told apart from others has none.
 */

import { randomUUID } from 'node:crypto'
import type { Picture } from './provider.ts'

export interface Capture {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly at: number
  readonly picture: Picture
}

interface CaptureBounds {
  readonly keepCaptures: number
  readonly maxKeptBytes: number
  readonly consentMs: number
}

export class Captures {
  readonly #bounds: CaptureBounds
  /** Told whose list is another now. */
  readonly #changed: (owner: string) => void
  readonly #kept = new Map<string, Capture>()
  #timer: NodeJS.Timeout | undefined

  constructor(bounds: CaptureBounds, changed: (owner: string) => void) {
    this.#bounds = bounds
    this.#changed = changed
  }

  /** Undefined where it is not kept. */
  add(owner: string | undefined, name: string, picture: Picture): Capture | undefined {
    const { keepCaptures, maxKeptBytes } = this.#bounds
    if (owner === undefined || keepCaptures === 0 || picture.bytes.length > maxKeptBytes) return undefined
    const capture = { id: randomUUID(), owner, name, at: Date.now(), picture }
    this.#kept.set(capture.id, capture)
    const owners = new Set([owner])
    for (const [id, one] of this.#kept) {
      if (this.#kept.size <= keepCaptures && this.#bytes() <= maxKeptBytes) break
      this.#kept.delete(id)
      owners.add(one.owner)
    }
    this.#schedule()
    for (const one of owners) this.#changed(one)
    return capture
  }

  /** Newest first. */
  of(owner: string | undefined): Capture[] {
    return [...this.#kept.values()].filter((one) => one.owner === owner && this.#isFresh(one)).reverse()
  }

  find(id: string, owner: string | undefined): Capture | undefined {
    return this.of(owner).find((one) => one.id === id)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#kept.clear()
  }

  #isFresh({ at }: Capture): boolean {
    return Date.now() < at + this.#bounds.consentMs
  }

  #bytes(): number {
    return [...this.#kept.values()].reduce((sum, { picture }) => sum + picture.bytes.length, 0)
  }

  /** The oldest goes when its time is over, also when nobody looks. */
  #schedule(): void {
    const [oldest] = this.#kept.values()
    if (this.#timer !== undefined || oldest === undefined) return
    // Timers know no longer time than this.
    const wait = Math.min(oldest.at + this.#bounds.consentMs - Date.now(), 2 ** 31 - 1)
    this.#timer = setTimeout(() => this.#expire(), Math.max(wait, 1)).unref()
  }

  #expire(): void {
    this.#timer = undefined
    const owners = new Set<string>()
    for (const [id, one] of this.#kept) {
      if (this.#isFresh(one)) continue
      this.#kept.delete(id)
      owners.add(one.owner)
    }
    for (const one of owners) this.#changed(one)
    this.#schedule()
  }
}
