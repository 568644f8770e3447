/** All suites in the order of the table. */

import type { Trial } from '../../support/suite.ts'
import { officialClientSuites } from './official-clients.ts'
import { officialServerSuites } from './official-servers.ts'
import { ourClientSuites } from './our-client.ts'
import { portSuites } from './ports.ts'
import { publishedServerSuites } from './published-servers.ts'
import { rawWireSuites } from './raw-wire.ts'
import { taskSuites } from './tasks.ts'
import { gatewayTaskSuites } from './tasks-gateway.ts'

export const suites: Trial[] = [
  ...officialClientSuites,
  ...rawWireSuites,
  ...ourClientSuites,
  ...officialServerSuites,
  ...publishedServerSuites,
  ...portSuites,
  ...taskSuites,
  ...gatewayTaskSuites,
]
