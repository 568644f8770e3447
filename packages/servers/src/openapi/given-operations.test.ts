/** A service without a description: operations written by hand or learned from an example call (founding 17). */

import { type Client, connect, type ElicitationHandlers } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PetService, startPetService } from '../../test/fixtures/pet-service.ts'
import { entry } from './entry.ts'
import { createOpenapiServer, type OpenapiOptions } from './server.ts'

let service: PetService
const clients: Client[] = []

beforeAll(async () => {
  service = await startPetService()
})
afterAll(async () => {
  for (const client of clients) await client.close()
  await service.close()
})

async function start(options: OpenapiOptions, elicitation?: ElicitationHandlers): Promise<Client> {
  service.asked.length = 0
  const allowPrivate = [service.host]
  const { server } = await createOpenapiServer({ allowPrivate, ...options })
  const client = await connect(server, { ...(elicitation && { elicitation }) })
  clients.push(client)
  return client
}

const inputs = async (client: Client) => new Map((await client.listTools()).map((one) => [one.name, one.inputSchema]))

describe('operations without a description (founding 17)', () => {
  it('are called as they were written down, by name, place and body', async () => {
    const asked: string[] = []
    const client = await start(
      {
        baseUrl: `${service.base}/v1`,
        write: true,
        operations: [
          { name: 'get_pet', path: '/pets/{id}', description: 'One pet', query: { full: { type: 'boolean' } } },
          {
            name: 'add_pet',
            method: 'POST',
            path: '/pets',
            body: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
            required: ['body'],
          },
        ],
      },
      {
        form: async ({ message }) => {
          asked.push(message)
          return { action: 'accept', content: { confirm: true } }
        },
      },
    )
    const tools = await inputs(client)
    expect(tools.get('get_pet')).toMatchObject({
      required: ['id'],
      properties: { id: { type: 'string' }, full: { type: 'boolean' } },
      additionalProperties: false,
    })
    await client.callTool('get_pet', { id: 'a/b c', full: true })
    expect(service.asked.at(-1)?.url).toBe('/v1/pets/a%2Fb%20c?full=true')
    expect((await client.callTool('get_pet', { id: '..' })).isError).toBe(true)
    expect((await client.callTool('add_pet', {})).isError).toBe(true)
    await client.callTool('add_pet', { body: { name: 'Rex' } })
    expect(service.asked.at(-1)).toMatchObject({ method: 'POST', url: '/v1/pets', body: '{"name":"Rex"}' })
    expect(asked).toEqual([expect.stringContaining('POST')])
  })

  it('are learned from examples of calls: names, kinds, parts of the path, body and where it is', async () => {
    const client = await start({
      write: true,
      allowUnasked: true,
      operations: [
        `find_pets: GET ${service.base}/v1/pets?limit=10&kind=dog&all=true&q= # Finds pets`,
        `POST ${service.base}/v1/pets/7 {"name":"Rex","tags":["a"],"size":{"kg":3.5}}`,
      ],
    })
    const tools = await inputs(client)
    expect(tools.get('find_pets')?.properties).toMatchObject({
      limit: { type: 'integer' },
      kind: { type: 'string' },
      all: { type: 'boolean' },
      q: { type: 'string' },
    })
    expect(tools.get('find_pets')?.required).toBeUndefined()
    expect((await client.listTools())[0]?.description).toContain('Finds pets')
    expect(tools.get('post_v1_pets_id')).toMatchObject({
      required: ['id', 'body'],
      properties: {
        id: { type: 'integer' },
        body: {
          properties: {
            name: { type: 'string' },
            tags: { type: 'array', items: { type: 'string' } },
            size: { properties: { kg: { type: 'number' } } },
          },
        },
      },
    })
    await client.callTool('post_v1_pets_id', { id: 8, body: { name: 'Tim' } })
    expect(service.asked.at(-1)).toMatchObject({ url: '/v1/pets/8', body: '{"name":"Tim"}' })
  })

  it('keep the guards of described ones: reading alone, questions, private addresses, credentials', async () => {
    const operations = ['list: GET /pets', 'drop: DELETE /pets/{id}']
    const baseUrl = `${service.base}/v1`
    expect([...(await inputs(await start({ baseUrl, operations }))).keys()]).toEqual(['list'])
    const writing = await start({ baseUrl, operations, write: true })
    const { isError, content } = await writing.callTool('drop', { id: '1' })
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('consent')])
    const kept = await start({ baseUrl, operations, allowPrivate: [] })
    expect((await kept.callTool('list', {})).isError).toBe(true)
    const known = await start({ baseUrl, operations, bearerEnv: 'T', environment: { T: 'secret-token' } })
    await known.callTool('list', {})
    expect(service.asked.at(-1)?.headers.authorization).toBe('Bearer secret-token')
  })

  it.each([
    ['no service', { operations: ['GET /pets'] }, 'baseUrl'],
    ['neither', {}, 'description'],
    ['both', { description: 'x.json', operations: ['GET /pets'] }, 'in place of it'],
    ['another origin', { baseUrl: 'https://a.example', operations: ['GET https://b.example/pets'] }, 'b.example'],
    ['outside of the base', { baseUrl: 'https://a.example/v1', operations: ['GET https://a.example/x'] }, 'below'],
    ['a secret', { baseUrl: 'https://a.example', operations: ['GET /pets?api_key=abc'] }, 'secret'],
    ['a password', { operations: ['GET https://u:p@a.example/pets'] }, 'password'],
    ['a step upward', { baseUrl: 'https://a.example', operations: ['GET /a/../b'] }, 'upward'],
    ['no call', { baseUrl: 'https://a.example', operations: ['fetch me something'] }, 'no operation'],
    ['another method', { baseUrl: 'https://a.example', operations: [{ path: '/x', method: 'TRACE' }] }, 'TRACE'],
    ['the same twice', { baseUrl: 'https://a.example', operations: ['GET /x', 'one: GET /x'] }, 'twice'],
    ['a broken body', { baseUrl: 'https://a.example', operations: ['POST /x {"a":]'] }, 'JSON'],
  ] as const)('refuse %s, and say why', async (_name, options, words) => {
    await expect(createOpenapiServer(options)).rejects.toThrow(words)
  })

  it('are given on the command line as lines or as JSON', async () => {
    const { server } = await entry.create({
      baseUrl: 'https://a.example',
      operations: ['GET /pets', '{"name":"one","path":"/pets/{id}","query":{"full":"Everything"}}'],
    })
    expect(server.catalogue().tools.map(({ name }) => name)).toEqual(['get_pets', 'one'])
  })
})
