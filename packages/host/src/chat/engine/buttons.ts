/**
 * What buttons and forms stand for. A button carries an id that is drawn at random and says nothing; whose it is and what it does stays here.
 * Nobody but the person it was made for can use it, and no button of an earlier process means anything.
 */

import { randomBytes } from 'node:crypto'
import type { ChatPerson, ChatPressed, ChatSubmitted, FormProblems } from './adapter.ts'

/** What a button or a form does. */
interface Use {
  readonly person: ChatPerson
  press?(pressed: ChatPressed): Promise<void>
  submit?(submitted: ChatSubmitted): Promise<FormProblems>
}

const MAX_USES = 20_000

export class Buttons {
  readonly #uses = new Map<string, Use>()

  add(use: Use): string {
    const id = randomBytes(18).toString('base64url')
    this.#uses.set(id, use)
    const [oldest] = this.#uses.keys()
    if (this.#uses.size > MAX_USES && oldest !== undefined) this.#uses.delete(oldest)
    return id
  }

  /** The use of an id for somebody: unknown, somebody else's, or what it does. */
  find(id: string, person: ChatPerson): Use | 'unknown' | 'not-yours' {
    const use = this.#uses.get(id)
    if (use === undefined) return 'unknown'
    return isSame(use.person, person) ? use : 'not-yours'
  }

  remove(ids: Iterable<string>): void {
    for (const id of ids) this.#uses.delete(id)
  }
}

function isSame(one: ChatPerson, other: ChatPerson): boolean {
  return one.id === other.id && one.team === other.team
}
