/** Keys that work everywhere: `g` and then a letter goes to a screen, `?` tells them all. Not while something is typed. */

import { useEffect } from 'react'
import { go } from '../app/route.ts'
import { SCREENS } from './screens.tsx'

/** How long after `g` the letter may come. */
const PAUSE_MS = 1_500

export function useShortcuts(onHelp: () => void): void {
  useEffect(() => {
    let armedAt = Number.NEGATIVE_INFINITY
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === '?') return onHelp()
      const isArmed = event.timeStamp - armedAt < PAUSE_MS
      armedAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      const screen = isArmed ? SCREENS.find(({ key }) => key === event.key) : undefined
      if (screen === undefined) return
      event.preventDefault()
      go(screen.path)
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [onHelp])
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}
