/** What a check is, and how a list of them is run against one server. `suites/` chooses the server. */

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
