import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, connect, type ElicitationHandlers, type ProtocolVersion } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PetService, petDescription, startPetService } from '../../test/fixtures/pet-service.ts'
import { toCursor } from '../cursor.ts'
import { createOpenapiServer, type OpenapiOptions } from './server.ts'

let service: PetService
let folder = ''
const clients: Client[] = []

beforeAll(async () => {
  service = await startPetService()
  folder = await mkdtemp(join(tmpdir(), 'openapi-'))
})

afterAll(async () => {
  for (const client of clients) await client.close()
  await service.close()
  await rm(folder, { recursive: true })
})

interface Ask {
  readonly elicitation?: ElicitationHandlers
  readonly versions?: readonly ProtocolVersion[]
}

async function start(options: Partial<OpenapiOptions> = {}, ask: Ask = {}): Promise<Client> {
  service.asked.length = 0
  const { server } = await createOpenapiServer({
    description: await place(petDescription(`${service.base}/v1`)),
    allowPrivate: [service.host],
    structured: true,
    ...options,
  })
  const client = await connect(server, ask)
  clients.push(client)
  return client
}

let count = 0
async function place(description: unknown): Promise<string> {
  const path = join(folder, `${++count}.${typeof description === 'string' ? 'yaml' : 'json'}`)
  await writeFile(path, typeof description === 'string' ? description : JSON.stringify(description))
  return path
}

describe('operations as tools', () => {
  it('offers what reads, leaves out what refers elsewhere, and says why', async () => {
    const client = await start()
    const tools = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'listPets',
      'getPet',
      'feed',
      'echo',
      'open',
      'picture',
      'large',
      'hidden',
    ])
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
    const { contents } = await client.readResource('openapi://problems')
    expect(JSON.stringify(contents)).toContain('another file')
    expect(JSON.stringify(contents)).toContain('does not exist')
  })

  it('translates 3.0 and keeps circles', async () => {
    const client = await start({ write: true })
    const tools = new Map((await client.listTools()).map((tool) => [tool.name, tool]))
    expect(tools.get('addPet')?.inputSchema).toMatchObject({
      required: ['body'],
      properties: {
        body: {
          required: ['name'],
          properties: {
            name: { type: 'string' },
            nick: { type: ['string', 'null'], enum: ['a', 'b', null] },
            parent: { $ref: '#/$defs/Pet' },
          },
        },
      },
      $defs: { Pet: { required: ['name'], properties: { parent: { $ref: '#/$defs/Pet' } } } },
    })
    expect(tools.get('listPets')?.inputSchema).toMatchObject({ properties: { limit: { exclusiveMinimum: 0 } } })
    expect(tools.get('getPet')?.inputSchema).toMatchObject({ properties: { id: {}, id_query: {} }, required: ['id'] })
    expect(tools.get('deletePet')?.annotations).toMatchObject({ destructiveHint: true, readOnlyHint: false })
  })

  it('calls them, with colliding names in their places, and finds the next page', async () => {
    const client = await start()
    const pet = await client.callTool('getPet', { id: 'a/b', id_query: 'c' })
    expect(pet.structuredContent).toMatchObject({ status: 200, body: { pathname: '/v1/pets/a%2Fb' } })
    expect(service.asked.at(-1)?.url).toBe('/v1/pets/a%2Fb?id=c')
    const first = await client.callTool('listPets', { limit: 2 })
    expect(first.structuredContent).toMatchObject({ next: { arguments: { limit: 2, page: 2 } } })
    const last = await client.callTool('listPets', { page: 3 })
    expect(last.structuredContent).not.toHaveProperty('next')
    const feed = await client.callTool('feed')
    expect(feed.structuredContent).toMatchObject({ next: { cursor: 'abc', arguments: { cursor: 'abc' } } })
  })

  it('shows pictures as pictures and text without what is hidden (sec-125)', async () => {
    const client = await start()
    const picture = await client.callTool('picture')
    expect(picture.content[0]).toEqual({ type: 'image', data: 'AQI=', mimeType: 'image/png' })
    const hidden = await client.callTool('hidden')
    expect(hidden.structuredContent).toMatchObject({ body: { name: 'red' } })
  })

  it('bounds answers by the option it names', async () => {
    const client = await start({ maxResponseBytes: 5_000 })
    const large = await client.callTool('large')
    expect(large).toMatchObject({ isError: true })
    expect(JSON.stringify(large.content)).toContain('maxResponseBytes')
  })

  it('selects by id, tag, method and path', async () => {
    const names = async (options: Partial<OpenapiOptions>) =>
      (await (await start({ write: true, ...options })).listTools()).map(({ name }) => name)
    expect(await names({ include: ['*Pet'] })).toEqual(['addPet', 'getPet', 'putPet', 'deletePet'])
    expect(await names({ include: ['tag:pets'], exclude: ['method:post'] })).toEqual(['listPets'])
    expect(await names({ include: ['path:/pets/*'], exclude: ['deletePet'] })).toEqual(['getPet', 'putPet'])
    await expect(start({ include: ['nothing'] })).rejects.toThrow('no operation')
  })
})

