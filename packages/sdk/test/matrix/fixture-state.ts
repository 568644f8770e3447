/** What the fixture's handlers note, shared by the files that define them. */

import type { Server } from '../../src/server/server.ts'

/** What handlers leave behind for tests to look at. */
export interface FixtureState {
  readonly errors: { message: string; where: string; reference: string }[]
  /** How often each named effect happened. */
  readonly effects: { [name: string]: number }
  readonly cancelled: string[]
  readonly observed: { method: string; error: string | undefined }[]
  done: boolean
  question: string
  server: Server | undefined
}
