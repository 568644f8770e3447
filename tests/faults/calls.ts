/** Calls that are followed to their end, whatever that is, and the plans for them. */

import { readFileSync } from 'node:fs'
import { type JsonObject, PorticoError, RpcError } from '@portico/sdk/client'
import { createSeeded, type Seeded } from '@portico/sdk/testing/faults'
import { until } from '../support/wait.ts'
import { now } from './clock.ts'
import type { WorkArguments } from './programs/server-plan.ts'
import type { Rig } from './rig/rig.ts'

export const IN_FLIGHT = 32
/** The timeout of every call. What is to be noticed at once must be noticed in a tenth of it. */
export const TIMEOUT_MS = 30_000
export const AT_ONCE_MS = TIMEOUT_MS / 10
const LOOK_MS = 5_000

export interface Planned extends WorkArguments {
  readonly idempotent?: boolean
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface Outcome {
  readonly nonce: string
  readonly idempotent: boolean
  readonly kind: 'result' | 'peer' | 'local' | 'hang' | 'stray'
  readonly text: string
  readonly code: string
  readonly delivery: string | undefined
  readonly endedAt: number
  /** How many reports of progress the call makes. */
  readonly steps: number
  readonly progress: readonly number[]
}

/** Tells calls of one run from those of another on the same server. */
let runs = 0

export function beginRun(): void {
  runs++
}

/** Sends calls at the same time and waits for the end of all. */
export function issue(rig: Rig, plans: readonly Planned[]): Promise<Outcome[]> {
  return Promise.all(plans.map((plan) => follow(rig, plan)))
}

/** As many calls as there are to be in flight, some of them marked idempotent; `alter` gives single ones a role. */
export function planCalls(
  { seed, random }: Seeded,
  alter: (index: number) => Partial<Planned> = () => ({}),
  count = IN_FLIGHT,
): Planned[] {
  return Array.from({ length: count }, (_, index) => ({
    nonce: `${seed}-${index}-${Math.floor(random() * 1e9)}-${runs}`,
    ms: Math.floor(random() * 60),
    idempotent: index % 4 === 3,
    ...alter(index),
  }))
}

/** The same again with other nonces, for what comes after a fault. */
export function planLater({ seed }: Seeded, alter?: (index: number) => Partial<Planned>, count?: number): Planned[] {
  return planCalls(createSeeded(seed + 1_000_000), alter, count)
}

/** Calls of which one brings the fault about; that one is never repeated. */
export function withVictim(seeded: Seeded, fault: WorkArguments['fault'], rest: Partial<Planned> = {}): Planned[] {
  const victim = seeded.pick(IN_FLIGHT)
  return planCalls(seeded, (index) => (index === victim ? { fault, idempotent: false, ...rest } : {}))
}

/** Resolves once the server works on all of these calls. */
export async function allStarted(rig: Rig, plans: readonly Planned[]): Promise<void> {
  const wanted = new Set(plans.map(({ nonce }) => `start ${nonce}`))
  const started = () =>
    readFileSync(rig.ledgerFile, 'utf8')
      .split('\n')
      .filter((line) => wanted.has(line)).length
  await until(() => started() >= wanted.size, 'every call is begun', 20_000)
}

/** Cancels calls at about the time their answers come: each must end once, one way or the other. */
export async function raceCancellation(rig: Rig, seeded: Seeded): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let typicalMs = 20
  for (let batch = 0; batch < 12; batch++) {
    const before = performance.now()
    const probe = await issue(
      rig,
      planCalls(createSeeded(seeded.seed * 1_000 + batch), () => ({ ms: 0 }), 1),
    )
    typicalMs = (typicalMs + performance.now() - before) / 2
    const timers: ReturnType<typeof setTimeout>[] = []
    const cancelled = () => {
      const controller = new AbortController()
      timers.push(setTimeout(() => controller.abort(), seeded.random() * typicalMs * 6))
      return { ms: 0, signal: controller.signal, idempotent: false }
    }
    const plans = planCalls(createSeeded(seeded.seed * 2_000 + batch), cancelled, 16)
    outcomes.push(...probe, ...(await issue(rig, plans)))
    for (const timer of timers) clearTimeout(timer)
  }
  return outcomes
}

/** Calls one after the other until one has a result: the server is back. */
export async function untilBack(rig: Rig, seeded: Seeded, limitMs = 60_000): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const random = createSeeded(seeded.seed + 2_000_000)
  await until(
    async () => {
      const [plan] = planCalls(random, () => ({ ms: 0, idempotent: false }), 1)
      const [outcome] = plan === undefined ? [] : await issue(rig, [plan])
      if (outcome !== undefined) outcomes.push(outcome)
      return outcome?.kind === 'result'
    },
    'a call has a result again',
    limitMs,
  ).catch((error) => {
    throw new Error(`${error.message}; the last said: ${outcomes.at(-1)?.text}`)
  })
  return outcomes
}

async function follow(rig: Rig, plan: Planned): Promise<Outcome> {
  const { idempotent = false, timeoutMs = TIMEOUT_MS, signal, ...args } = plan
  const { nonce, steps = 0 } = plan
  const progress: number[] = []
  const ended = { nonce, idempotent, text: '', code: '', delivery: undefined, steps, progress }
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = now() + timeoutMs * 1.1 + 1_000
  const hang = new Promise<Outcome>((resolve) => {
    const look = (): void => {
      if (now() < limit) timer = setTimeout(look, Math.min(limit - now(), LOOK_MS))
      else resolve({ ...ended, kind: 'hang', endedAt: now() })
    }
    look()
  })
  const call = rig.client
    .callTool(rig.tool, args as unknown as JsonObject, {
      timeoutMs,
      signal,
      idempotent,
      ...(steps > 0 && { onProgress: (report) => progress.push(report.progress) }),
    })
    .then(
      ({ content, isError }): Outcome => {
        const first = content[0]
        const text = first?.type === 'text' ? first.text : ''
        return { ...ended, kind: isError ? 'peer' : 'result', text, endedAt: now() }
      },
      (error: unknown): Outcome => toOutcome(error, ended),
    )
  return Promise.race([call, hang]).finally(() => clearTimeout(timer))
}

function toOutcome(error: unknown, ended: Omit<Outcome, 'kind' | 'endedAt'>): Outcome {
  const endedAt = now()
  if (error instanceof RpcError) {
    const { delivery } = (error.data ?? {}) as { delivery?: string }
    return { ...ended, kind: 'peer', text: error.message, code: error.code, delivery, endedAt }
  }
  if (!(error instanceof PorticoError)) return { ...ended, kind: 'stray', text: String(error), endedAt }
  const { code, delivery, message } = error
  return { ...ended, kind: 'local', text: message, code, delivery, endedAt }
}
