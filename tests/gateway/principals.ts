/**
 * Many principals at one gateway at once, each with a nonce in everything it does: calls, answers to questions,
 * subscriptions, reads. Nothing of one may ever reach another, and nothing may be left when all are gone.
 */

import { DEFAULT_SETTINGS, type ServerConfig } from '@portico/host/config'
import { createGateway, serveGateway } from '@portico/host/gateway'
import { createCatalogue, createUpstreams } from '@portico/host/upstream'
import { type Client, connect, type ProtocolVersion } from '@portico/sdk/client'
import { type HttpServer, serveHttp } from '@portico/sdk/http'
import { createPrincipal, createServer, resource, type Server, tool } from '@portico/sdk/server'

/** All principals begin at once, on whatever machine this is: slowness is not what is measured here. */
const PATIENT = { callMs: 300_000, readMs: 300_000, connectMs: 300_000, listMs: 300_000 }

/** Calls at a time: clients, gateway and servers share one process here. */
const AT_ONCE = 48

class Turns {
  #free = AT_ONCE
  readonly #waiting: (() => void)[] = []

  async take(): Promise<void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  give(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}

const turns = new Turns()

/** Everything that went astray, in words. */
type Crossings = string[]

const SERVERS: readonly { readonly name: string; readonly version: ProtocolVersion; readonly shareable: boolean }[] = [
  { name: 'old', version: '2025-11-25', shareable: false },
  { name: 'new', version: '2026-07-28', shareable: false },
  { name: 'open', version: '2026-07-28', shareable: true },
]
const CLIENTS: readonly ProtocolVersion[] = ['2026-07-28', '2025-11-25', '2025-06-18', '2024-11-05']

export async function runPrincipals(short: boolean): Promise<boolean> {
  const [principals, calls] = short ? [20, 50] : [200, 500]
  const began = performance.now()
  const crossings: Crossings = []
  const servers = await Promise.all(SERVERS.map(({ name, version }) => openNonceServer(name, version, crossings)))
  const upstreams = createUpstreams({
    watchdog: false,
    resolve: async ({ name }, { principal }) => {
      const at = SERVERS.findIndex((one) => one.name === name)
      // Each principal's own credential towards the server, which says whose connection this is.
      const headers = { authorization: `Bearer up-${principal?.id ?? 'host'}` }
      return { target: servers[at]?.url ?? '', options: { versions: SERVERS[at]?.version, headers, timeouts: PATIENT } }
    },
  })
  const catalogue = createCatalogue(upstreams, { patienceMs: 30_000 })
  await upstreams.set(SERVERS.map(({ name, shareable }) => configOf(name, shareable)))
  await catalogue.list()
  const gateway = createGateway(
    { upstreams, catalogue },
    { limits: { callsPerMinute: 1_000_000 }, onError: (error) => console.error(error) },
  )
  const listening = await serveGateway(gateway, {
    port: 0,
    graceMs: 500,
    limits: { maxSessions: 1_000, maxInFlight: 20_000 },
    authenticate: (head) => {
      const user = /^Bearer (.+)$/.exec(head.header('authorization') ?? '')?.[1]
      return user === undefined ? undefined : createPrincipal(user)
    },
  })
  // On a busy machine this process may stand still for longer than idle connections are usually kept.
  for (const { node } of [listening.http, ...servers]) node.keepAliveTimeout = 300_000
  const visits = Array.from({ length: principals }, (_, at) => visit(listening.url, `p${at}`, at, calls, crossings))
  const done = (await Promise.all(visits)).reduce((sum, count) => sum + count, 0)
  const { connections } = gateway.metrics()
  await listening.close()
  catalogue.close()
  await upstreams.close()
  for (const server of servers) await server.close()
  const took = ((performance.now() - began) / 1000).toFixed(1)
  console.log(
    `${principals} principals × ${calls} calls: ${done} answered, ${connections} connections, ${crossings.length} crossings, ${took} s`,
  )
  for (const crossing of crossings.slice(0, 20)) console.log(`  ${crossing}`)
  return crossings.length === 0 && done === principals * calls
}

/** A server that gives back what it was given, says whose connection it was given on, and keeps a secret for each. */
async function openNonceServer(name: string, version: ProtocolVersion, crossings: Crossings): Promise<HttpServer> {
  const form = { type: 'object', properties: { nonce: { type: 'string' } }, required: ['nonce'] } as const
  const input = { type: 'object', properties: { nonce: { type: 'string' }, owner: { type: 'string' } } } as const
  const server: Server = createServer({
    name: 'nonce',
    version: '1',
    versions: [version],
    tools: {
      give: tool({ input }, (args, ctx) => {
        const { nonce, owner } = args as { nonce: string; owner: string }
        const via = ctx.principal?.id ?? ''
        // A shared connection is the host's own; any other is the caller's.
        if (via !== `up-${owner}` && via !== 'up-host') crossings.push(`a call of ${owner} came as ${via}`)
        return { content: [{ type: 'text', text: nonce }], _meta: { 'example.com/via': via } }
      }),
      ask: tool({ input }, async (args, ctx) => {
        const { nonce } = args as { nonce: string }
        const answer = await ctx.elicit('nonce', { message: nonce, form })
        return `${nonce}=${(answer.content as { nonce: string } | undefined)?.nonce}`
      }),
      touch: tool({ input: { type: 'object', properties: { uri: { type: 'string' } } } }, (args) => {
        server.changed((args as { uri: string }).uri)
        return 'touched'
      }),
    },
    resources: {
      secret: resource({ uri: `secret-${name}://{owner}` }, ({ owner }, ctx) => {
        const via = ctx.principal?.id ?? ''
        if (via !== `up-${String(owner)}` && via !== 'up-host')
          crossings.push(`${via} read the secret of ${String(owner)}`)
        return `secret of ${String(owner)}`
      }),
    },
  })
  return serveHttp(server, {
    port: 0,
    graceMs: 200,
    limits: { maxSessions: 1_000, maxInFlight: 20_000 },
    authenticate: (head) => createPrincipal((head.header('authorization') ?? '').replace(/^Bearer /, '')),
  })
}

async function visit(url: string, user: string, at: number, calls: number, crossings: Crossings): Promise<number> {
  const version = CLIENTS[at % CLIENTS.length] as ProtocolVersion
  await turns.take()
  const client = await connect(url, {
    versions: version,
    negotiations: false,
    headers: { authorization: `Bearer ${user}` },
    timeouts: PATIENT,
    elicitation: {
      form: ({ message }) => {
        if (!message.startsWith(`${user}:`)) crossings.push(`${user} was asked ${message}`)
        return { action: 'accept', content: { nonce: message } }
      },
    },
  })
  turns.give()
  let done = 0
  const secret = `secret-old://${user}`
  await client.subscribe(secret, (change) => {
    if (change.kind !== 'resource' || change.uri !== secret)
      crossings.push(`${user} heard of ${JSON.stringify(change)}`)
  })
  for (let call = 0; call < calls; call++) {
    await turns.take()
    try {
      await step(client, user, version, call, crossings)
      done++
    } catch (error) {
      console.error(`${user}, call ${call}:`, error)
    } finally {
      turns.give()
    }
  }
  await client.close()
  return done
}

async function step(client: Client, user: string, version: string, call: number, crossings: Crossings): Promise<void> {
  const { name: server = '' } = SERVERS[call % SERVERS.length] ?? {}
  const nonce = `${user}:${call}:${crypto.randomUUID()}`
  if (call % 25 === 7 && server !== 'open') {
    const [text] = (await client.readResource(`secret-${server}://${user}`)).contents
    if (text === undefined || !('text' in text) || text.text !== `secret of ${user}`)
      crossings.push(`${user} read another's`)
  } else if (call % 25 === 11 && version >= '2025-06-18' && server !== 'open') {
    const told = textOf(await client.callTool(`${server}_ask`, { nonce }))
    if (told !== `${nonce}=${nonce}`) crossings.push(`${user} was told ${told}`)
  } else if (call % 25 === 13) {
    await client.callTool('old_touch', { uri: `secret-old://${user}` })
  } else {
    const result = await client.callTool(`${server}_give`, { nonce, owner: user })
    if (textOf(result) !== nonce) crossings.push(`${user} got ${textOf(result)}`)
  }
}

function textOf({ content }: { content: readonly { type: string }[] }): string {
  return content.map((block) => (block as { text?: string }).text ?? '').join('')
}

function configOf(name: string, shareable: boolean): ServerConfig {
  return {
    name,
    target: { kind: 'in-process', module: name, options: {} },
    settings: { ...DEFAULT_SETTINGS, shareable, maxConcurrent: 100_000, callMs: 300_000, startMs: 300_000 },
    place: { file: 'bridge', path: name },
    fingerprint: name,
  }
}
