/** What a server sends has the types that the client promises of it, or is refused by an error of the closed family. */

import { afterEach, describe, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions, Target } from '../src/connect/options.ts'
import {
  legacyChannel,
  type Message,
  modernChannel,
  result,
  scriptedChannel,
  toolResult,
  until,
} from './client-peers.ts'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function client(target: Target, options: ConnectOptions = {}): Promise<Client> {
  const made = await connect(target, { negotiations: false, ...options })
  open.push(() => made.close())
  return made
}

type Era = 'older' | 'newest'
const ERAS: readonly Era[] = ['older', 'newest']

/** A client of a server that answers every request with the same result. */
async function answeredBy(era: Era, value: object): Promise<Client> {
  const answer = { ...value, ...(era === 'newest' && { resultType: 'complete' }) }
  const channel = era === 'newest' ? modernChannel : legacyChannel
  return client(channel(({ id }, reply) => id !== undefined && reply(result(id, answer))).channel)
}

const BAD_BLOCKS: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a text', 'x'],
  ['no kind', {}],
  ['a kind that is no text', { type: {} }],
  ['text that is a number', { type: 'text', text: 5 }],
  ['an image without a type', { type: 'image', data: 'eA==' }],
  ['sound that is a record', { type: 'audio', data: {}, mimeType: 'audio/wav' }],
  ['a link to nothing', { type: 'resource_link', name: 'a' }],
  ['a resource that is null', { type: 'resource', resource: null }],
  ['a resource without contents', { type: 'resource', resource: { uri: 'a:b' } }],
]
const refusal = { code: 'invalid-message', delivery: 'unknown' }

describe.each(ERAS)('on the %s revision, content that is none (sec-304)', (era) => {
  test.each(BAD_BLOCKS)('is refused in the result of a tool: %s', async (_, block) => {
    for (const isError of [true, false]) {
      const made = await answeredBy(era, { content: [block], isError })
      await expect(made.callTool('x')).rejects.toMatchObject(refusal)
      await expect(made.tools.x?.()).rejects.toMatchObject(refusal)
    }
  })

  test.each(BAD_BLOCKS)('is refused in a prompt: %s', async (_, content) => {
    const made = await answeredBy(era, { messages: [{ role: 'user', content }] })
    await expect(made.getPrompt('x')).rejects.toMatchObject(refusal)
  })

  test.each([null, 'x', {}, { uri: 'a:b' }, { uri: 5, text: 'x' }, { uri: 'a:b', blob: 5 }])(
    'is refused in a resource: %j',
    async (item) => {
      const made = await answeredBy(era, { contents: [item] })
      await expect(made.readResource('a:b')).rejects.toMatchObject(refusal)
    },
  )

  test('may be of a kind that is not known yet', async () => {
    const content = [{ type: 'hologram', points: 7 }]
    await expect((await answeredBy(era, { content })).callTool('x')).resolves.toMatchObject({ content })
  })

  test('a role that nobody has, and a failure that is no yes or no, are refused', async () => {
    const messages = [{ role: 'system', content: { type: 'text', text: 'Obey' } }]
    await expect((await answeredBy(era, { messages })).getPrompt('x')).rejects.toMatchObject(refusal)
    await expect((await answeredBy(era, { content: [], isError: 'no' })).callTool('x')).rejects.toMatchObject(refusal)
  })
})

const WRONG_MEMBERS: readonly object[] = [
  { title: {} },
  { description: 5 },
  { icons: 5 },
  { icons: [null] },
  { icons: [{ src: 5 }] },
  { annotations: 'x' },
  { annotations: { title: {} } },
  { annotations: { readOnlyHint: 'no' } },
  { _meta: 'x' },
  { arguments: 'x' },
  { arguments: [null] },
  { mimeType: 5 },
  { size: 'x' },
]

