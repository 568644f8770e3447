import { type Client, type ConnectOptions, connect, type ElicitResult, PROTOCOL_VERSIONS } from '@portico/sdk/client'
import { afterEach, describe, expect, it } from 'vitest'
import { createEverythingServer } from './server.ts'

let cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  cleanups = []
})

async function start(options: ConnectOptions = {}, settings = {}): Promise<Client> {
  const { server, close } = await createEverythingServer(settings)
  cleanups.push(close)
  const client = await connect(server, options)
  cleanups.push(() => client.close())
  return client
}

const words = async (client: Client, name: string, args = {}) =>
  JSON.stringify((await client.callTool(name, args)).content)

describe.each(PROTOCOL_VERSIONS)('on %s', (versions) => {
  it('answers with every type of content that the revision has', async () => {
    const client = await start({ versions })
    const types = (await client.callTool('content_types')).content.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['text', 'image', 'resource']))
    expect(types.includes('audio')).toBe(versions >= '2025-03-26')
    expect(types.includes('resource_link')).toBe(versions >= '2025-06-18')
  })

  it('reports progress and logs, and can be cancelled', async () => {
    const client = await start({ versions, logLevel: 'info' })
    const progress: number[] = []
    const logs: unknown[] = []
    client.on('log', ({ data }) => void logs.push(data))
    await client.callTool(
      'count',
      { steps: 3, stepMs: 0 },
      { onProgress: ({ progress: done }) => void progress.push(done) },
    )
    expect(progress).toEqual([1, 2, 3])
    await expect.poll(() => logs.length).toBe(3)
    const stop = new AbortController()
    const counting = client.callTool(
      'count',
      { steps: 10_000, stepMs: 1 },
      { signal: stop.signal, onProgress: () => stop.abort() },
    )
    await expect(counting).rejects.toMatchObject({ code: 'aborted' })
  })

  it('asks for input where the client offers it, and says so where it does not', async () => {
    const form = ({ message }: { message: string }): ElicitResult => ({
      action: 'accept',
      content: message.includes('called') ? { name: 'Mia' } : { pet: 'cat' },
    })
    const client = await start({
      versions,
      roots: [{ uri: 'file:///project', name: 'project' }],
      sampling: () => ({ role: 'assistant', content: { type: 'text', text: 'Hi.' }, model: 'tiny' }),
      ...(versions >= '2025-06-18' && { elicitation: { form } }),
    })
    expect(await words(client, 'roots')).toContain('file:///project')
    expect(await words(client, 'sample', { prompt: 'Hello?' })).toContain('tiny says: Hi.')
    const twice = await client.callTool('ask_twice')
    if (versions >= '2025-06-18') expect(JSON.stringify(twice.content)).toContain('Mia the cat')
    else expect(twice.isError).toBe(true)
  })
})

it('fails in each way a tool can', async () => {
  const client = await start()
  expect(await words(client, 'fail', { how: 'told' })).toContain('on purpose')
  const thrown = await words(client, 'fail', { how: 'thrown' })
  expect(thrown).toContain('Reference')
  expect(thrown).not.toContain('broke inside')
  expect((await client.callTool('fail', { how: 'wrong-shape' })).isError).toBe(true)
})

it('changes its list of tools and a resource while somebody listens', async () => {
  const client = await start({}, { tickMs: 10 })
  const changes: string[] = []
  await client.subscribe({ toolsListChanged: true }, ({ kind }) => void changes.push(kind))
  await client.callTool('toggle_extra')
  await expect.poll(() => changes).toContain('tools')
  expect((await client.listTools()).some(({ name }) => name === 'extra')).toBe(true)
  const ticked = new Promise<void>((resolve) => void client.subscribe('everything://clock', () => resolve()))
  await ticked
})

it('pages its lists where asked to', async () => {
  const client = await start({}, { pageSize: 5 })
  const pages: number[] = []
  for await (const page of client.toolPages()) pages.push(page.length)
  expect(pages.length).toBeGreaterThan(2)
  expect(Math.max(...pages)).toBe(5)
})

it('completes arguments, the second by the first', async () => {
  const client = await start()
  const ref = { type: 'ref/prompt', name: 'travel' } as const
  const complete = (name: string, value: string, context = {}) =>
    client.complete({ ref, argument: { name, value }, context: { arguments: context } })
  expect((await complete('city', 'be')).completion.values).toEqual(['Bergen', 'Berlin', 'Bern'])
  expect((await complete('season', '', { city: 'Oslo' })).completion.values).toEqual(['winter'])
})