describe('what changes something is asked about', () => {
  for (const version of ['2025-06-18', '2026-07-28'] as const) {
    it(`${version}: yes sends it once, no sends nothing`, async () => {
      const messages: string[] = []
      let confirm = true
      const elicitation: ElicitationHandlers = {
        form: async ({ message }) => {
          messages.push(message)
          return { action: 'accept', content: { confirm } }
        },
      }
      const client = await start({ write: true }, { elicitation, versions: [version] })
      const added = await client.callTool('addPet', { body: { name: 'Rex' } })
      expect(added.structuredContent).toMatchObject({ status: 201, body: { body: '{"name":"Rex"}' } })
      expect(messages).toEqual([expect.stringContaining(`POST ${service.base}/v1/pets\nContent: {"name":"Rex"}`)])
      expect(service.asked.length).toBe(1)
      confirm = false
      const name = `${'long '.repeat(500)}to its end`
      await client.callTool('addPet', { body: { name } })
      expect(messages.pop(), 'sec-290').toContain(name)
      expect(await client.callTool('deletePet', { id: '7' })).toMatchObject({ isError: true })
      expect(service.asked.length).toBe(1)
      await client.callTool('getPet', { id: '7' })
      expect(messages.length).toBe(2)
    })

    it(`${version}: a client that cannot ask means no, unless allowUnasked`, async () => {
      const refused = await start({ write: true }, { versions: [version] })
      const answer = await refused.callTool('deletePet', { id: '7' })
      expect(answer.isError).toBe(true)
      expect(JSON.stringify(answer.content)).toContain('allowUnasked')
      expect(service.asked.length).toBe(0)
      const allowed = await start({ write: true, allowUnasked: true }, { versions: [version] })
      expect(await allowed.callTool('deletePet', { id: '7' })).not.toHaveProperty('isError', true)
      expect(service.asked.length).toBe(1)
    })
  }
})

describe('large descriptions', () => {
  it('900 operations stay usable: search, describe, call', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: 900 }, (_, n) => [
        `/thing${n}/{id}`,
        {
          get: {
            operationId: `getThing${n}`,
            summary: n === 7 ? 'The golden one' : 'A thing',
            parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
            responses: { 200: { description: 'ok' } },
          },
        },
      ]),
    )
    const description = { ...petDescription(`${service.base}/v1`), paths: { ...paths, ...petDescription('').paths } }
    const client = await start({ description: await place(description) })
    expect((await client.listTools()).map(({ name }) => name)).toEqual([
      'search_operations',
      'describe_operation',
      'call_operation',
    ])
    const found = await client.callTool('search_operations', { query: 'golden' })
    expect(found.structuredContent).toMatchObject({ total: 1, operations: [{ operation: 'getThing7' }] })
    const page = await client.callTool('search_operations', { query: 'thing', limit: 100 })
    const [cursor, next] = ['100', '200'].map((place) => toCursor(place, ['thing', undefined]))
    expect(page.structuredContent).toMatchObject({ total: 900, nextCursor: cursor })
    const second = await client.callTool('search_operations', { query: 'thing', limit: 100, cursor })
    expect(second.structuredContent).toMatchObject({ nextCursor: next })
    expect((await client.callTool('search_operations', { query: 'golden', cursor })).isError).toBe(true)
    const about = await client.callTool('describe_operation', { operation: 'getThing7' })
    expect(about.structuredContent).toMatchObject({ readOnly: true, arguments: { required: ['id'] } })
    const pet = await client.callTool('call_operation', { operation: 'getPet', arguments: { id: '1' } })
    expect(pet.structuredContent).toMatchObject({ status: 200 })
    for (const args of [
      { operation: 'getPet', arguments: { id: '../x' } },
      { operation: 'getPet', arguments: { id: '1', more: 1 } },
      { operation: 'getPet' },
      { operation: 'deletePet', arguments: { id: '1' } },
      { operation: '__proto__' },
    ]) {
      expect(await client.callTool('call_operation', args)).toMatchObject({ isError: true })
    }
  })
})

