/** `serveFetch` on Node, which has no server for `Request` and `Response` itself: the one of the Hono project. */

import { serve } from '@hono/node-server'
import { serveFetch } from '@portico/sdk/fetch'
import { OPTIONS } from '../options.ts'
import { createSubject } from '../server.ts'

const { fetch } = serveFetch(createSubject(), OPTIONS)
serve({ fetch: (request) => fetch(request), port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  console.log(`listening on http://127.0.0.1:${port}`)
})
