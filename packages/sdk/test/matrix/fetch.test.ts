/** The matrix over fetch: every requirement on every revision. */

import { runMatrix } from './run-matrix.ts'
import { ALL_SUITES } from './suites.ts'

runMatrix('fetch', ALL_SUITES)
