/** A server that wants to know who one is, behind an authorization server with one account: both over real HTTP. */

import { type AddressInfo, createServer as createSocket } from 'node:net'
import { createAuthorizationServer } from '@portico/host/authorization-server'
import { requireBearer } from '@portico/sdk/bearer'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'

export interface ProtectedServer {
  readonly url: string
  readonly issuer: string
  readonly password: string
  close(): Promise<void>
}

export async function serveProtected(): Promise<ProtectedServer> {
  // Each has to know the other's address before it is there.
  const [url, issuer] = [`http://127.0.0.1:${await freePort()}/mcp`, `http://127.0.0.1:${await freePort()}`]
  const password = 'correct horse battery'
  const issuing = await createAuthorizationServer({ issuer, password, resources: [url], scopes: [] }).listen()
  const diary = createServer({
    name: 'diary',
    version: '1.0.0',
    tools: {
      whoami: tool({ description: 'Says who asks' }, (_args, ctx) => `You are ${ctx.principal?.id ?? 'nobody'}.`),
    },
  })
  const served = await serveHttp(diary, {
    port: Number(new URL(url).port),
    auth: requireBearer({ issuer, resource: url }),
  })
  return {
    url,
    issuer,
    password,
    close: async () => {
      await served.close()
      await issuing.close()
    },
  }
}

async function freePort(): Promise<number> {
  const socket = createSocket()
  await new Promise<void>((resolve) => socket.listen(0, '127.0.0.1', resolve))
  // A socket on a port has an address of this kind.
  const { port } = socket.address() as AddressInfo
  await new Promise((resolve) => socket.close(resolve))
  return port
}
