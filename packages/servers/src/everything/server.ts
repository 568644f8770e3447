/**
 * Every feature of every revision in one server, for people who write clients: each tool, resource and prompt shows one
 * thing and says which. Nothing here touches the machine.
 */

import { createServer, prompt, resource, type Server, text, tool } from '@portico/sdk/server'
import type { ReadyServer } from '../entry.ts'
import { contentTools } from './content-tools.ts'
import { PICTURE } from './samples.ts'
import { workingTools } from './working-tools.ts'

/** Options of `createEverythingServer`. */
export interface EverythingOptions {
  /** Items on a page of each list; lists are whole unless given. */
  readonly pageSize?: number | undefined
  /** Milliseconds between two changes of `everything://clock`. */
  readonly tickMs?: number | undefined
}

const CITIES = ['Bergen', 'Berlin', 'Bern', 'Lisbon', 'Ljubljana', 'London', 'Oslo', 'Paris', 'Prague', 'Rome']
const TEXTS = 50

/**
 * Makes a server that shows every feature of every revision of the protocol, for people who write clients. Nothing in
 * it has an effect.
 *
 * @example
 * ```ts
 * import { createEverythingServer } from '@portico/servers/everything'
 * import { connect } from '@portico/sdk/client'
 *
 * const { server, close } = await createEverythingServer({ pageSize: 10 })
 * const client = await connect(server)
 * const tools = await client.listTools()
 * await client.close()
 * await close()
 * ```
 */
export async function createEverythingServer(options: EverythingOptions = {}): Promise<ReadyServer> {
  const { pageSize, tickMs = 5_000 } = options
  let ticks = 0
  const server: Server = createServer({
    name: 'everything',
    version: '0.1.0',
    title: 'Everything',
    description: 'Every feature of every revision, for people who write clients',
    instructions:
      'Each tool shows one feature of the protocol; its description says which. Nothing here has an effect.',
    ...(pageSize !== undefined && { pageSize }),
    tools: { ...contentTools, ...workingTools, toggle_extra: createToggle(() => server) },
    resources: createResources(() => ticks),
    prompts: createPrompts(),
  })
  const clock = setInterval(() => {
    ticks++
    server.changed('everything://clock')
  }, tickMs)
  clock.unref()
  return { server, close: async () => clearInterval(clock) }
}

function createResources(ticks: () => number) {
  return {
    hello: resource(
      { uri: 'everything://hello', title: 'Hello', mimeType: 'text/plain' },
      () => 'Hello from everything.',
    ),
    picture: resource({ uri: 'everything://picture', title: 'Picture', mimeType: 'image/png' }, () =>
      Buffer.from(PICTURE, 'base64'),
    ),
    clock: resource(
      {
        uri: 'everything://clock',
        title: 'Clock',
        description: 'Changes while somebody is subscribed to it.',
        mimeType: 'application/json',
      },
      () => ({ ticks: ticks() }),
    ),
    text: resource(
      {
        uri: 'everything://text/{number}',
        title: 'Numbered text',
        mimeType: 'text/plain',
        complete: { number: (value) => numbers().filter((number) => number.startsWith(value)) },
        list: () =>
          numbers().map((number) => ({
            uri: `everything://text/${number}`,
            name: `text-${number}`,
            mimeType: 'text/plain',
          })),
      },
      ({ number }) => (numbers().includes(number) ? `This is text number ${number}.` : undefined),
    ),
    bytes: resource({ uri: 'everything://bytes/{length}', title: 'So many bytes' }, ({ length }) => {
      const count = Number(length)
      return Number.isInteger(count) && count >= 0 && count <= 1_000_000
        ? new Uint8Array(count).map((_, at) => at % 256)
        : undefined
    }),
  }
}

function createPrompts() {
  return {
    simple: prompt({ description: 'A prompt without arguments.' }, () => 'Say hello.'),
    travel: prompt(
      {
        description: 'A prompt with arguments, proposed while they are typed; the second depends on the first.',
        arguments: [
          { name: 'city', description: 'Where to', required: true },
          { name: 'season', description: 'When' },
        ],
        complete: {
          city: (value) => CITIES.filter((city) => city.toLowerCase().startsWith(value.toLowerCase())),
          season: (value, { city }) =>
            (city === 'Oslo' ? ['winter'] : ['spring', 'summer']).filter((one) => one.startsWith(value)),
        },
      },
      ({ city = '', season = 'any season' }) => `Plan a weekend in ${city} in ${season}.`,
    ),
    rich: prompt({ description: 'Several messages, with a picture and an embedded resource.' }, () => [
      { role: 'user', content: text('What is in this picture, and in this file?') },
      { role: 'user', content: { type: 'image', data: PICTURE, mimeType: 'image/png' } },
      {
        role: 'user',
        content: {
          type: 'resource',
          resource: { uri: 'everything://hello', mimeType: 'text/plain', text: 'Hello from everything.' },
        },
      },
      { role: 'assistant', content: text('Four colours, and a greeting.') },
    ]),
  }
}

/** Adds a tool, or takes it away again: clients hear that the list changed. */
function createToggle(server: () => Server) {
  let present = false
  return tool(
    {
      description: 'Adds the tool "extra", or removes it; clients are told that the list changed.',
      input: { type: 'object' },
    },
    () => {
      present = !present
      if (present)
        server().tool(
          'extra',
          tool({ description: 'Was not here before.', input: { type: 'object' }, readOnly: true }, () => 'Extra.'),
        )
      else server().remove('tool', 'extra')
      return present ? 'The tool "extra" is there now.' : 'The tool "extra" is gone.'
    },
  )
}

function numbers(): string[] {
  return Array.from({ length: TEXTS }, (_, at) => String(at + 1))
}
