/** What is kept of an item that was approved, or waits for it. */

import type { JsonObject } from '@portico/sdk/client'

export interface Pin {
  readonly approved?: {
    readonly fingerprint: string
    readonly meaning: JsonObject
    readonly at: number
    readonly by: 'first-sight' | 'person' | 'trust'
    /** The whole definition is in it; earlier versions kept some members alone. */
    readonly whole?: boolean
  }
  /** What it means now, where that is not approved. */
  readonly pending?: { readonly fingerprint: string; readonly meaning: JsonObject; readonly since: number }
  /** The last listing had it. */
  readonly present: boolean
  /** When it was first listed; earlier versions did not say. */
  readonly since?: number
}

/** By server, then by kind and name. */
export type PinTable = Map<string, Map<string, Pin>>

/** What is to be written about one server. */
export interface PinChanges {
  /** Whatever was there before goes. */
  readonly anew: boolean
  /** Undefined for one that goes. */
  readonly pins: Map<string, Pin | undefined>
}
