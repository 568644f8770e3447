/** What an axis is that runs no server: the form that `static-axes.ts` and the files named for an axis fill in. */

import type { Figure } from './figures.ts'

export interface StaticAxis {
  readonly name: string
  readonly title: string
  readonly unit: string
  readonly about: string
  measure(rounds: number): Figure[]
}
