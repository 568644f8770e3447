/** `serveFetch` on Bun's own server. */

import { serveFetch } from '@portico/sdk/fetch'
import { OPTIONS } from '../options.ts'
import { createSubject } from '../server.ts'

declare const Bun: {
  serve(options: {
    port: number
    hostname: string
    idleTimeout: number
    fetch: (request: Request) => Promise<Response>
  }): { port: number }
}

const { fetch } = serveFetch(createSubject(), OPTIONS)
// Bun ends quiet connections after 10 s, before the first keep-alive comment, unless told otherwise.
const { port } = Bun.serve({ port: 0, hostname: '127.0.0.1', idleTimeout: 60, fetch: (request) => fetch(request) })
console.log(`listening on http://127.0.0.1:${port}`)
