/** The matrix over http: every requirement on every revision. */

import { runMatrix } from './run-matrix.ts'
import { ALL_SUITES } from './suites.ts'

runMatrix('http', ALL_SUITES)
