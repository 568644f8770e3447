/**
 * Everything that callers share, as a program of its own: a server, a gateway before another, a server whose tokens are asked
 * about, an authorization server. Its argument is a `SharedSetting`; it reports over IPC where each is.
 */

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createHttp } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createHost } from '@portico/host'
import { createAuthorizationServer } from '@portico/host/authorization-server'
import { defineServer } from '@portico/host/config'
import { createGateway, serveGateway } from '@portico/host/gateway'
import { requireBearer } from '@portico/sdk/bearer'
import { serveHttp } from '@portico/sdk/http'
import { createPrincipal, type Principal } from '@portico/sdk/server'
import { createWorkServer } from './work-server.ts'

export interface SharedSetting {
  readonly limits?: { readonly [name: string]: number }
  /** A folder of its own. */
  readonly stateDir: string
  /** Free ports, for what must know its own before it starts. */
  readonly ports: readonly [upstream: number, issuer: number]
}

export interface SharedPorts {
  readonly server: number
  readonly gateway: number
  readonly bearer: number
  readonly issuer: number
}

const MANY = 100_000_000
const SLOTS = 16
const INTROSPECTION_MS = 5
/** Nobody is there: what its tokens are worth is asked elsewhere. */
const ISSUER = 'http://127.0.0.1:1'
const RESOURCE = `${ISSUER}/mcp`
const setting: SharedSetting = JSON.parse(process.argv[2] ?? '{}')
const [upstreamPort, issuerPort] = setting.ports
const limits = setting.limits ?? {}

const authenticate = (head: { header(name: string): string | undefined }): Principal =>
  createPrincipal(head.header('authorization') ?? 'nobody')
const server = await serveHttp(createWorkServer('server'), { port: 0, limits, authenticate })
const upstream = fork(fileURLToPath(new URL('upstream.ts', import.meta.url)), [`${upstreamPort}`])
await once(upstream, 'message')
const gateway = await serveGateway(await openGateway(), { port: 0, limits, authenticate })
const bearer = await serveBearer()
const issuer = `http://127.0.0.1:${issuerPort}`
await createAuthorizationServer({ issuer, password: crypto.randomUUID(), resources: [`${issuer}/mcp`] }).listen()

const ports: SharedPorts = { server: server.port, gateway: gateway.port, bearer: bearer.port, issuer: issuerPort }
process.send?.(ports)
process.on('disconnect', () => {
  upstream.kill('SIGKILL')
  process.exit()
})

async function openGateway() {
  const transport = { kind: 'http', url: `http://127.0.0.1:${upstreamPort}/mcp`, headers: {} } as const
  const host = await createHost({
    stateDir: setting.stateDir,
    unattended: true,
    packageLookups: false,
    rules: [{ id: 'all', outcome: 'allow', effect: ['connect', 'call'] }],
    servers: [defineServer('up', transport, { maxConcurrent: SLOTS })],
  })
  await host.catalogue.list()
  return createGateway(host, { unattended: true, limits: { callsPerMinute: MANY, listsPerMinute: MANY } })
}

/** A server whose issuer has to be asked about every token; whoever has one is named by it. */
async function serveBearer() {
  const asked = createHttp(async (req, res) => {
    let body = ''
    for await (const piece of req) body += String(piece)
    const token = new URLSearchParams(body).get('token') ?? ''
    setTimeout(() => {
      const active = token.startsWith('good-')
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify(active ? { active, sub: token, iss: ISSUER, aud: RESOURCE } : { active }))
    }, INTROSPECTION_MS)
  })
  asked.listen(0, '127.0.0.1')
  await once(asked, 'listening')
  // A server on TCP has an address of this kind.
  const { port } = asked.address() as AddressInfo
  const auth = requireBearer({
    issuer: ISSUER,
    resource: RESOURCE,
    introspection: { endpoint: `http://127.0.0.1:${port}/`, clientId: 'server', clientSecret: 'secret' },
    dangerouslyAllowHttp: true,
  })
  return serveHttp(createWorkServer('bearer'), { port: 0, limits, auth })
}
