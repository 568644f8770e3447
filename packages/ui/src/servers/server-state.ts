/** What each state of a server is called on the page, how it looks, and the one thing to do about it. */

import type { ServerCard } from 'portico/web-api'
import type { ToneName } from '../theme.ts'

type StateName = ServerCard['state']['state']

interface StateLook {
  readonly tone: ToneName
  readonly word: string
  /** Wanting something of the user comes first in the list. */
  readonly rank: number
}

const STATES: { readonly [state in StateName]: StateLook } = {
  'needs-sign-in': { tone: 'warn', word: 'Needs sign-in', rank: 0 },
  quarantined: { tone: 'warn', word: 'Changed', rank: 0 },
  failed: { tone: 'bad', word: 'Failed', rank: 1 },
  degraded: { tone: 'warn', word: 'Degraded', rank: 2 },
  starting: { tone: 'busy', word: 'Starting', rank: 3 },
  ready: { tone: 'good', word: 'Ready', rank: 4 },
  idle: { tone: 'calm', word: 'Idle', rank: 5 },
  disabled: { tone: 'calm', word: 'Disabled', rank: 6 },
}

const NEEDS_PERMISSION: StateLook = { tone: 'warn', word: 'Needs permission', rank: 0 }

/** How a server is, wherever the page says so: one that waits for a person's yes is not starting. */
export function lookOf({ state }: Pick<ServerCard, 'state'>): StateLook {
  return state.awaits === 'permission' ? NEEDS_PERMISSION : STATES[state.state]
}

/** Servers that want something first; otherwise as configured. */
export function sortServers(servers: readonly ServerCard[]): readonly ServerCard[] {
  const rank = (server: ServerCard) => Math.min(lookOf(server).rank, server.items.quarantined > 0 ? 2 : 9)
  return [...servers].sort((a, b) => rank(a) - rank(b))
}

/** `5 ready · 1 needs sign-in`: every state that occurs, the usual one first. */
export function summarise(servers: readonly ServerCard[]): string {
  const counts = new Map<StateLook, number>()
  for (const look of servers.map(lookOf)) counts.set(look, (counts.get(look) ?? 0) + 1)
  return [...counts]
    .sort(([a], [b]) => Number(b === STATES.ready) - Number(a === STATES.ready) || a.rank - b.rank)
    .map(([{ word }, count]) => `${count} ${word.toLowerCase()}`)
    .join(' · ')
}

export function isRemote({ config }: ServerCard): boolean {
  return config.target.kind !== 'stdio' && config.target.kind !== 'in-process'
}
