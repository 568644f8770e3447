/** What the engines on the other side of a connection (`postgres.ts`, `mysql.ts`) are opened with, and how. */

import type { Engine } from './engine.ts'
import type { SqlLimits } from './limits.ts'

export interface RemoteOptions<Url> {
  readonly url: Url
  readonly secrets: readonly string[]
  readonly schemas: readonly string[] | undefined
  readonly allowPowerfulRole: boolean
  readonly limits: SqlLimits
}

/** An engine once it has seen its database; one that cannot be used leaves no connection behind. */
export async function prepareEngine(engine: Engine & { prepare(): Promise<void> }): Promise<Engine> {
  try {
    await engine.prepare()
    return engine
  } catch (error) {
    await engine.close()
    throw error
  }
}
