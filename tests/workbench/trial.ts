/** One thing that is tried in the browser; the files of cases make them, `run.ts` hands them the page. */

import type { Trial as AnyTrial } from '../support/suite.ts'
import type { Site } from './site.ts'

export interface Trial extends Pick<AnyTrial, 'name' | 'long' | 'always'> {
  /** What the browser writes to its console about a refusal that the trial is about. */
  readonly expects?: RegExp
  run(site: Site): Promise<void>
}
