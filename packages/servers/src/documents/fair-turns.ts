/** One piece of work at a time, and the sources that wait take turns: who brings many delays nobody else by more than one. */

export class FairTurns {
  /** In the order in which they are served. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>()
  #rest: Promise<void> | undefined

  run<T>(source: string, work: () => Promise<T>): Promise<T> {
    const result = new Promise<T>((resolve, reject) => {
      const job = (): Promise<void> => work().then(resolve, reject)
      const own = this.#waiting.get(source)
      if (own === undefined) this.#waiting.set(source, [job])
      else own.push(job)
    })
    // Not at once: work that asks for more must find that somebody serves already.
    this.#rest ??= Promise.resolve().then(() => this.#serve())
    return result
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    await this.#rest
  }

  async #serve(): Promise<void> {
    for (;;) {
      const [next] = this.#waiting
      if (next === undefined) break
      const [source, jobs] = next
      await jobs.shift()?.()
      // Whoever was served goes behind those who came meanwhile.
      this.#waiting.delete(source)
      if (jobs.length > 0) this.#waiting.set(source, jobs)
    }
    this.#rest = undefined
  }
}
