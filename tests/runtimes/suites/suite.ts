/** What `run.ts` runs: a target with a name, and what is done with it. */

import type { Report } from '../report.ts'

export interface Suite {
  readonly name: string
  /** Left out of `--short`, because another target nearly repeats it. */
  readonly longOnly?: boolean
  /** Why it cannot run on this machine, if so. */
  readonly missing?: () => string | undefined
  readonly run: (report: Report) => Promise<void>
}
