/** The compiler that this repository is built with: suites install others, and whose is nearest depends on which ran before. */

import { fileURLToPath } from 'node:url'

export const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
