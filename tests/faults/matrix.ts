/** The whole matrix: every cell, and every cell that there is not, with the reason. */

import { FAULTS, LINKS, type LinkName, nameOf } from './cell.ts'
import { answerCells } from './cells/answers.ts'
import { deathCells } from './cells/deaths.ts'
import { networkCells } from './cells/network.ts'
import { pipeCells } from './cells/pipes.ts'
import { stateCells } from './cells/state.ts'
import { storeCells } from './cells/store.ts'

const CELLS = [...deathCells, ...pipeCells, ...networkCells, ...answerCells, ...stateCells]

export const cells = [...CELLS, ...storeCells]

export type AnyCell = (typeof cells)[number]

export function findCell(name: string): AnyCell | undefined {
  return cells.find((cell) => nameOf(cell) === name)
}

const NO_NETWORK = 'pipes have no network'
const NO_PIPES = 'the link is a network, not a pipe'
const NO_HTTP = 'the link has no HTTP'

/** Why a link does not have a fault. */
const ABSENT: { readonly [link in LinkName]: { readonly [fault: number]: string } } = {
  L1: {
    13: NO_NETWORK,
    14: NO_HTTP,
    15: NO_NETWORK,
    18: NO_HTTP,
    19: 'pipes have neither ports nor sessions; F1 to F5 restart the server',
    20: 'a pipe leads to one process',
    23: 'pipes carry no tokens',
  },
  L2: { ...pipesOnly(), 20: 'two replicas are tried behind and before a gateway (L4, L5)' },
  L3: {
    ...pipesOnly(),
    20: 'replicas are tried with 2026-07-28 here (L4, L5), and with sessions by `npm run scale -- --replicas`',
  },
  L4: pipesOnly(),
  L5: {},
  L6: {
    ...pipesOnly(),
    2: 'a database does not say what it has begun; F3 ends it while it writes',
    4: 'the database ends by itself; cut connections are F13',
    6: 'F5 is SIGTERM with writes in flight',
    14: NO_HTTP,
    18: NO_HTTP,
    20: 'the database is one process here',
    21: 'answers of a database come in the order of its protocol',
    22: 'a write cannot be cancelled',
    23: 'the database has a password, not tokens',
    24: 'expiry is by the clock of the database',
    25: 'the limits of a database are its own',
    26: 'a database that stands still is F7',
  },
}

function pipesOnly(): { readonly [fault: number]: string } {
  return Object.fromEntries([8, 9, 10, 11, 12].map((fault) => [fault, NO_PIPES]))
}

/** Every place of the matrix: its cells, or why it has none. */
export function places(): { link: LinkName; fault: number; cells: readonly AnyCell[]; absent?: string }[] {
  return (Object.keys(LINKS) as LinkName[]).flatMap((link) =>
    FAULTS.map((_, index) => {
      const fault = index + 1
      const own = cells.filter((cell) => cell.link === link && cell.fault === fault)
      return { link, fault, cells: own, ...(own.length === 0 && { absent: ABSENT[link][fault] ?? '' }) }
    }),
  )
}
