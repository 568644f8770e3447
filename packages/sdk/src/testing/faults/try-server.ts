/** Tries a server that anybody wrote: every fault that makes sense on the way to it, and whether it is well afterwards. */

import { type Account, addAccount, createAccount, isClean } from './account.ts'
import { FaultLink, type FaultSubject } from './fault-link.ts'
import { createSeeded } from './seeded.ts'
import { SERVER_CELLS } from './server-cells.ts'

/** Columns that the other side's own ledger would have to tell. */
export type Unseen = 'doubled' | 'untrue'

/** What came of one fault. */
export interface FaultRow {
  /** `F13`, as in `docs/reference/reliability.md`; `F0` for none, to compare with. */
  readonly fault: string
  readonly about: string
  /** Of what nobody can see from here, 0. */
  readonly account: Account
  /** What cannot be seen from here. */
  readonly unseen: readonly Unseen[]
  /** Whether nothing happened that must not, and the other side was well afterwards. */
  readonly ok: boolean
  /** What went wrong besides, in words. */
  readonly notes: readonly string[]
}

/** How far a trial is. */
export interface FaultStep {
  /** `F13`, as in `docs/reference/reliability.md`; `F0` for none, to compare with. */
  readonly fault: string
  /** From 1 on. */
  readonly number: number
  /** How many faults there are in all. */
  readonly of: number
}

/** Options of `tryServer` and `tryClient`. */
export interface FaultOptions {
  /** How often each fault is tried; 3 unless given. */
  readonly runs?: number
  /** Where the random choices begin; 1 unless given. */
  readonly seed?: number
  readonly signal?: AbortSignal
  /** Hears of each fault before it is tried. */
  readonly onBegin?: (about: string, step: FaultStep) => void
}

/**
 * Tries a server with every fault that its clients can bring about. One of its tools is called many times, so it must be
 * one that only reads. A row for each fault; whether a call ran twice only the server knows.
 *
 * @example
 * ```ts
 * import { tryServer } from '@portico/sdk/testing/faults'
 *
 * const rows = await tryServer({ target: 'http://127.0.0.1:3000/mcp', tool: 'search', args: { query: 'tea' }, timeoutMs: 10_000 })
 * console.log(rows.every(({ ok }) => ok))
 * ```
 */
export async function tryServer(subject: FaultSubject, options: FaultOptions = {}): Promise<FaultRow[]> {
  const way = typeof subject.target === 'string' ? 'http' : 'stdio'
  const { runs = 3, seed = 1, signal, onBegin } = options
  const rows: FaultRow[] = []
  const cells = SERVER_CELLS.filter((one) => one.way === way || one.way === 'both')
  for (const cell of cells) {
    onBegin?.(cell.about, { fault: `F${cell.fault}`, number: rows.length + 1, of: cells.length })
    const account = createAccount()
    const notes: string[] = []
    for (let run = 0; run < runs; run++) {
      signal?.throwIfAborted()
      try {
        addAccount(account, await cell.run(subject, createSeeded(seed + run)))
        notes.push(...(await sickness(subject)))
      } catch (error) {
        notes.push(error instanceof Error ? error.message : String(error))
      }
    }
    const ok = isClean(account) && notes.length === 0
    rows.push({
      fault: `F${cell.fault}`,
      about: cell.about,
      account,
      unseen: ['doubled', 'untrue'],
      ok,
      notes: [...new Set(notes)],
    })
  }
  return rows
}

/** What is wrong with the server after a fault: a new client must be served as before. */
async function sickness(subject: FaultSubject): Promise<string[]> {
  try {
    const link = await FaultLink.open(subject)
    try {
      const { answered, sent } = await link.call(2)
      return answered === sent ? [] : [`afterwards ${sent - answered} of ${sent} calls of a new client had no answer`]
    } finally {
      await link.close()
    }
  } catch (error) {
    return [`afterwards a new client could not connect: ${error instanceof Error ? error.message : error}`]
  }
}