describe('credentials', () => {
  const environment = { TOKEN: 'bearer-s3cret', KEY: 'key-s3cret', ID: 'client', SECRET: 'client-s3cret' }

  it('go where the description says, and never come back', async () => {
    const client = await start({ bearerEnv: 'TOKEN', apiKeyEnv: 'KEY', environment })
    const echo = await client.callTool('echo')
    expect(service.asked.at(-1)).toMatchObject({
      url: '/v1/echo?api_key=key-s3cret',
      headers: { authorization: 'Bearer bearer-s3cret' },
    })
    expect(JSON.stringify(echo)).not.toContain('s3cret')
    expect(JSON.stringify(echo)).toContain('[redacted]')
    const missing = await client.callTool('getPet', { id: '404' })
    expect(JSON.stringify(missing)).toContain('HTTP 404')
    expect(JSON.stringify(missing)).not.toContain('s3cret')
    await client.callTool('open')
    expect(service.asked.at(-1)?.headers.authorization).toBeUndefined()
  })

  it('OAuth as a client: one token for several calls', async () => {
    const client = await start({
      oauthClientIdEnv: 'ID',
      oauthClientSecretEnv: 'SECRET',
      oauthTokenUrl: `${service.base}/token`,
      environment,
    })
    const echo = await client.callTool('echo')
    await client.callTool('echo')
    expect(service.asked.map(({ url }) => url)).toEqual(['/token', '/v1/echo', '/v1/echo'])
    expect(service.asked.at(-1)?.headers.authorization).toBe('Bearer token-from-server')
    expect(JSON.stringify(echo)).not.toContain('token-from-server')
  })

  it.each([
    [{ bearerEnv: 'NONE' }, 'no NONE'],
    [{ headersEnv: ['Host=TOKEN'] }, 'headersEnv'],
    [{ headersEnv: ['X-Key'] }, 'headersEnv'],
    [{ oauthClientIdEnv: 'ID', oauthClientSecretEnv: 'SECRET', oauthTokenUrl: 'nonsense:' }, 'not'],
  ])('%j is refused at start', async (options, message) => {
    const made = start({ environment, ...options }).then((client) => client.callTool('echo'))
    const outcome = await made.then((answer) => JSON.stringify(answer), String)
    expect(outcome).toContain(message)
  })

  it('a downloaded description cannot send them to another origin', async () => {
    const description = `${service.base}/openapi.json`
    const same = await start({ description, bearerEnv: 'TOKEN', environment })
    expect(await same.callTool('echo')).not.toHaveProperty('isError', true)
    const elsewhere = `${service.base}/elsewhere.json`
    await expect(start({ description: elsewhere, bearerEnv: 'TOKEN', environment })).rejects.toThrow('as baseUrl')
    await start({ description: elsewhere })
    await start({ description: elsewhere, bearerEnv: 'TOKEN', environment, baseUrl: `${service.base}/v1` })
  })
})

