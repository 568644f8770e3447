// Teaches: protecting a server by access tokens, with an authorization server and its sign-in page on the same machine.
import { createAuthorizationServer } from '@portico/host/authorization-server'
import { requireBearer } from '@portico/sdk/bearer'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'

const port = Number(process.env.PORT ?? 3000)
const issuer = `http://127.0.0.1:${Number(process.env.ISSUER_PORT ?? 3001)}`
const resource = `http://127.0.0.1:${port}/mcp`
const password = process.env.PASSWORD ?? crypto.randomUUID()

const server = createServer({
  name: 'diary',
  version: '1.0.0',
  tools: {
    whoami: tool({ description: 'Who is signed in' }, (_, ctx) => ctx.principal?.id ?? 'nobody'),
    // Without the scope this tool does not exist: it is not listed, and calling it answers like an unknown name.
    read: tool({ description: 'Reads the diary', scopes: ['diary:read'] }, () => 'Dear diary …'),
    // This one is listed for everybody, and calling it tells the client which scopes to ask the user for.
    write: tool({ description: 'Writes', scopes: ['diary:write'], challenge: 'step-up' }, () => 'Written'),
  },
})

const scopes = ['diary:read', 'diary:write']
const issuing = await createAuthorizationServer({ issuer, password, resources: [resource], scopes }).listen()
const hierarchy = { 'diary:write': ['diary:read'] }
const auth = requireBearer({ issuer, resource, hierarchy, scopesSupported: ['diary:read'] })
const http = await serveHttp(server, { port, auth })

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.all([http.close(), issuing.close()]))
}
console.log(`Serving on ${http.url}; sign in with the password ${password}`)
