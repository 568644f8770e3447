/**
 * One caller who takes all that can be had of a shared thing, at full speed, beside nine who use it now and then: what that costs
 * the nine. Everybody else's time at the 99th percentile may double, and none of them may be refused.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type Figure, percentile } from './figure.ts'
import type { GreedySetting, Tries } from './greedy.ts'
import type { SharedPorts } from './shared.ts'
import { startShared } from './shared-process.ts'
import { THINGS, type Thing } from './things.ts'
import { Visitor } from './visitor.ts'

const OTHERS = 9
const BETWEEN_MS = 50

export async function fairness({ fairnessMs }: { readonly fairnessMs: number }): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const thing of THINGS) {
    // A process of its own for each: what one leaves behind is not the next one's.
    const shared = await startShared()
    try {
      figures.push(...(await measure(thing, shared.ports, fairnessMs)))
    } finally {
      await shared.stop()
    }
  }
  return figures
}

async function measure(thing: Thing, ports: SharedPorts, ms: number): Promise<Figure[]> {
  // A fresh process is slow for reasons of its own.
  await visitAll(thing, ports, ms / 2)
  const alone = await visitAll(thing, ports, ms)
  const setting: GreedySetting = { thing: thing.name, ports, ms }
  const greedy = fork(fileURLToPath(new URL('greedy.ts', import.meta.url)), [JSON.stringify(setting)])
  const said = () => Promise.race([once(greedy, 'message'), endedEarly(greedy)])
  await said()
  const grabbed = said()
  // Told below, once the others are done.
  grabbed.catch(() => {})
  const beside = await visitAll(thing, ports, ms)
  // The second thing that it says.
  const [tries] = (await grabbed) as [Tries]
  const [before, after] = [percentile(alone.times, 0.99), percentile(beside.times, 0.99)]
  const { name } = thing
  return [
    { name: `${name}: others alone, 99th percentile`, value: before, unit: 'ms' },
    { name: `${name}: others beside the one, 99th percentile`, value: after, unit: 'ms' },
    { name: `${name}: of these, times as long`, value: after / before, unit: '', most: 2 },
    { name: `${name}: visits of others alone refused`, value: alone.failed, unit: refusedOf(alone), most: 0 },
    { name: `${name}: visits of others refused`, value: beside.failed, unit: refusedOf(beside), most: 0 },
    // Who gets nothing at all is no burden to others.
    { name: `${name}: the one was served`, value: tries.taken, unit: `of ${tries.taken + tries.refused}`, least: 1 },
  ]
}

async function endedEarly(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`the one who takes all ended with ${code}`)
}

interface Visits {
  readonly times: number[]
  failed: number
  /** What the first that failed said. */
  reason?: string
}

function refusedOf({ times, reason }: Visits): string {
  return `of ${times.length}${reason === undefined ? '' : `, first: ${reason}`}`
}

/** Each of the others from an address of its own, until the time is over. */
async function visitAll(thing: Thing, ports: SharedPorts, ms: number): Promise<Visits> {
  const visits: Visits = { times: [], failed: 0 }
  const until = performance.now() + ms
  const others = Array.from({ length: OTHERS }, (_, at) => new Visitor(`other-${at}`, `127.0.1.${at + 1}`))
  await Promise.all(
    others.map(async (who, at) => {
      await pause((at * BETWEEN_MS) / OTHERS)
      do {
        const began = performance.now()
        await thing.visit(who, ports).catch((error: unknown) => {
          if (visits.failed++ === 0) console.error(`${thing.name}: ${String(error).slice(0, 300)}`)
          visits.reason ??= String(error).slice(0, 300)
        })
        visits.times.push(performance.now() - began)
        await pause(BETWEEN_MS)
      } while (performance.now() < until)
      who.close()
    }),
  )
  return visits
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
