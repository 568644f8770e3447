/** Every reply passes the contract of replies: Node's own, and the web's. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'vitest'
import { WebExchange } from '../serve/adapters/fetch-handler.ts'
import { NodeExchange } from '../serve/adapters/http-node.ts'
import type { HttpRequest } from '../serve/streamable/http-request.ts'
import { type ContractDoor, type ContractExchange, replyContract, type Sent } from './reply-contract.ts'

async function nodeDoor(): Promise<ContractDoor> {
  const arrived: ((request: HttpRequest) => void)[] = []
  const server = createServer((req, res) => arrived.shift()?.(new NodeExchange(req, res)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  return {
    async send(body, headers) {
      const leaving = new AbortController()
      const request = new Promise<HttpRequest>((resolve) => arrived.push(resolve))
      const response = fetch(url, { ...post(body, headers), signal: leaving.signal })
      return { request: await request, response, leave: () => leaving.abort() }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function webDoor(): Promise<ContractDoor> {
  return {
    async send(body, headers): Promise<ContractExchange> {
      const leaving = new AbortController()
      const asked = new Request('http://localhost/mcp', { ...post(body, headers), signal: leaving.signal })
      let respond: (response: Response) => void = () => {}
      const response = new Promise<Response>((resolve) => {
        respond = resolve
      })
      return { request: new WebExchange(asked, undefined, respond), response, leave: () => leaving.abort() }
    },
    close: async () => {},
  }
}

function post(body: Sent, headers: { readonly [name: string]: string } = {}) {
  return { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers }, duplex: 'half' } as const
}

describe.each([
  ['Node', nodeDoor],
  ['the web', webDoor],
] as const)('a reply of %s', (_name, make) => {
  it.each(replyContract(make))('$name', ({ run }) => run())
})
