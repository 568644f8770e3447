import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, connect, type ElicitationHandlers, type ProtocolVersion } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOK_SCHEMA, type BookService, startBookService } from '../../test/fixtures/book-service.ts'
import { createGraphqlServer, type GraphqlOptions } from './server.ts'

let service: BookService
const clients: Client[] = []

beforeAll(async () => {
  service = await startBookService()
})

afterAll(async () => {
  for (const client of clients) await client.close()
  await service.close()
})

interface Ask {
  readonly elicitation?: ElicitationHandlers
  readonly versions?: readonly ProtocolVersion[]
}

async function start(options: Partial<GraphqlOptions> = {}, ask: Ask = {}): Promise<Client> {
  const { server } = await createGraphqlServer({
    endpoint: service.endpoint,
    allowPrivate: [service.host],
    structured: true,
    ...options,
  })
  const client = await connect(server, ask)
  clients.push(client)
  service.asked.length = 0
  return client
}

describe('queries', () => {
  it('are sent with variables, and answered as data', async () => {
    const client = await start()
    const answer = await client.callTool('query', {
      document: 'query Get($id: ID!) { book(id: $id) { title author { name } } }',
      variables: { id: '1' },
      operationName: 'Get',
    })
    expect(answer.structuredContent).toEqual({ data: { book: { title: 'Engines', author: { name: 'Ada' } } } })
  })

  it('sec-125: come back without what is hidden; parts that failed are told', async () => {
    const client = await start()
    const answer = await client.callTool('query', { document: '{ hidden broken }' })
    expect(answer.structuredContent).toMatchObject({
      data: { hidden: 'red', broken: null },
      errors: [{ path: ['broken'] }],
    })
  })

  const deep = (levels: number) =>
    `{ books(first: 1) ${'{ author { books(first: 1) '.repeat(levels)}{ id }${' } }'.repeat(levels)} }`
  it.each([
    ['a mutation', 'mutation { addBook(title: "x") { id } }', 'option mutations'],
    ['a subscription', 'subscription { added { id } }', 'Subscriptions are not sent'],
    ['two operations', 'query A { echo } query B { echo }', 'one operation at a time'],
    [
      'a query with a mutation behind it',
      'query A { echo } mutation B { addBook(title: "x") { id } }',
      'one operation',
    ],
    ['a definition', 'type A { b: Int } query A { echo }', 'Only operations'],
    ['nothing', 'fragment A on Book { id }', 'no operation'],
    ['no GraphQL', '{ echo', 'Line 1'],
    ['an unknown field', '{ ehco }', 'Did you mean "echo"'],
    ['an unknown argument', '{ book(id: "1", x: 2) { id } }', 'Unknown argument'],
    ['too deep', deep(5), 'option maxDepth'],
    ['too deep by far', `${'{ a '.repeat(1_200)}${'}'.repeat(1_200)}`, 'option maxDepth'],
    ['too many tokens', `{ ${'echo '.repeat(5_000)} }`, '4000 tokens'],
    ['a long list', '{ books(first: 10000) { id } }', 'option maxCost'],
    ['a long list by a variable', 'query ($n: Int = 9000) { books(first: $n) { id } }', 'option maxCost'],
    ['a long connection', '{ library(first: 10000) { edges { node { id } } } }', 'option maxCost'],
    ['lists in lists', '{ books(first: 100) { similar(limit: 100) { id } } }', 'option maxCost'],
    ['lists of a size not said', '{ books { similar { similar { similar { id } } } } }', 'option maxCost'],
    [
      'aliases',
      `{ ${Array.from({ length: 60 }, (_, n) => `a${n}: books(first: 100) { id }`).join(' ')} }`,
      'option maxCost',
    ],
    [
      'fragments that unfold',
      `{ books(first: 1) { ...F0 } } ${Array.from({ length: 15 }, (_, n) => `fragment F${n} on Book { ...F${n + 1} ...F${n + 1} }`).join(' ')} fragment F15 on Book { id }`,
      'option maxCost',
    ],
    ['a fragment in itself', '{ books(first: 1) { ...F } } fragment F on Book { ...F }', 'contains itself'],
  ])('sec-122: %s is refused before anything is sent', async (_name, document, message) => {
    const client = await start()
    const answer = await client.callTool('query', { document })
    expect(answer.isError).toBe(true)
    expect(JSON.stringify(answer.content)).toContain(JSON.stringify(message).slice(1, -1))
    expect(service.asked.length).toBe(0)
  })

  it('limits hold at their edge', async () => {
    const client = await start({ maxCost: 11, maxDepth: 2 })
    expect(await client.callTool('query', { document: '{ books(first: 10) { id } }' })).not.toHaveProperty(
      'isError',
      true,
    )
    expect(await client.callTool('query', { document: '{ books(first: 11) { id } }' })).toHaveProperty('isError', true)
  })

  it('variables of the wrong kind are refused here', async () => {
    const client = await start()
    const document = 'query ($id: ID!) { book(id: $id) { id } }'
    for (const variables of [{}, { id: { a: 1 } }, { id: null }]) {
      expect(await client.callTool('query', { document, variables })).toHaveProperty('isError', true)
    }
    expect(service.asked.length).toBe(0)
  })
})

