/** What a check is, and how a list of them is run against one server. `suites/` chooses the server, `report.ts` counts. */

import type { Wire } from '../wire.ts'

/** The columns of the table; `leave` is going away before anything was answered. */
export const GROUPS = [
  'modern',
  'stream',
  'asking',
  'listen',
  'older',
  'session',
  'sse',
  'socket',
  'guard',
  'limits',
  'cancel',
  'leave',
] as const

export type Group = (typeof GROUPS)[number]

export interface Check {
  readonly group: Group
  readonly name: string
  readonly run: (wire: Wire) => Promise<void>
}

/** Rejects when `work` takes longer than `limitMs`; leaves no timer behind. */
export function withLimit<T>(work: Promise<T>, limitMs: number, what: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what}: nothing within ${limitMs} ms`)), limitMs)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Asks again until `test` holds, for what another process does in its own time. */
export async function until(test: () => Promise<boolean>, what: string, limitMs = 8_000): Promise<void> {
  const deadline = Date.now() + limitMs
  while (!(await test())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${limitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
