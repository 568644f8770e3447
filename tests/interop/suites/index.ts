/** All suites in the order of the table. */

import { officialClientSuites } from './official-clients.ts'
import { officialServerSuites } from './official-servers.ts'
import { ourClientSuites } from './our-client.ts'
import { publishedServerSuites } from './published-servers.ts'
import { rawWireSuites } from './raw-wire.ts'
import type { Suite } from './suite.ts'

export const suites: Suite[] = [
  ...officialClientSuites,
  ...rawWireSuites,
  ...ourClientSuites,
  ...officialServerSuites,
  ...publishedServerSuites,
]
