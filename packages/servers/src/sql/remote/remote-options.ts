/** What the engines on the other side of a connection (`postgres.ts`, `mysql.ts`) are opened with. */

import type { SqlLimits } from '../limits.ts'

export interface RemoteOptions<Url> {
  readonly url: Url
  readonly secrets: readonly string[]
  readonly schemas: readonly string[] | undefined
  readonly allowPowerfulRole: boolean
  readonly limits: SqlLimits
}
