/** What an axis is: the form that `axes.ts` and the files beside it fill in. */

import type { Plan } from './programs/driver.ts'

export interface Pace {
  readonly rounds: number
  readonly ms: number
  readonly warmMs: number
}

export interface Case {
  readonly name: string
  readonly plan: Plan
}

export interface Axis {
  readonly name: string
  readonly title: string
  readonly unit: string
  readonly about: string
  /** Whose figure the others are shown as multiples of; the bare one's unless given. */
  readonly base?: string
  /** How a figure is turned into the unit; CPU comes in microseconds. */
  readonly scale?: number
  cases(pace: Pace): readonly Case[]
}
