/**
 * `npm run conformance:server`: serves the fixture over HTTP until it is told to stop, every revision on the one
 * address that it prints. `PORT` chooses the port.
 */

import { serveHttp } from '@portico/sdk/http'
import { createEverythingServer } from './fixture/everything.ts'

const http = await serveHttp(createEverythingServer(), { port: Number(process.env.PORT ?? 3000), path: '/mcp' })
console.log(`conformance server on ${http.url}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void http.close()
  })
}
