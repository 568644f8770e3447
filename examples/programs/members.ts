// Teaches: a protected server inside a web application: tokens, scopes that are asked for when needed, state for each caller.
import { createServer as createNodeServer } from 'node:http'
import { createAuthorizationServer } from '@portico/host/authorization-server'
import { requireBearer } from '@portico/sdk/bearer'
import { createHttpHandler } from '@portico/sdk/http'
import { withState } from '@portico/sdk/server'
import { z } from 'zod'

const origin = `http://127.0.0.1:${process.env.PORT ?? 3000}`
const issuer = `http://127.0.0.1:${process.env.ISSUER_PORT ?? 3001}`
const resource = `${origin}/api/mcp`

/** What handlers get of whoever asks: their own notes, and nobody else's. */
const { createServer, tool } = withState<{ readonly notes: string[] }>()
const notesOf = new Map<string, string[]>()

const server = createServer({
  name: 'members',
  version: '1.0.0',
  context: ({ principal }) => {
    const id = principal?.id ?? ''
    const notes = notesOf.get(id) ?? []
    notesOf.set(id, notes)
    return { notes }
  },
  tools: {
    whoami: tool({ description: 'Who is signed in', readOnly: true }, (_, { principal }) => principal?.id),
    list: tool(
      { description: 'Your notes', output: z.array(z.string()), readOnly: true },
      (_, { state }) => state.notes,
    ),
    write: tool(
      {
        description: 'Adds a note',
        input: z.object({ text: z.string().min(1) }),
        scopes: ['notes:write'],
        challenge: 'step-up',
      },
      ({ text }, { state }) => `${state.notes.push(text)} notes`,
    ),
  },
})

const scopes = ['notes:read', 'notes:write']
const issuing = await createAuthorizationServer({
  issuer,
  password: crypto.randomUUID(),
  resources: [resource],
  scopes,
  clients: ['ada', 'bob'].map((name) => ({
    client_id: name,
    client_secret: `${name}'s long and secret word`,
    grant_types: ['client_credentials'],
    redirect_uris: [],
    response_types: [],
  })),
}).listen()

const auth = requireBearer({ issuer, resource, scopes: ['notes:read'], scopesSupported: ['notes:read'] })
const mcp = createHttpHandler(server, { path: '/api/mcp', auth })

const web = createNodeServer((req, res) => {
  // The handler takes its path and those under /.well-known/, and passes every other request on.
  mcp(req, res, () => res.writeHead(200, { 'content-type': 'text/plain' }).end(`A page at ${req.url}`))
}).listen(Number(new URL(origin).port), '127.0.0.1', () => console.log(`Serving on ${resource}`))

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.all([mcp.close(), issuing.close()]).then(() => web.close()))
}