describe('mutations', () => {
  const document = 'mutation Add($title: String!) { addBook(title: $title) { title } }'

  it('are not offered unless allowed', async () => {
    const client = await start()
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['query', 'search_schema', 'describe_type'])
  })

  for (const version of ['2025-06-18', '2026-07-28'] as const) {
    it(`${version}: are asked about, and sent once`, async () => {
      const messages: string[] = []
      let confirm = true
      const elicitation: ElicitationHandlers = {
        form: async ({ message }) => {
          messages.push(message)
          return { action: 'accept', content: { confirm } }
        },
      }
      const client = await start({ mutations: true }, { elicitation, versions: [version] })
      const answer = await client.callTool('mutate', { document, variables: { title: 'Notes' } })
      expect(answer.structuredContent).toEqual({ data: { addBook: { title: 'Notes' } } })
      expect(messages[0]).toContain('addBook')
      expect(messages[0]).toContain('Notes')
      confirm = false
      const title = `${'long '.repeat(500)}to its end`
      await client.callTool('mutate', { document, variables: { title } })
      expect(messages.pop(), 'sec-290').toContain(title)
      expect(await client.callTool('mutate', { document, variables: { title: 'No' } })).toHaveProperty('isError', true)
      expect(service.asked.length).toBe(1)
      expect(await client.callTool('mutate', { document: '{ echo }' })).toHaveProperty('isError', true)
      expect(messages.length).toBe(2)
    })

    it(`${version}: a client that cannot ask means no, unless allowUnasked`, async () => {
      const refused = await start({ mutations: true }, { versions: [version] })
      const answer = await refused.callTool('mutate', { document, variables: { title: 'x' } })
      expect(JSON.stringify(answer.content)).toContain('allowUnasked')
      expect(service.asked.length).toBe(0)
      const allowed = await start({ mutations: true, allowUnasked: true }, { versions: [version] })
      await allowed.callTool('mutate', { document, variables: { title: 'x' } })
      expect(service.asked.length).toBe(1)
    })
  }
})

