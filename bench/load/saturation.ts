/**
 * As many calls as go through, then one, two, five and ten times as many: what is served must stay what it was, the rest be told
 * at once to come back later, and all be as before when it is over. Calls come by the clock, whatever became of earlier ones.
 */

import { type Figure, percentile } from './figure.ts'
import { startShared } from './shared-process.ts'
import { Wire } from './wire.ts'
import { WORK_MS } from './work-server.ts'

/** Calls at a time that are served. */
const SLOTS = 16
const FACTORS = [1, 2, 5, 10] as const
const TICK_MS = 5
/** Until the calls that are served first have come back. */
const LEAD_MS = 3 * WORK_MS
/** Calls that may wait for an answer; beyond these the clients are the bound, which is told. */
const MAX_WIRES = 1_000
/** So long could nobody be answered before more are needed. */
const READY_MS = 200
const ENOUGH = 0.9
/** Of what the slots could do if nothing but the work took time: a machine that is shared gives no more for certain. */
const BUSY = 0.5
const REFUSAL_MS = 50
const RECOVERY_MS = 5_000
const GIVE_UP_MS = 10 * RECOVERY_MS

export async function saturation({ overloadMs }: { readonly overloadMs: number }): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, tool] of [
    ['server', 'work'],
    ['gateway', 'up_work'],
  ] as const) {
    const shared = await startShared({ maxInFlight: SLOTS, maxInFlightPerPrincipal: SLOTS })
    try {
      figures.push(...(await climb(name, { port: shared.ports[name], tool }, overloadMs)))
    } finally {
      await shared.stop()
    }
  }
  return figures
}

interface Place {
  readonly port: number
  readonly tool: string
}

async function climb(name: string, place: Place, ms: number): Promise<Figure[]> {
  const most = SLOTS / (WORK_MS / 1000)
  // A fresh process is slow for reasons of its own.
  await offer(place, most / 2, ms)
  const steps: Offered[] = []
  for (const factor of FACTORS) steps.push(await offer(place, most * factor, ms))
  const recoveryMs = await recover(place)
  const calm = await offer(place, most / 2, ms)
  const peak = Math.max(...steps.map(({ served, seconds }) => served / seconds))
  return [
    ...steps.flatMap(({ served, seconds, refused, odd, withheld }, at): Figure[] => {
      const when = `${name}, ${FACTORS[at]} ×`
      return [
        {
          name: `${when}: served each second`,
          value: served / seconds,
          unit: '',
          least: most * BUSY,
        },
        { name: `${when}: of the most`, value: (100 * served) / seconds / peak, unit: '%', least: 100 * ENOUGH },
        {
          name: `${when}: refused within, 99th percentile`,
          value: percentile(refused, 0.99),
          unit: `ms, ${refused.length} calls`,
          // As many as go through need not be refused; of more, some must be.
          ...((refused.length > 0 || FACTORS[at] !== 1) && { most: REFUSAL_MS }),
        },
        { name: `${when}: other than 200, 429 and 503 with Retry-After`, value: odd, unit: '', most: 0 },
        { name: `${when}: not sent, the clients being the bound`, value: withheld, unit: '' },
      ]
    }),
    { name: `${name}: until the next call is served`, value: recoveryMs, unit: 'ms', most: RECOVERY_MS },
    {
      name: `${name}, half of it afterwards: refused`,
      value: calm.refused.length + calm.odd,
      unit: `of ${calm.served + calm.refused.length}`,
      most: 0,
    },
    {
      name: `${name}, half of it afterwards: served each second`,
      value: calm.served / calm.seconds,
      unit: '',
      least: most * BUSY * ENOUGH,
    },
  ]
}

interface Offered {
  served: number
  odd: number
  /** Calls for which there was no connection left. */
  withheld: number
  readonly seconds: number
  /** How long each refusal took. */
  readonly refused: number[]
}

/** So many calls a second, by the clock. */
async function offer({ port, tool }: Place, rate: number, ms: number): Promise<Offered> {
  const found: Offered = { served: 0, odd: 0, withheld: 0, seconds: (ms - LEAD_MS) / 1000, refused: [] }
  const idle: Wire[] = []
  const open = new Set<Wire>()
  const pending = new Set<Promise<void>>()
  // Who connects for the first time waits for the system too; these are there already.
  const ready = Math.min(MAX_WIRES, SLOTS + (rate * READY_MS) / 1000)
  while (open.size < ready) {
    const made = await Wire.open(port, `caller-${open.size % (SLOTS * 2)}`)
    open.add(made)
    idle.push(made)
  }
  const began = performance.now()
  const call = async (wire: Wire): Promise<void> => {
    try {
      const answer = await wire.request('tools/call', { name: tool, arguments: {} })
      const at = performance.now() - began
      if (answer.status === 200 && !answer.failed) {
        if (at > LEAD_MS && at <= ms) found.served++
      } else if (answer.retryAfter !== undefined && (answer.status === 429 || answer.status === 503)) {
        found.refused.push(answer.ms)
      } else found.odd++
      idle.push(wire)
    } catch {
      found.odd++
      open.delete(wire)
    }
  }
  const take = (): Wire | undefined => {
    const known = idle.pop()
    if (known !== undefined || open.size >= MAX_WIRES) return known
    const made = new Wire(port, `caller-${open.size % (SLOTS * 2)}`)
    open.add(made)
    return made
  }
  for (let sent = 0, now = 0; now < ms; now = performance.now() - began) {
    for (; sent < (now / 1000) * rate; sent++) {
      const wire = take()
      if (wire === undefined) {
        found.withheld++
        continue
      }
      const called = call(wire).finally(() => pending.delete(called))
      pending.add(called)
    }
    await pause(TICK_MS)
  }
  await Promise.all(pending)
  for (const wire of open) wire.close()
  return found
}

async function recover({ port, tool }: Place): Promise<number> {
  const stopped = performance.now()
  const wire = new Wire(port, 'caller-0')
  const isServed = async (): Promise<boolean> => {
    const { status, failed } = await wire.request('tools/call', { name: tool, arguments: {} })
    return status === 200 && !failed
  }
  while (!(await isServed()) && performance.now() < stopped + GIVE_UP_MS) await pause(TICK_MS)
  wire.close()
  return performance.now() - stopped - WORK_MS
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
