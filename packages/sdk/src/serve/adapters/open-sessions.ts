/** The sessions that are open at a server, for whoever runs it: who has them, and how to end one. */

import { createHash } from 'node:crypto'
import type { Streamable } from '../streamable/streamable.ts'
import type { HttpSession } from '../streamable/streamable-session.ts'

/** A session of the older revisions, as whoever runs the server sees it. */
export interface OpenSession {
  /** Tells it from others and is of no other use: the id is its client's secret. */
  readonly name: string
  /** Who opened it, where callers are identified. */
  readonly principal?: string
  readonly version: string
  /** What the client calls itself. */
  readonly client: string
  /** Since it was last used. */
  readonly idleMs: number
  /** Whether a request runs or a stream is open. */
  readonly busy: boolean
}

const NAME_LENGTH = 16

export function listSessions(streamable: Streamable): readonly OpenSession[] {
  const now = Date.now()
  return [...streamable.sessions].map((session) => toOpen(session, now))
}

/** False where there is none of that name. */
export async function endSession(streamable: Streamable, name: string): Promise<boolean> {
  for (const session of streamable.sessions) {
    if (nameOf(session) !== name) continue
    await streamable.endSession(session)
    return true
  }
  return false
}

function toOpen(open: HttpSession, now: number): OpenSession {
  const { principal, revision, clientInfo } = open.session
  return {
    name: nameOf(open),
    ...(principal && { principal: principal.id }),
    version: revision.version,
    client: clientInfo?.name ?? '',
    idleMs: Math.max(0, now - open.lastUsed),
    busy: open.busy,
  }
}

function nameOf({ id }: HttpSession): string {
  return createHash('sha256').update(id).digest('hex').slice(0, NAME_LENGTH)
}
