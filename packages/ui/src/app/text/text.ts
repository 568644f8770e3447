/** Words and numbers for people: characters that hide are made visible, sizes and times are short. */

import { showHidden } from '@portico/sdk/internal-text'

/** Control, bidirectional, invisible and private characters as their code points. Line ends and tabs stay. */
export function toVisible(text: string): string {
  return showHidden(text, 'lines')
}

export function toSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const [unit = 'TB', divisor] = UNITS.find(([, most]) => bytes < most * 1_000) ?? ['TB', 1e12]
  const value = bytes / divisor
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`
}

const UNITS: readonly (readonly [string, number])[] = [
  ['kB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
]

export function toDuration(ms: number): string {
  if (ms < 1) return '<1 ms'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 172_800_000) return `${Math.round(ms / 3_600_000)} h`
  return `${Math.round(ms / 86_400_000)} days`
}

/** How long ago, or in how long. */
export function toAgo(at: number, now = Date.now()): string {
  const distance = now - at
  if (Math.abs(distance) < 5_000) return 'just now'
  // Tenths of a second say nothing about when.
  const words = toDuration(Math.max(1_000, Math.round(Math.abs(distance) / 1_000) * 1_000)).replace('.0 s', ' s')
  return distance > 0 ? `${words} ago` : `in ${words}`
}

export function toClock(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'medium' })
}

export function toCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`
}
