/** Our own client by its public door, at servers on the official packages and at our own. */

import { type ChangeNotice, type Client, type ConnectOptions, connect, type LogLevel } from '@portico/sdk/client'
import {
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

export interface OurClient extends ClientUnderTest {
  readonly client: Client
}

/** `versions` restricts what may be settled on; without it the client finds the newest by itself. */
export async function connectOurs(
  address: Address,
  versions: ConnectOptions['versions'] | undefined,
  offer: Offer,
): Promise<OurClient> {
  const answers = createAnswers()
  const options: ConnectOptions = {
    info: { name: 'portico-interop-client', version: '1.0.0' },
    negotiations: false,
    ...(versions !== undefined && { versions }),
    // The answers are made to fit what the check asked; the client validates them once more.
    ...(offer.asking && {
      roots: () => answers.roots() as never,
      sampling: { handler: async (params) => (await answers.sample({ ...params })) as never, tools: true },
      elicitation: {
        form: async (params) => (await answers.elicit({ ...params })) as never,
        url: async (params) => (await answers.elicit({ ...params })) as never,
      },
    }),
  }
  const client = await connect(address.kind === 'stdio' ? address.command : address.url, options)
  return toClient(client, answers)
}

function toClient(client: Client, answers: ClientUnderTest['answers']): OurClient {
  const heard = new Heard()
  const modern = client.revision.era === 'modern'
  client.on('log', (message) => heard.take('notifications/message', message))
  client.on('notification', ({ method, params }) => heard.take(method, params))
  if (!modern) client.on('change', (change) => hearChange(heard, change))
  const lists = {
    tools: () => client.listTools(),
    resources: () => client.listResources(),
    resourceTemplates: () => client.listResourceTemplates(),
    prompts: () => client.listPrompts(),
  }
  const subscriptions = new Map<string, { close(): Promise<void> }>()
  return {
    maker: 'ours',
    client,
    version: client.version as Version,
    server: {
      name: client.server.info?.name,
      capabilities: client.server.capabilities as Json,
      instructions: client.server.instructions,
    },
    heard,
    answers,
    callTool: async (name, args = {}, options = {}) =>
      (await client.callTool(name, args, options)) as unknown as ToolResult,
    list: async (kind) => (await lists[kind]()) as never,
    page: (kind: ListKind, cursor: string) => {
      const method = kind === 'resourceTemplates' ? 'resources/templates/list' : `${kind}/list`
      return client.request(method, { cursor })
    },
    readResource: async (uri) => (await client.readResource(uri)).contents as never,
    getPrompt: async (name, args) => {
      const { description, messages } = await client.getPrompt(name, args)
      return { description, messages: messages as unknown as Message[] }
    },
    complete: async (ref, argument, context) => {
      const params = { ref, argument, ...(context && { context: { arguments: context } }) }
      return (await client.complete(params)).completion
    },
    setLevel: (level) => client.setLogLevel(level as LogLevel),
    ping: () => client.ping(),
    async subscribe(uri) {
      subscriptions.set(uri, await client.subscribe(uri))
    },
    async unsubscribe(uri) {
      await subscriptions.get(uri)?.close()
    },
    async listen(filter) {
      const subscription = await client.subscribe(filter, (change) => hearChange(heard, change))
      let ended: (how: string) => void = () => {}
      const closed = new Promise<string>((resolve) => {
        ended = resolve
      })
      const close = () => subscription.close().then(() => ended('local'))
      return { honoured: subscription.filter as Json, close, closed }
    },
    rootsChanged: () => client.setRoots(() => answers.roots() as never),
    close: () => client.close(),
  }
}

function hearChange(heard: Heard, change: ChangeNotice): void {
  if (change.kind === 'resource') heard.take('notifications/resources/updated', { uri: change.uri })
  else if (change.kind !== 'extension') heard.take(`notifications/${change.kind}/list_changed`, {})
}
