/** `serveFetch` on Deno's own server. */

import { serveFetch } from '@portico/sdk/fetch'
import { OPTIONS } from '../options.ts'
import { createSubject } from '../server.ts'

declare const Deno: {
  serve(
    options: { port: number; hostname: string; onListen: (address: { port: number }) => void },
    handler: (request: Request) => Promise<Response>,
  ): unknown
}

const { fetch } = serveFetch(createSubject(), OPTIONS)
const onListen = ({ port }: { port: number }): void => console.log(`listening on http://127.0.0.1:${port}`)
Deno.serve({ port: 0, hostname: '127.0.0.1', onListen }, (request) => fetch(request))