describe('an item with a member of the wrong type (sec-304)', () => {
  const good = { name: 'good', uri: 'a:good', uriTemplate: 'a:{b}', inputSchema: { type: 'object' } }
  const lists: readonly (readonly [string, (made: Client) => Promise<readonly { name: string }[]>])[] = [
    ['tools', (made) => made.listTools()],
    ['prompts', (made) => made.listPrompts()],
    ['resources', (made) => made.listResources()],
    ['resourceTemplates', (made) => made.listResourceTemplates()],
  ]
  test.each(lists)('is left out of %s with a warning, and the rest is taken', async (member, list) => {
    for (const wrong of WRONG_MEMBERS) {
      const made = await answeredBy('older', { [member]: [{ ...good, name: 'bad', uri: 'a:bad', ...wrong }, good] })
      const warnings: string[] = []
      made.on('warning', ({ message }) => warnings.push(message))
      expect((await list(made)).map(({ name }) => name)).toEqual(['good'])
      expect(warnings).toEqual([expect.stringContaining(`"${Object.keys(wrong)[0]}" is of the wrong type`)])
    }
  })

  test.each(lists)('is as if it were not there in %s where it is null', async (member, list) => {
    const made = await answeredBy('older', { [member]: [{ ...good, title: null, annotations: null }] })
    expect(await list(made)).toEqual([good])
  })

  test('a server that describes itself so is connected to without those members', async () => {
    const serverInfo = { name: 'a', version: '1', title: 5, icons: 'x', websiteUrl: {}, description: 'kept' }
    const { channel } = scriptedChannel(({ id, method }, reply) => {
      const initialized = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo }
      if (method === 'server/discover') reply({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } })
      if (method === 'initialize') reply(result(id, initialized))
    })
    expect((await client(channel)).server.info).toEqual({ name: 'a', version: '1', description: 'kept' })
  })
})

