/** `serveFetch` as a Worker: nothing is kept between requests, which may each meet another copy of this program. */

import { type FetchHandler, serveFetch } from '@portico/sdk/fetch'
import { OPTIONS } from '../options.ts'
import { createSubject } from '../server.ts'

let mcp: FetchHandler | undefined

export default {
  fetch(request: Request): Promise<Response> {
    // Made by the first request: a Worker may not draw random numbers, such as the server's own key, before one.
    mcp ??= serveFetch(createSubject(), { ...OPTIONS, sessions: false })
    return mcp.fetch(request)
  },
}
