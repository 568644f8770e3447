/** Reads what the server of the fault suite wrote down: the one account of what was executed, whoever died since. */

import { readFileSync } from 'node:fs'

export interface Executions {
  starts: number
  ends: number
}

export class Ledger {
  readonly #calls = new Map<string, Executions>()
  /** The process id of each life of the server, in order. */
  readonly lives: number[] = []

  constructor(file: string) {
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const [what, subject] = line.split(' ')
      if (what === 'boot') this.lives.push(Number(subject))
      if (subject === undefined || (what !== 'start' && what !== 'done')) continue
      const entry = this.of(subject)
      if (what === 'start') entry.starts++
      else entry.ends++
      this.#calls.set(subject, entry)
    }
  }

  of(nonce: string): Executions {
    return this.#calls.get(nonce) ?? { starts: 0, ends: 0 }
  }
}
