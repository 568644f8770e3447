/** What gateway tests share: a server with one item for each feature, and a source of clients made by `connect` alone. */

import { type Client, type ConnectOptions, connect, type ProtocolVersion, type Target } from '@portico/sdk/client'
import { createServer, prompt, resource, type Server, tool } from '@portico/sdk/server'
import { DEFAULT_SETTINGS, type ServerConfig, type ServerSettings } from '../src/config/server-config.ts'
import type { GatewayCatalogue, GatewayHost } from '../src/gateway/gateway-host.ts'
import type { CatalogueItem, ItemKind } from '../src/upstream/catalogue/item.ts'
import { assignNames } from '../src/upstream/catalogue/names.ts'
import type { ConnectionRequest, UpstreamSource, UpstreamView } from '../src/upstream/upstream.ts'

export interface LabServer {
  readonly target: Target | (() => Target)
  readonly versions?: ProtocolVersion
  readonly settings?: Partial<ServerSettings>
  readonly connect?: ConnectOptions
}

export interface Lab extends GatewayHost {
  readonly upstreams: LabUpstreams
  readonly catalogue: LabCatalogue
  close(): Promise<void>
}

/** Connections by server, principal and session, as the real source keeps them. */
export class LabUpstreams implements UpstreamSource {
  readonly servers: Map<string, LabServer>
  readonly clients = new Map<string, Promise<Client>>()
  readonly released: string[] = []
  readonly versions = new Map<string, ProtocolVersion>()

  constructor(servers: { readonly [name: string]: LabServer }) {
    this.servers = new Map(Object.entries(servers))
  }

  client(server: string, request: ConnectionRequest = {}): Promise<Client> {
    const lab = this.servers.get(server)
    if (lab === undefined) throw new Error(`no server ${server}`)
    const key = keyOf(server, request)
    const known = this.clients.get(key)
    if (known !== undefined) return known
    const target = typeof lab.target === 'function' && !('command' in lab.target) ? lab.target() : lab.target
    const made = connect(target as Target, {
      ...(lab.versions && { versions: lab.versions }),
      ...request.questions,
      ...lab.connect,
    }) as Promise<Client>
    this.clients.set(key, made)
    void made.then(
      (client) => this.versions.set(server, client.version),
      () => this.clients.delete(key),
    )
    return made
  }

  async release(server: string, request: ConnectionRequest): Promise<void> {
    const own = keyOf(server, request).slice(0, -3)
    this.released.push(own)
    for (const [key, client] of this.clients) {
      if (!key.startsWith(own)) continue
      this.clients.delete(key)
      await (await client).close()
    }
  }

  views(): readonly UpstreamView[] {
    return [...this.servers].map(([name, lab]) => ({
      name,
      config: configOf(name, lab.settings),
      state: { state: 'ready', since: 0 },
      ...(this.versions.has(name) && { version: this.versions.get(name) as ProtocolVersion }),
      calls: 0,
      errors: 0,
      connections: 1,
    }))
  }

  async close(): Promise<void> {
    const clients = [...this.clients.values()]
    this.clients.clear()
    await Promise.allSettled(clients.map(async (client) => (await client).close()))
  }
}

export class LabCatalogue implements GatewayCatalogue {
  #items: readonly CatalogueItem[] = []
  readonly #listeners = new Set<(change: { readonly kinds: readonly ItemKind[] }) => void>()
  readonly #upstreams: LabUpstreams

  constructor(upstreams: LabUpstreams) {
    this.#upstreams = upstreams
  }

  items(): readonly CatalogueItem[] {
    return this.#items
  }

