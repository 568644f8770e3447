/** `serveFetch` in a Durable Object: all requests meet the same object, so sessions and listeners find each other. */

import { type FetchHandler, serveFetch } from '@portico/sdk/fetch'
import { OPTIONS } from '../options.ts'
import { createSubject } from '../server.ts'

interface Env {
  readonly MCP: { getByName(name: string): { fetch(request: Request): Promise<Response> } }
}

export class McpObject {
  readonly #mcp: FetchHandler = serveFetch(createSubject(), OPTIONS)

  fetch(request: Request): Promise<Response> {
    return this.#mcp.fetch(request)
  }
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> => env.MCP.getByName('the one').fetch(request),
}