describe('descriptions from outside', () => {
  it('sec-237: one whose schemas refer twice to the next, forty times over, does not hang the start (servers 6)', async () => {
    const twice = (at: number) => ({ $ref: `#/components/schemas/S${at + 1}` })
    const chain = Array.from({ length: 40 }, (_, at) => [
      `S${at}`,
      { type: 'object', properties: { a: twice(at), b: twice(at) } },
    ])
    const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } }
    const hostile = {
      openapi: '3.1.0',
      info: { title: 'Chain', version: '1' },
      servers: [{ url: `${service.base}/v1` }],
      paths: {
        '/a': { get: { operationId: 'plain', responses: { 200: { description: 'ok' } } } },
        '/b': { post: { operationId: 'chained', requestBody: body, responses: { 200: { description: 'ok' } } } },
      },
      components: { schemas: { ...Object.fromEntries(chain), S40: { type: 'string' } } },
    }
    const client = await start({ description: await place(hostile) })
    expect((await client.listTools()).map(({ name }) => name)).toContain('plain')
  })

  it('sec-237: aliases of YAML that unfold without end are refused (servers 6)', async () => {
    const lines = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at}, `.repeat(9)}*a${at}]`)
    const bomb = ['openapi: 3.1.0', 'paths: {}', 'a0: &a0 [x]', ...lines].join('\n')
    await expect(start({ description: await place(bomb) })).rejects.toThrow('neither JSON nor YAML')
  })

  it('the same file may be YAML and 3.1', async () => {
    const description = await place(`
openapi: 3.1.0
info: { title: Small, version: '1' }
servers:
  - url: '{scheme}://${service.host}/{base}'
    variables: { scheme: { default: https, enum: [http, https] }, base: { default: v1 } }
paths:
  /echo:
    get:
      operationId: echo it
      parameters:
        - { name: 'filter[name]', in: query, schema: { type: [string, 'null'] } }
      responses: { '200': { description: ok } }
`)
    const client = await start({ description, serverVariables: ['scheme=http'] })
    const answer = await client.callTool('echo_it', { filter_name: 'x' })
    expect(answer.structuredContent).toMatchObject({ body: { url: '/v1/echo?filter%5Bname%5D=x' } })
    await expect(start({ description, serverVariables: ['scheme=file'] })).rejects.toThrow('one of http, https')
  })

  it.each([
    ['not a description', '{"swagger": "2.0"}', 'OpenAPI 3'],
    ['not JSON', '{', 'neither JSON nor YAML'],
    ['not YAML', 'openapi: 3.0.0\npaths: [}', 'neither JSON nor YAML'],
    [
      'too many aliases',
      `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(30)}]\nc: &c [${'*b,'.repeat(30)}]\nd: [${'*c,'.repeat(30)}]`,
      'neither',
    ],
    ['a server that is no web address', JSON.stringify(petDescription('file:///etc')), 'http or https'],
    ['no server at all', JSON.stringify(petDescription('/v1')), 'baseUrl'],
  ])('%s is refused', async (_name, text, message) => {
    await expect(start({ description: await place(text) })).rejects.toThrow(message)
  })

  it('sec-92: private addresses are refused unless named', async () => {
    const client = await start({ allowPrivate: [] })
    const answer = await client.callTool('echo')
    expect(JSON.stringify(answer.content)).toContain('loopback')
    expect(service.asked.length).toBe(0)
  })

  it('sec-125: words of the description lose what cannot be seen', async () => {
    const text = JSON.stringify(petDescription(`${service.base}/v1`)).replace('List pets', 'List\u202e\u200b pets')
    const client = await start({ description: await place(text) })
    const [first] = await client.listTools()
    expect(first).toMatchObject({ title: 'List pets' })
  })

  it('names from the prototype and odd patterns do no harm', async () => {
    const odd = JSON.parse(
      JSON.stringify(petDescription(`${service.base}/v1`)).replace(
        '"/feed"',
        '"/odd": {"get": {"operationId": "__proto__", "parameters": [{"name": "__proto__", "in": "query", "schema": {"type": "string", "pattern": "(?<=a)("}}, {"$ref": "#/constructor"}], "responses": {}}, "head": {"operationId": "constructor", "parameters": [{"name": "__proto__", "in": "query", "schema": {"type": "string", "pattern": "(?<=a)("}}], "responses": {}}}, "/feed"',
      ),
    )
    const client = await start({ description: await place(odd) })
    const tools = await client.listTools()
    expect(tools.some(({ name }) => name === 'constructor')).toBe(true)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('resources, completion and the prompt', () => {
  it('shows the description and each operation', async () => {
    const client = await start({ readsAsResources: true })
    const uris = (await client.listResources()).map(({ uri }) => uri)
    expect(uris).toContain('openapi://operations/listPets')
    expect(uris).toContain('openapi://reads/listPets')
    expect(uris).not.toContain('openapi://reads/getPet')
    const page = await client.readResource('openapi://operations/getPet')
    expect(JSON.stringify(page)).toContain('GET /pets/{id}')
    const read = await client.readResource('openapi://reads/listPets')
    expect(JSON.stringify(read)).toContain('pet 1')
    const completed = await client.complete({
      ref: { type: 'ref/resource', uri: 'openapi://operations/{id}' },
      argument: { name: 'id', value: 'pet' },
    })
    expect(completed.completion.values).toEqual(['listPets', 'getPet'])
    const prompt = await client.getPrompt('use_api', { goal: 'Find Rex', tag: 'pets' })
    expect(JSON.stringify(prompt)).toContain('Find Rex')
  })
})
