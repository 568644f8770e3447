import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestClient, testClient } from '@portico/sdk/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { entry } from './entry.ts'
import type { Embed } from './meanings.ts'
import { createKnowledgeServer } from './server.ts'

let folder = ''
const opened: { close(): unknown }[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'meanings-test-'))
  await writeFile(join(folder, 'travel.md'), '# Journeys\n\nA train to the sea is paid for, first class is not.')
  await writeFile(join(folder, 'animals.md'), '# Animals\n\nA puppy needs water. Nobody brings an accommodation.')
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await rm(folder, { recursive: true, force: true })
})

async function search(client: TestClient, query: string) {
  const { structuredContent } = await client.callTool('search_documents', { query })
  return structuredContent as { hits: { document: string }[]; note?: string }
}

async function open(embed?: Embed): Promise<TestClient> {
  const ready = await createKnowledgeServer({ directory: folder, watch: false, structured: true, embed })
  const client = await testClient(ready.server)
  opened.push(client, ready)
  return client
}

/** Knows two meanings: dogs, and journeys. */
const toVector = (text: string): number[] => [
  /puppy|dog/i.test(text) ? 1 : 0,
  /train|railway/i.test(text) ? 1 : 0,
  0.01,
]

describe('servers 28: words that are not quite right', () => {
  it.each([
    ['acommodation', 'animals.md'],
    ['accomodaton', 'animals.md'],
    ['joruneys', 'travel.md'],
    ['pupy', 'animals.md'],
    ['trian', undefined],
  ])('%s finds %s', async (query, document) => {
    const { hits } = await search(await open(), query)
    if (document !== undefined) expect(hits[0]?.document).toBe(document)
    else expect(hits.length).toBeLessThanOrEqual(2)
  })

  it('what is spelled right comes before what is nearly so', async () => {
    await writeFile(join(folder, 'nearly.md'), 'The trail to the sea.')
    expect((await search(await open(), 'train'))?.hits[0]?.document).toBe('travel.md')
  })
})

describe('servers: search by meaning', () => {
  it('finds what has none of the words, and nothing of the kind without it', async () => {
    expect((await search(await open(), 'dog')).hits).toEqual([])
    const client = await open(async (texts) => texts.map(toVector))
    expect((await search(client, 'dog')).hits.map(({ document }) => document)).toEqual(['animals.md'])
    expect((await search(client, 'railway')).hits[0]?.document).toBe('travel.md')
  })

  it('reads a passage once, and again when its file changed', async () => {
    const seen: string[] = []
    const client = await open(async (texts) => {
      seen.push(...texts)
      return texts.map(toVector)
    })
    await search(client, 'dog')
    await search(client, 'railway')
    expect(seen.filter((text) => text.includes('puppy'))).toHaveLength(1)
    await writeFile(join(folder, 'animals.md'), 'Only a railway here now, nothing else at all.')
    await client.callTool('reindex')
    expect((await search(client, 'dog')).hits).toEqual([])
  })

  it.each<[string, Embed]>([
    ['fails', () => Promise.reject(new Error('the model is away'))],
    ['gives too few', async () => []],
  ])('searches by words, and says so, where the function %s', async (_what, embed) => {
    const { hits, note } = await search(await open(embed), 'puppy')
    expect(hits[0]?.document).toBe('animals.md')
    expect(note).toContain('Searched by words alone')
  })

  it('asks a service of the operator’s choice, with its key, and takes no redirect', async () => {
    const asked: { authorization: string | undefined; model: string }[] = []
    let elsewhere = false
    const service = createServer((request, response) => {
      let body = ''
      request.on('data', (part) => {
        body += part
      })
      request.on('end', () => {
        const { model, input } = JSON.parse(body)
        asked.push({ authorization: request.headers.authorization, model })
        if (elsewhere) return void response.writeHead(302, { location: 'http://other.invalid/' }).end()
        response.end(JSON.stringify({ data: input.map((text: string) => ({ embedding: toVector(text) })) }))
      })
    })
    await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
    opened.push({ close: () => service.close() })
    process.env.PORTICO_TEST_EMBED_KEY = 'a key'
    const embedUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/v1/embeddings`
    const values = { directory: folder, structured: true, embedUrl, embedModel: 'small' }
    const ready = await entry.create({ ...values, embedKeyEnv: 'PORTICO_TEST_EMBED_KEY' })
    const client = await testClient(ready.server)
    opened.push(client, ready)
    expect((await search(client, 'dog')).hits[0]?.document).toBe('animals.md')
    expect(asked[0]).toEqual({ authorization: 'Bearer a key', model: 'small' })
    elsewhere = true
    expect((await search(client, 'dog')).note).toContain('status 302')
    await expect(entry.create({ directory: folder, embedUrl })).rejects.toThrow('go together')
    await expect(entry.create({ ...values, embedUrl: 'file:///x' })).rejects.toThrow('embedUrl')
  })
})
