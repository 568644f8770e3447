/** The matrix over stdio: every requirement on every revision. */

import { runMatrix } from './run-matrix.ts'
import { ALL_SUITES } from './suites.ts'

runMatrix('stdio', ALL_SUITES)
