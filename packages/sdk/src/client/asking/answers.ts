/**
 * The answers that a client owes its server, a few on their way at a time. Over HTTP each is a request of its own: a
 * server that asks faster than it takes answers would otherwise have this side open connections without end.
 */

import type { RpcResponse } from '../../jsonrpc/message.ts'
import type { Link } from '../link.ts'

export class Answers {
  readonly #link: Link
  readonly #dropped: () => void
  readonly #waiting: RpcResponse[] = []
  #underWay = 0

  /** `dropped` is told of an answer that there is no room for. */
  constructor(link: Link, dropped: () => void) {
    this.#link = link
    this.#dropped = dropped
  }

  send(response: RpcResponse): void {
    // A channel has a queue of its own, with bounds of its own.
    if (this.#link.kind === 'channel') void this.#link.send(response)
    else if (this.#underWay < MAX_UNDER_WAY) this.#begin(response)
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(response)
    else this.#dropped()
  }

  #begin(response: RpcResponse): void {
    this.#underWay++
    // A link's `send` never rejects.
    void this.#link.send(response).then(() => {
      this.#underWay--
      const next = this.#waiting.shift()
      if (next !== undefined) this.#begin(next)
    })
  }
}

const MAX_UNDER_WAY = 8
const MAX_WAITING = 256
