/** The limit in memory: a function call with JSON both ways, and the same by reference. */

import { announceCaller } from '../control.ts'
import { add } from '../work.ts'

interface Request {
  readonly id: number
  readonly params: { readonly arguments: { readonly a: number; readonly b: number } }
}

async function serve({ id, params }: Request): Promise<object> {
  const { a, b } = params.arguments
  return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: add(a, b) }] } }
}

let id = 0

function request(): Request & object {
  const params = { name: 'add', arguments: { a: 1, b: 2 } }
  return { jsonrpc: '2.0', id: ++id, method: 'tools/call', params } as Request
}

async function withJson(): Promise<unknown> {
  const answer = JSON.stringify(await serve(JSON.parse(JSON.stringify(request()))))
  return JSON.parse(answer)
}

announceCaller(process.argv[2] === 'reference' ? () => serve(request()) : withJson)