describe('the schema', () => {
  it('is searched, described, read and completed', async () => {
    const client = await start()
    const found = await client.callTool('search_schema', { query: 'library' })
    expect(found.structuredContent).toMatchObject({
      found: [{ name: 'Query.library', signature: 'library(first: Int): Connection!' }],
    })
    const page = await client.callTool('search_schema', { query: 'book', limit: 2 })
    const { total, nextCursor } = page.structuredContent as { total: number; nextCursor?: string }
    expect(total).toBeGreaterThan(2)
    // As every page after the first is asked for.
    const second = await client.callTool('search_schema', { query: 'book', limit: 100, cursor: nextCursor ?? '' })
    expect((second.structuredContent as { found: unknown[] }).found).toHaveLength(total - 2)
    const roots = await client.callTool('search_schema', {})
    expect(JSON.stringify(roots.structuredContent)).toContain('Query.echo')
    const type = await client.callTool('describe_type', { name: 'Filter' })
    expect(JSON.stringify(type.structuredContent)).toContain('input Filter')
    expect(await client.callTool('describe_type', { name: '__proto__' })).toHaveProperty('isError', true)
    expect(JSON.stringify(await client.readResource('graphql://schema'))).toContain('type Connection')
    expect(JSON.stringify(await client.readResource('graphql://types/Order'))).toContain('TITLE')
    const completed = await client.complete({
      ref: { type: 'ref/resource', uri: 'graphql://types/{name}' },
      argument: { name: 'name', value: 'ed' },
    })
    expect(completed.completion.values).toEqual(['Edge'])
    expect(JSON.stringify(await client.getPrompt('write_query', { question: 'Who?' }))).toContain('Who?')
  })

  it('comes from a file where the service does not tell it', async () => {
    service.introspection = false
    const folder = await mkdtemp(join(tmpdir(), 'graphql-'))
    try {
      await expect(start()).rejects.toThrow('schemaFile')
      const schemaFile = join(folder, 'schema.graphql')
      await expect(start({ schemaFile })).rejects.toThrow(
        `The schema file ${schemaFile} is not to be had: there is no such file`,
      )
      await expect(start({ schemaFile: folder })).rejects.toThrow('it is a folder')
      await writeFile(schemaFile, BOOK_SCHEMA)
      const client = await start({ schemaFile })
      const answer = await client.callTool('query', { document: '{ book(id: "1") { id } }' })
      expect(answer.structuredContent).toEqual({ data: { book: { id: '1' } } })
      await expect(start({ schemaFile, maxSchemaBytes: 10 })).rejects.toThrow('maxSchemaBytes')
      await writeFile(schemaFile, 'type {')
      await expect(start({ schemaFile })).rejects.toThrow('cannot be read')
    } finally {
      service.introspection = true
      await rm(folder, { recursive: true })
    }
  })

  it('sec-237: one whose interfaces all implement each other does not hang this process (servers 6)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'graphql-'))
    try {
      const names = Array.from({ length: 1000 }, (_, at) => `I${at}`)
      const types = names.map((name, at) => {
        const above = at === 0 ? '' : ` implements ${names.slice(0, at).join(' & ')}`
        return `interface ${name}${above} { a: Int }`
      })
      const schemaFile = join(folder, 'schema.graphql')
      await writeFile(schemaFile, `type Query { a: Int }\n${types.join('\n')}`)
      await expect(start({ schemaFile })).rejects.toThrow(/it took more than \d+ (ms|MB)/)
    } finally {
      await rm(folder, { recursive: true })
    }
  }, 60_000)
})

describe('one tool for each root field', () => {
  it('takes the field’s arguments and what is wanted of it', async () => {
    const client = await start({ fieldTools: true })
    const tools = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('query_books')
    const plain = await client.callTool('query_book', { id: '1' })
    expect(plain.structuredContent).toMatchObject({ data: { book: { id: '1', title: 'Engines', year: 1843 } } })
    const chosen = await client.callTool('query_books', {
      first: 2,
      filter: { title: 'x', not: { years: [1] } },
      order: 'YEAR',
      select: 'title author { name }',
    })
    expect(chosen.structuredContent).toMatchObject({
      data: { books: [{ title: 'Engines', author: { name: 'Ada' } }, {}] },
    })
  })

  it.each([
    '{ id } other: echo',
    '{ id } } query B { echo',
    '{ id }\nmutation { addBook(title: "x") { id } }',
    'query X { id }',
    '{',
  ])('sec-122: select cannot add to the document: %j', async (select) => {
    const client = await start({ fieldTools: true, mutations: true, allowUnasked: true })
    expect(await client.callTool('query_book', { id: '1', select })).toHaveProperty('isError', true)
    expect(await client.callTool('mutation_addBook', { title: 'a', select })).toHaveProperty('isError', true)
    expect(service.asked.length).toBe(0)
  })

  it('are left out above maxTools', async () => {
    const client = await start({ fieldTools: true, maxTools: 3 })
    expect((await client.listTools()).length).toBe(3)
  })
})

describe('credentials and destinations', () => {
  it('go along and never come back', async () => {
    const environment = { TOKEN: 'bearer-s3cret', KEY: 'key-s3cret' }
    const client = await start({ bearerEnv: 'TOKEN', headersEnv: ['X-Key=KEY'], environment })
    const answer = await client.callTool('query', { document: '{ echo broken }' })
    expect(JSON.stringify(answer)).toContain('[redacted]')
    expect(JSON.stringify(answer)).not.toContain('s3cret')
  })

  it.each(['file:///etc/passwd', 'nonsense', 'ws://example.com/'])('sec-92: %s is no endpoint', async (endpoint) => {
    await expect(start({ endpoint })).rejects.toThrow('http or https')
  })

  it('sec-92: private addresses are refused unless named', async () => {
    await expect(start({ allowPrivate: [] })).rejects.toThrow('loopback')
  })
})
