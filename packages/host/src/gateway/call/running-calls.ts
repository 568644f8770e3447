/** The calls that a gateway has under way, for draining them, and for changing servers between their calls. */

import type { RelayedCall } from './relayed-call.ts'

export class RunningCalls {
  readonly #calls = new Set<RelayedCall>()
  /** Servers that are being changed: calls wait until that is over. */
  readonly #held = new Map<string, Promise<void>>()

  add(call: RelayedCall): void {
    this.#calls.add(call)
  }

  delete(call: RelayedCall): void {
    this.#calls.delete(call)
  }

  endAll(reason: string, kept: boolean): void {
    for (const call of this.#calls) call.end(reason, kept)
  }

  /** How many of them are tasks of their callers, and how many are tasks at their servers. */
  get tasks(): { readonly tasks: number; readonly followed: number } {
    const calls = [...this.#calls]
    return {
      tasks: calls.filter(({ isTask }) => isTask).length,
      followed: calls.filter(({ task }) => task !== undefined).length,
    }
  }

  /** What a call to this server has to wait for before it is sent. */
  holdOf(server: string): Promise<void> | undefined {
    return this.#held.get(server)
  }

  /** Resolves when no call that `concerned` picks is under way any more, or at `until`. */
  async finished(
    concerned: (call: RelayedCall) => boolean,
    until: number,
    endOf: (call: RelayedCall) => Promise<void> = ({ ended }) => ended,
  ): Promise<void> {
    while ([...this.#calls].some(concerned)) {
      const left = until - performance.now()
      if (left <= 0) return
      const ends = [...this.#calls].filter(concerned).map(endOf)
      let timer: ReturnType<typeof setTimeout> | undefined
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, left)
      })
      await Promise.race([Promise.all(ends), late])
      clearTimeout(timer)
    }
  }

  /** Makes a change to servers between their calls. */
  async reload(servers: readonly string[], apply: () => Promise<unknown>, graceMs: number): Promise<void> {
    const before = servers.map((server) => this.#held.get(server))
    let open = (): void => {}
    const hold = new Promise<void>((resolve) => {
      open = resolve
    })
    for (const server of servers) this.#held.set(server, hold)
    try {
      await Promise.all(before)
      const held = new Set(servers)
      // Whoever waits for a person may do so for long: nobody else waits for that.
      const isBusy = (call: RelayedCall) => held.has(call.server) && call.sent && !call.waits
      await this.finished(isBusy, performance.now() + graceMs, (call) => call.atRest())
      await apply()
    } finally {
      for (const server of servers) if (this.#held.get(server) === hold) this.#held.delete(server)
      open()
    }
  }
}
