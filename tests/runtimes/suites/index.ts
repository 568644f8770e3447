/** All targets, in the order in which they run. */

import { browserSuites } from './browser.ts'
import { bundlerSuites } from './bundlers.ts'
import { frameworkSuites } from './frameworks.ts'
import { officialSuites } from './official.ts'
import { runtimeSuites } from './runtimes.ts'
import type { Suite } from './suite.ts'
import { typeSuites } from './types.ts'

export const suites: readonly Suite[] = [
  ...runtimeSuites,
  ...frameworkSuites,
  ...browserSuites,
  ...bundlerSuites,
  ...officialSuites,
  ...typeSuites,
]
