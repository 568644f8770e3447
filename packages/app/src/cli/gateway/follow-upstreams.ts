/** Which servers of a gateway cannot be reached, and which can be again: one line each, for whoever looks at its log. */

import type { Host } from '@portico/host'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'

/** Tells what is missing now, then every change. Returns what ends it. */
export function followUpstreams({ upstreams, catalogue }: Host, io: Io): () => void {
  const away = new Set<string>()
  const lose = (server: string, reason: string, remedy = ''): void => {
    // What is tried again and fails again is no news.
    if (away.has(server)) return
    away.add(server)
    io.say(`${io.paint.yellow('missing')} ${server}: ${toLine(reason, 400)}${remedy && ` ${toLine(remedy, 300)}`}`)
  }
  for (const { server, reason, remedy } of catalogue.missing()) lose(server, reason, remedy)
  return upstreams.on('state', ({ server, state: { state, reason, remedy } }) => {
    if (state === 'failed' || state === 'degraded') lose(server, reason ?? `It is ${state}.`, remedy)
    else if (state === 'ready' && away.delete(server)) io.say(`${io.paint.green('back')} ${server}: it can be reached.`)
  })
}
