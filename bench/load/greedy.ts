/**
 * The one who takes all that can be had of a shared thing, as a program of its own: what it costs its own machine is nothing
 * that the others should wait for. Its argument is a `GreedySetting`; it reports over IPC what it got.
 */

import type { SharedPorts } from './shared.ts'
import { THINGS, type Thing } from './things.ts'
import { Visitor } from './visitor.ts'

export interface GreedySetting {
  readonly thing: string
  readonly ports: SharedPorts
  readonly ms: number
}

export interface Tries {
  taken: number
  refused: number
}

/** Tries that are under way at a time. */
const HANDS = 8

const { thing: name, ports, ms }: GreedySetting = JSON.parse(process.argv[2] ?? '{}')
const thing = THINGS.find((one) => one.name === name)
if (thing === undefined) throw new Error(`nothing is named "${name}"`)
const who = new Visitor('greedy', '127.0.0.2')
const tries: Tries = { taken: 0, refused: 0 }
const until = performance.now() + ms
process.send?.('begins')
await Promise.all(Array.from({ length: HANDS }, () => grab(thing)))
who.close()
process.send?.(tries)
process.disconnect()

async function grab(one: Thing): Promise<void> {
  while (performance.now() < until) {
    const reply = await one.grab(who, ports).catch(() => undefined)
    if (reply !== undefined && reply.status < 300 && reply.message.error === undefined) tries.taken++
    else tries.refused++
  }
}
