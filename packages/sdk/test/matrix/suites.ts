/** Every suite of the matrix, in the order in which they are run. */

import type { Suite } from './run-matrix.ts'
import { askingSuite } from './suites/asking.ts'
import { changeSuite } from './suites/changes.ts'
import { elicitationSuite } from './suites/elicitation.ts'
import { jsonRpcSuite } from './suites/jsonrpc.ts'
import { lifecycleSuite } from './suites/lifecycle.ts'
import { resourceSuite } from './suites/resources.ts'
import { roundSuite } from './suites/rounds.ts'
import { toolSuite } from './suites/tools.ts'
import { utilitySuite } from './suites/utilities.ts'

export const ALL_SUITES: readonly Suite[] = [
  lifecycleSuite,
  toolSuite,
  resourceSuite,
  utilitySuite,
  jsonRpcSuite,
  changeSuite,
  elicitationSuite,
  askingSuite,
  roundSuite,
]
