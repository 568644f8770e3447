/** A cell of the matrix: one fault on one link, in one of its forms. */

import type { Seeded } from '@portico/sdk/testing/faults'
import type { Fates } from './judge.ts'
import type { Rig } from './rig/rig.ts'
import type { Link, RigOptions } from './rig/rig-options.ts'

export const LINKS = {
  L1: 'client–stdio server',
  L2: 'client–HTTP server, 2026-07-28',
  L3: 'client–HTTP server, 2025-11-25 with sessions',
  L4: 'client–gateway',
  L5: 'gateway–upstream, HTTP and stdio in turn',
  L6: 'replica–store',
} as const

export type LinkName = keyof typeof LINKS

export const FAULTS = [
  'kill -9 before the request is written',
  'kill -9 before execution',
  'kill -9 after execution, before the reply',
  'kill -9 in the middle of the reply',
  'exits 0 with calls in flight',
  'SIGTERM with calls in flight',
  'SIGSTOP, then SIGCONT',
  'crash loop',
  'grandchild keeps pipes open',
  'wrapper killed, server lives',
  'noise on stdout',
  'stdin blocked',
  'TCP RST',
  'answers that are none',
  'half-open connections',
  'one byte at a time',
  'slow line, stalled reader',
  'HTTP error statuses',
  'restart, sessions lost',
  'rolling restart of two replicas',
  'duplicate, reordered, late answers',
  'cancellation races with the reply',
  'token expiry',
  'clock jumps, timer overflow',
  'file descriptors, memory, disk used up',
  'event loop blocked',
] as const

export interface Cell {
  readonly link: Link
  /** From 1 on, as in `FAULTS`. */
  readonly fault: number
  /** Which form of the fault. */
  readonly about: string
  readonly options?: RigOptions | ((seeded: Seeded) => RigOptions)
  run(rig: Rig, seeded: Seeded): Promise<Fates>
}

/** The same without its link, for faults that several links have. */
export type Form = Omit<Cell, 'link'>

export function nameOf({ link, fault, about }: { link: LinkName; fault: number; about: string }): string {
  return `${link} F${fault} ${about}`
}

/** A fault's forms on every one of the links. */
export function onLinks(links: readonly Link[], forms: readonly Form[]): Cell[] {
  return links.flatMap((link) => forms.map((form) => ({ ...form, link })))
}
