/** The official client, SDK 2.4.0, in either era: the older handshake, or pinned to 2026-07-28. */

import {
  Client,
  type LoggingLevel,
  type RequestOptions,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import {
  type CallOptions,
  type ClientUnderTest,
  createAnswers,
  Heard,
  type Json,
  type ListKind,
  type Message,
  type Offer,
  type ToolResult,
  type Version,
} from '../client-under-test.ts'
import type { Address } from '../server-under-test.ts'

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

/** `auto` lets the client find the newest revision by itself, which must be `version`. */
export async function connectSdk2(
  address: Address,
  version: Version,
  offer: Offer,
  auto = false,
): Promise<ClientUnderTest> {
  const heard = new Heard()
  const answers = createAnswers()
  const modern = version >= '2026-07-28'
  const client = new Client(
    { name: 'official-2', version: '2.4.0' },
    {
      capabilities: offer.asking
        ? {
            roots: { listChanged: true },
            sampling: { tools: {}, context: {} },
            elicitation: { form: { applyDefaults: true }, url: {} },
          }
        : {},
      versionNegotiation: { mode: auto ? 'auto' : modern ? { pin: version } : 'legacy' },
      ...(!modern && !auto && { supportedProtocolVersions: [version] }),
    },
  )
  client.fallbackNotificationHandler = async ({ method, params }) => heard.take(method, params)
  if (offer.asking) {
    // The answers are made to fit what the check asked; this client validates them once more.
    client.setRequestHandler('elicitation/create', async ({ params }) => (await answers.elicit(params)) as never)
    client.setRequestHandler('sampling/createMessage', async ({ params }) => (await answers.sample(params)) as never)
    client.setRequestHandler('roots/list', () => ({ roots: answers.roots() }) as never)
  }
  await client.connect(toTransport(address))
  const negotiated = client.getNegotiatedProtocolVersion()
  if (negotiated !== version) throw new Error(`asked for ${version}, got ${negotiated}`)
  return toClient(client, version, heard, answers)
}

function toTransport(address: Address): Transport {
  if (address.kind === 'stdio') return new StdioClientTransport({ ...address.command, stderr: 'inherit' })
  const url = new URL(address.url)
  return address.kind === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url)
}

function toClient(
  client: Client,
  version: Version,
  heard: Heard,
  answers: ClientUnderTest['answers'],
): ClientUnderTest {
  const modern = version >= '2026-07-28'
  const pages = {
    tools: (params?: { cursor: string }) => client.listTools(params),
    resources: (params?: { cursor: string }) => client.listResources(params),
    resourceTemplates: (params?: { cursor: string }) => client.listResourceTemplates(params),
    prompts: (params?: { cursor: string }) => client.listPrompts(params),
  }
  let level: string | undefined
  return {
    maker: 'sdk-2',
    version,
    server: {
      name: client.getServerVersion()?.name,
      capabilities: client.getServerCapabilities() ?? {},
      instructions: client.getInstructions(),
    },
    heard,
    answers,
    async callTool(name, args = {}, options = {}) {
      const meta: Json = { ...options.meta, ...(modern && level && { [LOG_LEVEL]: level }) }
      const params = { name, arguments: args, ...(Object.keys(meta).length > 0 && { _meta: meta }) }
      return (await client.callTool(params, toRequestOptions(options))) as ToolResult
    },
    // Without a cursor this client walks all pages by itself.
    list: async (kind) => {
      const result: { [kind: string]: unknown } = await pages[kind]()
      return result[kind] as never
    },
    page: (kind: ListKind, cursor: string) => pages[kind]({ cursor }),
    readResource: async (uri) => (await client.readResource({ uri })).contents as never,
    getPrompt: async (name, args) => {
      const { description, messages } = await client.getPrompt({ name, arguments: args })
      return { description, messages: messages as Message[] }
    },
    complete: async (ref, argument, context) => {
      const params = { ref, argument, ...(context && { context: { arguments: context } }) }
      return (await client.complete(params)).completion
    },
    async setLevel(wanted) {
      level = wanted
      if (!modern) await client.setLoggingLevel(wanted as LoggingLevel)
    },
    ping: async () => void (await (modern ? client.discover() : client.ping())),
    subscribe: async (uri) => void (await client.subscribeResource({ uri })),
    unsubscribe: async (uri) => void (await client.unsubscribeResource({ uri })),
    async listen(filter) {
      const { honoredFilter, close, closed } = await client.listen(filter)
      return { honoured: honoredFilter as Json, close, closed }
    },
    rootsChanged: () => client.sendRootsListChanged(),
    close: () => client.close(),
  }
}

function toRequestOptions({ signal, onProgress }: CallOptions): RequestOptions {
  return { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) }
}
