/** The tour from wherever it is offered, and whether this browser has seen the offer. */

import { go } from '../route.ts'
import { createChat } from './chat-store.ts'
import { createStore, useStore } from './store.ts'

const KEY = 'portico-tour-offered'
const offered = createStore(isKept())

export async function startTour(): Promise<void> {
  const made = await createChat({ tour: true })
  if (made === undefined) return
  dismissTour()
  go('/chat', { id: made.id })
}

export function useTourOffered(): boolean {
  return useStore(offered)
}

/** It is not offered on the first screen any more; the chat still has it. */
export function dismissTour(): void {
  offered.set(true)
  try {
    localStorage.setItem(KEY, 'yes')
  } catch {
    // A browser that keeps nothing offers it again.
  }
}

function isKept(): boolean {
  try {
    return localStorage.getItem(KEY) !== null
  } catch {
    return false
  }
}
