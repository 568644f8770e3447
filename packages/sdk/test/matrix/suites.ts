/** Every suite of the matrix, in the order in which they are run. */

import type { Suite } from './bench.ts'
import { toolSuite } from './suites/tools.ts'

export const ALL_SUITES: readonly Suite[] = [toolSuite]
