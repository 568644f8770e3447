/** One thing that the lab tries, as `run.ts` runs it; the files of cases make them. */

import type { Site } from './site.ts'

export interface Trial {
  readonly name: string
  /** Left out of the short run. */
  readonly long?: boolean
  /** What the others need; run whatever is asked for. */
  readonly always?: boolean
  /** What the browser writes to its console about a refusal that the trial is about. */
  readonly expects?: RegExp
  run(site: Site): Promise<void>
}
