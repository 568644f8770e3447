/** Tries a client that anybody wrote, as a program, with everything that a network and a server may do to it. */

import { type Account, addAccount, createAccount, isClean } from './account.ts'
import { CLIENT_CELLS, type ClientCell } from './client-cells.ts'
import { ForeignClient, type ForeignCommand, type ForeignEnd } from './foreign-client.ts'
import { FaultProxy } from './proxy.ts'
import { createSeeded } from './seeded.ts'
import type { FaultOptions, FaultRow } from './try-server.ts'
import { answerOf, WorkSite } from './work-server.ts'

const CALLS = 16

/**
 * Tries a client, which is a program that makes the calls that it is told on its standard input and tells their ends on its
 * standard output (`docs/guide/faults.md` shows one). A row for each fault; whether it speaks the truth about delivery
 * is seen where it says anything about that.
 *
 * @example
 * ```ts
 * import { tryClient } from '@portico/sdk/testing/faults'
 *
 * const rows = await tryClient({ command: 'node', args: ['my-client.mjs'] }, 5_000)
 * console.log(rows.filter(({ ok }) => !ok))
 * ```
 */
export async function tryClient(
  command: ForeignCommand,
  timeoutMs: number,
  options: FaultOptions = {},
): Promise<FaultRow[]> {
  const { runs = 3, seed = 1, signal, onBegin } = options
  const rows: FaultRow[] = []
  for (const cell of CLIENT_CELLS) {
    onBegin?.(cell.about, { fault: `F${cell.fault}`, number: rows.length + 1, of: CLIENT_CELLS.length })
    const account = createAccount()
    const notes = new Set<string>()
    let tells = false
    for (let run = 0; run < runs; run++) {
      signal?.throwIfAborted()
      const came = await tryOnce(cell, { command, timeoutMs, seed: seed + run })
      addAccount(account, came.account)
      tells ||= came.tells
      for (const note of came.notes) notes.add(note)
      // Who makes no call at all before anything is broken will make none later.
      if (rows.length === 0 && account.sent === 0) return [toRow(cell, account, { tells, notes })]
    }
    rows.push(toRow(cell, account, { tells, notes }))
  }
  return rows
}

function toRow(
  { fault, about }: ClientCell,
  account: Account,
  { tells, notes }: { readonly tells: boolean; readonly notes: ReadonlySet<string> },
): FaultRow {
  const unseen = tells || account.failed === 0 ? [] : (['untrue'] as const)
  return { fault: `F${fault}`, about, account, unseen, ok: isClean(account) && notes.size === 0, notes: [...notes] }
}

interface Came {
  readonly account: Account
  /** Whether it says of failed calls if they were sent. */
  readonly tells: boolean
  readonly notes: readonly string[]
}

async function tryOnce(
  cell: ClientCell,
  { command, timeoutMs, seed }: { command: ForeignCommand; timeoutMs: number; seed: number },
): Promise<Came> {
  const site = new WorkSite()
  await site.start()
  const proxy = await FaultProxy.open({ port: site.port })
  const client = new ForeignClient(command, `http://127.0.0.1:${proxy.port}/mcp`)
  try {
    // What it takes to connect is no part of the fault.
    const first = await client.call(`${seed}-first`, timeoutMs, timeoutMs * 4)
    if (first?.text === undefined) {
      const why = first?.error ?? client.said
      return { account: createAccount(), tells: false, notes: [`the client made no call: ${why || 'it said nothing'}`] }
    }
    const nonces = Array.from({ length: CALLS }, (_, index) => `${seed}-${index}-n`)
    const here = { proxy, site, seeded: createSeeded(seed), nonces }
    cell.before?.(here)
    const calls = nonces.map((nonce) => client.call(nonce, timeoutMs, timeoutMs * 2))
    await cell.during?.(here)
    const ends = await Promise.all(calls)
    return toCame(cell, nonces, ends, { executed: site.executed, timeoutMs })
  } finally {
    await client.close()
    await proxy.close()
    await site.stop()
  }
}

function toCame(
  { harmless = false }: ClientCell,
  nonces: readonly string[],
  ends: readonly (ForeignEnd | undefined)[],
  { executed, timeoutMs }: { executed: ReadonlyMap<string, number>; timeoutMs: number },
): Came {
  const account = createAccount()
  for (const [index, nonce] of nonces.entries()) {
    const end = ends[index]
    const times = executed.get(nonce) ?? 0
    account.sent++
    if (times > 1) account.doubled++
    if (end === undefined) account.lost++
    else if (end.text !== undefined) {
      account.answered++
      if (end.text !== answerOf(nonce)) account.wrong++
      if (times === 0) account.untrue++
    } else {
      account.failed++
      if (end.delivery === 'not-sent' && times > 0) account.untrue++
      if (harmless) account.lost++
      // A call that ends with its own timeout: the fault itself was not noticed.
      if (end.afterMs >= timeoutMs * 0.9) account.hung++
    }
  }
  return { account, tells: ends.some((end) => end?.delivery !== undefined), notes: [] }
}
