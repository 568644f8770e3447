/** Roots as data: the places a client lets a server work in. */

import type { MetaObject } from './content.ts'

/** A place that a server may work in. */
export interface Root {
  /** A `file://` URI. */
  uri: string
  name?: string
  _meta?: MetaObject
}

export interface ListRootsResult {
  roots: Root[]
}
