/**
 * How many handlers of each owner's tasks are at work in this process. A place is free again once its handler has settled,
 * whatever became of the task meanwhile: one that was cancelled, has expired or went to another worker may go on all the
 * same, and whoever began it cannot have another in its place.
 */

import { noRoom, type TaskLimits, tasksOf } from './task-limits.ts'

export class TaskPlaces {
  readonly #limits: TaskLimits
  readonly #taken = new Map<string, number>()

  constructor(limits: TaskLimits) {
    this.#limits = limits
  }

  /** Throws where an owner has no place left. */
  require(owner: string): void {
    const bound = tasksOf(owner, this.#limits)
    if (this.#of(owner) >= bound.limit) throw noRoom(bound, 'Wait until one that was cancelled has come to its end')
  }

  /** Takes a place; the function that comes back gives it back, once. Undefined where there is none. */
  take(owner: string): (() => void) | undefined {
    if (this.#of(owner) >= tasksOf(owner, this.#limits).limit) return undefined
    this.#taken.set(owner, this.#of(owner) + 1)
    let isTaken = true
    return () => {
      if (isTaken) this.#free(owner)
      isTaken = false
    }
  }

  #of(owner: string): number {
    return this.#taken.get(owner) ?? 0
  }

  #free(owner: string): void {
    const left = this.#of(owner) - 1
    if (left > 0) this.#taken.set(owner, left)
    else this.#taken.delete(owner)
  }
}
