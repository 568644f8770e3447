/** How long ago, kept true while it is on the page. All of them share one timer. */

import { useSyncExternalStore } from 'react'
import { toAgo, toClock } from './text/text.ts'

const STEP_MS = 5_000
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

export function Ago({ at }: { readonly at: number }) {
  const shown = useNow()
  // What happened since the last step is not in the future.
  const asOf = at > shown && at - shown <= STEP_MS ? at : shown
  return (
    <time dateTime={new Date(at).toISOString()} title={toClock(at)}>
      {toAgo(at, asOf)}
    </time>
  )
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  if (timer === undefined) {
    // Nobody looked for a while.
    now = Date.now()
    timer = setInterval(tick, STEP_MS)
  }
  return () => {
    listeners.delete(changed)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  now = Date.now()
  for (const changed of listeners) changed()
}
