/** The matrix in memory: every requirement on every revision. */

import { runMatrix } from './run-matrix.ts'
import { ALL_SUITES } from './suites.ts'

runMatrix('memory', ALL_SUITES)