  on(_event: 'change', listener: (change: { readonly kinds: readonly ItemKind[] }) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Reads everything anew; one server's items keep their own names, several are told apart by a prefix. */
  async load(): Promise<void> {
    const names = [...this.#upstreams.servers.keys()]
    const prefix = (server: string, name: string) => (names.length === 1 ? name : `${server}_${name}`)
    const lists = await Promise.all(
      names.map(async (server): Promise<CatalogueItem[]> => {
        const client = await this.#upstreams.client(server)
        const base = { server, fingerprint: '', findings: [] }
        const { capabilities } = client.server
        const tools = capabilities.tools === undefined ? [] : await client.listTools()
        const has = capabilities.resources !== undefined
        const resources = has ? await client.listResources() : []
        const templates = has ? await client.listResourceTemplates() : []
        const prompts = capabilities.prompts === undefined ? [] : await client.listPrompts()
        return [
          ...tools.map((definition): CatalogueItem => {
            const name = prefix(server, definition.name)
            return { ...base, kind: 'tool', name, ownName: definition.name, definition: { ...definition, name } }
          }),
          ...resources.map(
            (definition): CatalogueItem => ({
              ...base,
              kind: 'resource',
              name: definition.uri,
              ownName: definition.uri,
              definition,
            }),
          ),
          ...templates.map(
            (definition): CatalogueItem => ({
              ...base,
              kind: 'template',
              name: definition.uriTemplate,
              ownName: definition.uriTemplate,
              definition,
            }),
          ),
          ...prompts.map((definition): CatalogueItem => {
            const name = prefix(server, definition.name)
            return { ...base, kind: 'prompt', name, ownName: definition.name, definition: { ...definition, name } }
          }),
        ]
      }),
    )
    const items = lists.flat()
    const isAddressed = ({ kind }: CatalogueItem) => kind === 'resource' || kind === 'template'
    const { names: unique } = assignNames(items.filter(isAddressed), new Set())
    this.#items = items.map((item) => ({ ...item, name: unique.get(item) ?? item.name }))
    for (const listener of this.#listeners) listener({ kinds: ['tool', 'resource', 'prompt'] })
  }
}

export async function createLab(
  servers: { readonly [name: string]: LabServer },
  rest: Partial<GatewayHost> = {},
): Promise<Lab> {
  const upstreams = new LabUpstreams(servers)
  const catalogue = new LabCatalogue(upstreams)
  await catalogue.load()
  return { ...rest, upstreams, catalogue, close: () => upstreams.close() }
}

export function configOf(name: string, settings: Partial<ServerSettings> = {}): ServerConfig {
  return {
    name,
    target: { kind: 'in-process', module: name, options: {} },
    settings: { ...DEFAULT_SETTINGS, ...settings },
    place: { file: 'test', path: name },
    fingerprint: name,
  }
}

function keyOf(server: string, { principal, session, questions }: ConnectionRequest): string {
  return JSON.stringify([server, principal?.id ?? null, session ?? null, Object.keys(questions ?? {})])
}

/** One item for each feature. */
export function createFeatureServer(versions?: readonly ProtocolVersion[]): Server {
  const server: Server = createServer({
    name: 'features',
    version: '1.0.0',
    ...(versions && { versions }),
    onError: () => {},
    tools: {
      echo: tool(
        { input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
        (args, ctx) => ({
          content: [{ type: 'text', text: String((args as { text: string }).text) }],
          _meta: { 'example.com/seen': (ctx.meta['example.com/tag'] as string) ?? 'none' },
        }),
      ),
      sum: tool(
        {
          input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
          output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
        },
        (args) => {
          const { a, b } = args as { a: number; b: number }
          return { sum: a + b }
        },
      ),
      ask: tool({}, async (_args, ctx) => {
        const first = await ctx.elicit('name', {
          message: 'Who?',
          form: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        })
        if (first.action !== 'accept') return `no: ${first.action}`
        const second = await ctx.elicit('age', {
          message: 'How old?',
          form: { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] },
        })
        return `${(first.content as { name: string }).name} is ${(second.content as { age: number } | undefined)?.age}`
      }),
      visit: tool({}, async (_args, ctx) => {
        const answer = await ctx.elicit('visit', { message: 'Please visit', url: 'https://example.com/visit' })
        return `visit: ${answer.action}`
      }),
      sample: tool({}, async (_args, ctx) => {
        const answer = await ctx.sample('one', { prompt: 'Say something', maxTokens: 10 })
        const block = Array.isArray(answer.content) ? answer.content[0] : answer.content
        return `model said: ${block?.type === 'text' ? block.text : '?'}`
      }),
      sampleTools: tool({}, async (_args, ctx) => {
        const answer = await ctx.sample('one', {
          prompt: 'Use a tool',
          maxTokens: 10,
          tools: [{ name: 'weather', inputSchema: { type: 'object' } }],
        })
        const block = Array.isArray(answer.content) ? answer.content[0] : answer.content
        return `model wants: ${block?.type === 'tool_use' ? block.name : '?'}`
      }),
      roots: tool({}, async (_args, ctx) => (await ctx.roots('where')).map(({ uri }) => uri).join(' ')),
      progress: tool({}, async (_args, ctx) => {
        ctx.progress(1, 2, 'half')
        await new Promise((resolve) => setImmediate(resolve))
        ctx.progress(2, 2, 'whole')
        return 'done'
      }),
      log: tool({}, (_args, ctx) => {
        ctx.log('debug', 'too fine', 'lab')
        ctx.log('warning', 'look here', 'lab')
        return 'logged'
      }),
      wait: tool({}, async (_args, ctx) => {
        waiting.push(ctx.signal)
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }))
        return 'never'
      }),
      fail: tool({}, () => {
        throw Object.assign(new Error('boom'), {})
      }),
      link: tool({}, () => ({
        content: [
          { type: 'text', text: 'see' },
          { type: 'resource_link', uri: 'note://linked', name: 'linked' },
        ],
      })),
    },
    resources: {
      today: resource({ uri: 'note://today', mimeType: 'text/plain' }, () => 'a note'),
      named: resource(
        {
          uri: 'note://by/{name}',
          mimeType: 'text/plain',
          complete: { name: (value) => [`${value}nna`, `${value}bba`] },
        },
        ({ name }) => `note of ${name}`,
      ),
    },
    prompts: {
      greet: prompt(
        {
          arguments: [{ name: 'who', required: true }],
          complete: { who: (value) => [`${value}lice`] },
        },
        ({ who }) => `Greet ${who}`,
      ),
    },
  })
  const waiting: AbortSignal[] = []
  WAITING.set(server, waiting)
  return server
}

const WAITING = new WeakMap<Server, AbortSignal[]>()

/** The signals of calls to `wait` that have begun at a server. */
export function waitingAt(server: Server): readonly AbortSignal[] {
  return WAITING.get(server) ?? []
}
