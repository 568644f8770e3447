/** All targets, in the order in which they run. */

import { frameworkSuites } from './frameworks.ts'
import { runtimeSuites } from './runtimes.ts'
import type { Suite } from './suite.ts'

export const suites: readonly Suite[] = [...runtimeSuites, ...frameworkSuites]
