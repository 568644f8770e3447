/** Gateway and server agree on what every message means: the same requests, sent to both, come to the same. */

import { PROTOCOL_VERSIONS } from '@portico/sdk/client'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { gatewayRequests, openPair } from '../../../tests/fuzz/targets/gateway.ts'

describe.each(PROTOCOL_VERSIONS)('%s', (versions) => {
  test('the same request has the same outcome with and without the gateway', async () => {
    const pair = await openPair(versions)
    try {
      await fc.assert(
        fc.asyncProperty(gatewayRequests, (request) => pair.compare(request)),
        { numRuns: 150 },
      )
    } finally {
      await pair.close()
    }
  })
})
