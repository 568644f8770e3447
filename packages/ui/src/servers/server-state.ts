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

export const STATES: { readonly [state in StateName]: StateLook } = {
  'needs-sign-in': { tone: 'warn', word: 'Needs sign-in', rank: 0 },
  quarantined: { tone: 'warn', word: 'Changed', rank: 0 },
  failed: { tone: 'bad', word: 'Failed', rank: 1 },
  degraded: { tone: 'warn', word: 'Degraded', rank: 2 },
  starting: { tone: 'busy', word: 'Starting', rank: 3 },
  ready: { tone: 'good', word: 'Ready', rank: 4 },
  idle: { tone: 'calm', word: 'Idle', rank: 5 },
  disabled: { tone: 'calm', word: 'Disabled', rank: 6 },
}

/** Servers that want something first; otherwise as configured. */
export function sortServers(servers: readonly ServerCard[]): readonly ServerCard[] {
  const rank = ({ state, items }: ServerCard) => Math.min(STATES[state.state].rank, items.quarantined > 0 ? 2 : 9)
  return [...servers].sort((a, b) => rank(a) - rank(b))
}

/** `5 ready · 1 needs sign-in`: every state that occurs, the usual one first. */
export function summarise(servers: readonly ServerCard[]): string {
  const counts = new Map<StateName, number>()
  for (const { state } of servers) counts.set(state.state, (counts.get(state.state) ?? 0) + 1)
  return [...counts]
    .sort(([a], [b]) => Number(b === 'ready') - Number(a === 'ready') || STATES[a].rank - STATES[b].rank)
    .map(([state, count]) => `${count} ${STATES[state].word.toLowerCase()}`)
    .join(' · ')
}

export function isRemote({ config }: ServerCard): boolean {
  return config.target.kind !== 'stdio' && config.target.kind !== 'in-process'
}
