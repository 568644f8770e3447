/** What the screen server may be told, with every default said once. */

import { PorticoError } from '@portico/sdk/server'
import type { AnswerOptions } from '../answers.ts'

/**
 * Options of `createScreenServer`: when the user is asked, and how many pictures are taken and kept. Times are in
 * milliseconds.
 */
export interface ScreenOptions extends AnswerOptions {
  /** Asks the user before the first capture. On by default. */
  readonly ask?: boolean | undefined
  /** Captures for clients that cannot ask their user. Off by default. */
  readonly allowUnasked?: boolean | undefined
  /** How long a yes holds: an hour unless given. */
  readonly consentMs?: number | undefined
  /** How often the screen is looked at while somebody is subscribed: 2,000 unless given. */
  readonly watchMs?: number | undefined
  /** Bytes of one picture: 20,000,000 unless given. */
  readonly maxBytes?: number | undefined
  /** Pictures that are kept as resources after they were taken, for as long as a yes holds: 10 unless given; 0 keeps none. */
  readonly keepCaptures?: number | undefined
  /** Bytes of all that are kept: 50,000,000 unless given. */
  readonly maxKeptBytes?: number | undefined
  /** How long one capture may take: 15,000 unless given. */
  readonly timeoutMs?: number | undefined
  /** Where the windows are shown; from the environment unless given. X11 and Wayland. */
  readonly display?: string | undefined
}

export interface ScreenSettings {
  readonly ask: boolean
  readonly allowUnasked: boolean
  readonly consentMs: number
  readonly watchMs: number
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly keepCaptures: number
  readonly maxKeptBytes: number
  readonly display: string | undefined
}

const NUMBERS = {
  consentMs: 3_600_000,
  watchMs: 2_000,
  maxBytes: 20_000_000,
  timeoutMs: 15_000,
  keepCaptures: 10,
  maxKeptBytes: 50_000_000,
}

export function settleScreenOptions(options: ScreenOptions): ScreenSettings {
  const numbers = { ...NUMBERS }
  for (const name of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) {
    const value = options[name]
    if (value === undefined) continue
    if (!Number.isSafeInteger(value) || value < (name === 'keepCaptures' ? 0 : 1)) {
      throw new PorticoError('invalid-definition', `screen: option "${name}" must be a whole number above 0`)
    }
    numbers[name] = value
  }
  const { display } = options
  if (display !== undefined && !/^[\w.:/-]{1,100}$/.test(display)) {
    throw new PorticoError('invalid-definition', 'screen: option "display" must be a name such as :0 or wayland-1')
  }
  return { ask: options.ask ?? true, allowUnasked: options.allowUnasked ?? false, ...numbers, display }
}
