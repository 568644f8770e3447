/** All suites in the order of the table. */

import { officialClientSuites } from './official-clients.ts'
import type { Suite } from './suite.ts'

export const suites: Suite[] = [...officialClientSuites]