const QUESTION = { message: '?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }
const MESSAGES = [{ role: 'user', content: { type: 'text', text: '?' } }]

/** What became of one question during a call: of the call, and of the answer that was sent, if one was. */
async function ask(era: Era, method: string, params: object, options: ConnectOptions, version?: string) {
  const answers: Message[] = []
  const question = { method, params }
  const script = ({ id, method, params: sent, ...rest }: Message, reply: (message: unknown) => void) => {
    if (id === 'q') answers.push({ id, ...rest })
    if (method !== 'tools/call' && id !== 'q') return
    if (era === 'older') reply(id === 'q' ? result(1, toolResult('end')) : { jsonrpc: '2.0', id: 'q', ...question })
    else if (sent?.inputResponses === undefined)
      reply(result(id, { resultType: 'input_required', inputRequests: { question } }))
    else {
      answers.push({ id: 'q', result: sent.inputResponses })
      reply(result(id, toolResult('end')))
    }
  }
  const { channel } = era === 'newest' ? modernChannel(script) : legacyChannel(script, version)
  const made = await client(channel, options)
  const call = made.callTool('x').then(
    () => 'answered',
    (error: { code: string; message: string }) => error,
  )
  const outcome = era === 'newest' ? await call : await until(() => answers.length > 0)
  return { answers, outcome }
}

describe('a question whose members are of the wrong type (sec-304)', () => {
  const sampling: readonly object[] = [
    { messages: [null], maxTokens: 5 },
    { messages: [{ role: 'user', content: 5 }], maxTokens: 5 },
    { messages: [{ role: 'user', content: [null] }], maxTokens: 5 },
    { messages: [{ role: 'user', content: { type: 'text', text: 5 } }], maxTokens: 5 },
    { messages: [{ role: 'system', content: { type: 'text', text: 'x' } }], maxTokens: 5 },
    { messages: MESSAGES, maxTokens: 5, systemPrompt: {} },
    { messages: MESSAGES, maxTokens: 5, temperature: 'hot' },
    { messages: MESSAGES, maxTokens: 5, stopSequences: 'x' },
    { messages: MESSAGES, maxTokens: 5, modelPreferences: 'x' },
  ]
  test.each(ERAS.flatMap((era) => sampling.map((params) => ({ era, params }))))(
    'does not reach the handler, $era: $params',
    async ({ era, params }) => {
      let reached = false
      const { answers, outcome } = await ask(era, 'sampling/createMessage', params, {
        sampling: () => {
          reached = true
          return { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' }
        },
      })
      expect(reached).toBe(false)
      if (era === 'older') expect(answers).toMatchObject([{ error: { code: -32602 } }])
      else expect(outcome).toMatchObject({ code: 'input-refused' })
    },
  )

  test.each([
    { type: 'object', properties: {} },
    { type: 'array', items: { type: 'object' } },
  ])('a form that is not flat does not reach the handler: %j', async (name) => {
    const params = { message: '?', requestedSchema: { type: 'object', properties: { name } } }
    const form = () => ({ action: 'accept', content: {} }) as const
    const { answers } = await ask('older', 'elicitation/create', params, { elicitation: { form } })
    expect(answers).toMatchObject([{ error: { code: -32602, message: expect.stringContaining('flat') } }])
  })
})

describe('an answer of this side’s own handler that is none (sec-306)', () => {
  type Handler = { what: string; method: string; params: object; options: object; says: RegExp }
  const handlers: readonly Handler[] = [
    {
      what: 'an action that does not exist',
      method: 'elicitation/create',
      params: QUESTION,
      options: { elicitation: { form: () => ({ action: 'yes' }) } },
      says: /accept, decline or cancel/,
    },
    {
      what: 'a text for a message',
      method: 'sampling/createMessage',
      params: { messages: MESSAGES, maxTokens: 5 },
      options: { sampling: () => 'hello' },
      says: /role, content, model/,
    },
    {
      what: 'a message without a model',
      method: 'sampling/createMessage',
      params: { messages: MESSAGES, maxTokens: 5 },
      options: { sampling: () => MESSAGES[0] },
      says: /role, content, model/,
    },
    {
      what: 'a text for roots',
      method: 'roots/list',
      params: {},
      options: { roots: () => 'hello' },
      says: /list of records with a uri/,
    },
  ]
  test.each(ERAS.flatMap((era) => handlers.map((row) => ({ era, ...row }))))(
    'is not sent, so that nobody is asked again: $what, $era',
    async ({ era, method, params, options, says }) => {
      const { answers, outcome } = await ask(era, method, params, options)
      if (era === 'older') expect(answers).toMatchObject([{ error: {} }])
      else {
        expect(answers).toEqual([])
        expect(outcome).toMatchObject({ code: 'invalid-arguments', message: expect.stringMatching(says) })
      }
    },
  )
})

describe('what an older revision does not have (sec-305)', () => {
  test.each(['2025-03-26', '2025-06-18'])('%s: a page to visit does not reach the handler', async (version) => {
    let shown = 0
    const url = () => {
      shown++
      return { action: 'accept' } as const
    }
    const params = { mode: 'url', message: '?', url: 'https://x.example', elicitationId: '1' }
    const { answers } = await ask('older', 'elicitation/create', params, { elicitation: { url } }, version)
    expect({ shown, answers }).toMatchObject({ shown: 0, answers: [{ error: {} }] })
  })

  test('a result that asks for input asks nothing, and the call is not sent again', async () => {
    let shown = 0
    const question = { method: 'elicitation/create', params: QUESTION }
    const value = { resultType: 'input_required', inputRequests: { question }, requestState: 's' }
    const { channel, received } = legacyChannel(({ id, method }, reply) => {
      if (method === 'tools/call') reply(result(id, value))
    })
    const form = () => {
      shown++
      return { action: 'cancel' } as const
    }
    const made = await client(channel, { elicitation: { form } })
    await expect(made.callTool('x')).rejects.toMatchObject(refusal)
    expect(shown).toBe(0)
    expect(received.filter(({ method }) => method === 'tools/call')).toHaveLength(1)
  })
})
