/** All targets, in the order in which they run. */

import type { Trial } from '../../support/suite.ts'
import { browserSuites } from './browser.ts'
import { bundlerSuites } from './bundlers.ts'
import { frameworkSuites } from './frameworks.ts'
import { officialSuites } from './official.ts'
import { runtimeSuites } from './runtimes.ts'
import { schemaSuites } from './schemas.ts'
import { typeSuites } from './types.ts'

export const suites: readonly Trial[] = [
  ...runtimeSuites,
  ...frameworkSuites,
  ...browserSuites,
  ...bundlerSuites,
  ...officialSuites,
  ...schemaSuites,
  ...typeSuites,
]
