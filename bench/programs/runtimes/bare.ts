/** The limit on a runtime's own server: one parse and one answer, nothing checked. */

import { add, INFO } from '../work.ts'

const META = { 'io.modelcontextprotocol/serverInfo': INFO }

export async function fetch(request: Request): Promise<Response> {
  const { id, params } = await request.json()
  const { a, b } = params.arguments
  const result = { content: [{ type: 'text', text: add(a, b) }], resultType: 'complete', _meta: META }
  return new Response(JSON.stringify({ jsonrpc: '2.0', id, result }), {
    headers: { 'content-type': 'application/json' },
  })
}
