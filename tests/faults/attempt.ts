/** One run of one cell: opens what it needs, lets the fault happen, closes everything, and judges. */

import { createSeeded } from '@portico/sdk/testing/faults'
import { withLimit } from '../support/wait.ts'
import { beginRun } from './calls.ts'
import type { Cell } from './cell.ts'
import { type Fates, type Judgement, judge } from './judge.ts'
import { type Closed, Rig } from './rig/rig.ts'

/** No run may stand still for ever. */
const RUN_MS = 120_000

export async function attempt(cell: Cell, seed: number): Promise<Judgement> {
  beginRun()
  const seeded = createSeeded(seed)
  const { options = {} } = cell
  const rig = await Rig.open(cell.link, typeof options === 'function' ? options(seeded) : options, seed)
  let fates: Fates
  let closed: Closed | undefined
  try {
    fates = await withLimit(cell.run(rig, seeded), RUN_MS, 'the run')
  } finally {
    closed = await rig.close()
  }
  const judgement = judge(fates, closed.ledger)
  judgement.complaints.push(...closed.left.map((what) => `left behind: ${what}`))
  return judgement
}
