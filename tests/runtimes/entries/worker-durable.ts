/** `serveFetch` in a Durable Object: all requests meet the same object, so sessions and listeners find each other. */

import { type FetchHandler, serveFetch } from '@portico/sdk/fetch'
import { OPTIONS } from '../options.ts'
import { createSubject } from '../server.ts'

interface Env {
  readonly MCP: { getByName(name: string): { fetch(request: Request): Promise<Response> } }
}

export class McpObject {
  // A client that left is noticed at the next write to it, which a keep-alive comment is.
  readonly #mcp: FetchHandler = serveFetch(createSubject(), {
    ...OPTIONS,
    limits: { ...OPTIONS.limits, keepAliveMs: 500 },
  })

  fetch(request: Request): Promise<Response> {
    return this.#mcp.fetch(request)
  }
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> => env.MCP.getByName('the one').fetch(request),
}
