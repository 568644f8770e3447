/** The official client, SDK 1.32.2: it offers its newest revision; older ones are pinned on the way out. */

import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  type LoggingLevel,
} from '@modelcontextprotocol/sdk/types.js'
import {
  type CallOptions,
  type ClientUnderTest,
  createAnswers,
  Heard,
  type Item,
  type ListKind,
  type Message,
  type Offer,
  type ToolResult,
  type Version,
} from '../client-under-test.ts'
import type { Address } from '../server-under-test.ts'

export interface Sdk1Client extends ClientUnderTest {
  /** Ends the HTTP session at the server; undefined on the other transports. */
  readonly endSession: (() => Promise<void>) | undefined
}

export async function connectSdk1(address: Address, version: Version, offer: Offer): Promise<Sdk1Client> {
  const heard = new Heard()
  const answers = createAnswers()
  const capabilities = offer.asking
    ? {
        roots: { listChanged: true },
        sampling: { tools: {}, context: {} },
        elicitation: { form: { applyDefaults: true }, url: {} },
      }
    : {}
  const client = new Client({ name: 'official-1', version: '1.32.2' }, { capabilities })
  client.fallbackNotificationHandler = async ({ method, params }) => heard.take(method, params)
  if (offer.asking) {
    // The answers are made to fit what the check asked; this client validates them once more.
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => (await answers.elicit(params)) as never)
    client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => (await answers.sample(params)) as never)
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: answers.roots() }) as never)
  }
  const transport = toTransport(address)
  let negotiated: string | undefined
  pinVersion(transport, version, (agreed) => {
    negotiated = agreed
  })
  await client.connect(transport)
  if (negotiated !== version) throw new Error(`asked for ${version}, got ${negotiated}`)
  return toClient(client, version, heard, answers, transport)
}

function toTransport(address: Address): Transport {
  if (address.kind === 'stdio') return new StdioClientTransport({ ...address.command, stderr: 'inherit' })
  const url = new URL(address.url)
  return address.kind === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url)
}

/** Rewrites the version that the handshake offers, and reads the one that is agreed on. */
function pinVersion(transport: Transport, version: Version, agreed: (version: string) => void): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => {
    if ('method' in message && message.method === 'initialize') {
      return send({ ...message, params: { ...message.params, protocolVersion: version } }, options)
    }
    return send(message, options)
  }
  const inform = transport.setProtocolVersion?.bind(transport)
  transport.setProtocolVersion = (chosen) => {
    agreed(chosen)
    inform?.(chosen)
  }
}

function toClient(
  client: Client,
  version: Version,
  heard: Heard,
  answers: ClientUnderTest['answers'],
  transport: Transport,
): Sdk1Client {
  const pages = {
    tools: (params?: { cursor: string }) => client.listTools(params),
    resources: (params?: { cursor: string }) => client.listResources(params),
    resourceTemplates: (params?: { cursor: string }) => client.listResourceTemplates(params),
    prompts: (params?: { cursor: string }) => client.listPrompts(params),
  }
  const page = async (kind: ListKind, cursor?: string): Promise<{ [kind: string]: unknown; nextCursor?: string }> =>
    pages[kind](cursor === undefined ? undefined : { cursor })
  return {
    maker: 'sdk-1',
    version,
    server: {
      name: client.getServerVersion()?.name,
      capabilities: client.getServerCapabilities() ?? {},
      instructions: client.getInstructions(),
    },
    heard,
    answers,
    endSession: transport instanceof StreamableHTTPClientTransport ? () => transport.terminateSession() : undefined,
    async callTool(name, args = {}, options = {}) {
      const params = { name, arguments: args, ...(options.meta && { _meta: options.meta }) }
      return (await client.callTool(params, undefined, toRequestOptions(options))) as ToolResult
    },
    async list(kind) {
      const items: Item[] = []
      let cursor: string | undefined
      do {
        const result = await page(kind, cursor)
        items.push(...(result[kind] as Item[]))
        cursor = result.nextCursor
      } while (cursor !== undefined)
      return items
    },
    page,
    readResource: async (uri) => (await client.readResource({ uri })).contents as never,
    getPrompt: async (name, args) => {
      const { description, messages } = await client.getPrompt({ name, arguments: args })
      return { description, messages: messages as Message[] }
    },
    complete: async (ref, argument, context) => {
      const params = { ref, argument, ...(context && { context: { arguments: context } }) }
      return (await client.complete(params)).completion
    },
    setLevel: async (level) => void (await client.setLoggingLevel(level as LoggingLevel)),
    ping: async () => void (await client.ping()),
    subscribe: async (uri) => void (await client.subscribeResource({ uri })),
    unsubscribe: async (uri) => void (await client.unsubscribeResource({ uri })),
    listen: () => Promise.reject(new Error('this revision has no subscriptions/listen')),
    rootsChanged: () => client.sendRootsListChanged(),
    close: () => client.close(),
  }
}

function toRequestOptions({ signal, onProgress }: CallOptions): RequestOptions {
  return { ...(signal && { signal }), ...(onProgress && { onprogress: onProgress }) }
}
