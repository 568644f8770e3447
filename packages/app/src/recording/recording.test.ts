import { appendFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineServer } from '@portico/host/config'
import { createUpstreams } from '@portico/host/upstream'
import { type Client, connect, type JsonObject, PROTOCOL_VERSIONS } from '@portico/sdk/client'
import { createServer, prompt, RpcError, resource, tool } from '@portico/sdk/server'
import { transform } from 'esbuild'
import { afterEach, describe, expect, it } from 'vitest'
import { exportTest } from './export-test.ts'
import { type RecordedMessage, type Recording, RecordingError, readRecording } from './format.ts'
import { createRecorder } from './recorder.ts'
import { createReplayServer } from './replay-server.ts'

let cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
  cleanups = []
})

async function makeFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-recording-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'session.jsonl')
}

/** Answers differently each time, so that an answer from a recording can be told from a new one. */
function createCounting() {
  let count = 0
  return createServer({
    name: 'counting',
    version: '2.0.0',
    instructions: 'Count with me.',
    tools: {
      count: tool(
        { description: 'Counts', input: { type: 'object', properties: { by: { type: 'number' } } } },
        ({ by }) => ({ content: [{ type: 'text', text: `call ${++count} by ${by}` }], structuredContent: { count } }),
      ),
      ask: tool({ description: 'Asks', input: { type: 'object' } }, async (_args, ctx) => {
        const answer = await ctx.elicit('who', {
          message: 'Who?',
          form: { type: 'object', properties: { name: { type: 'string' } } },
        })
        return `hello ${answer.action === 'accept' ? answer.content.name : '?'}`
      }),
      fail: tool({ description: 'Fails', input: { type: 'object' } }, () => {
        throw new RpcError(-32_077, 'broken on purpose')
      }),
    },
    resources: { note: resource({ uri: 'note://a' }, () => `read ${++count}`) },
    prompts: { greet: prompt({ arguments: [{ name: 'who' }] }, ({ who }) => `Hello, ${who}`) },
  })
}

/** Records real calls of a real client, as the host's tap gives them. */
async function record(use: (client: Client) => Promise<unknown>, version = '2026-07-28'): Promise<Recording> {
  const file = await makeFile()
  const upstreams = createUpstreams({
    watchdog: false,
    inProcess: new Map([['counting', async () => ({ server: createCounting() })]]),
    questions: () => ({ elicitation: { form: async () => ({ action: 'accept', content: { name: 'Ada' } }) } }),
  })
  cleanups.push(() => upstreams.close())
  const head = {
    name: 'counting',
    info: { name: 'counting', version: '2.0.0' },
    instructions: 'Count with me.',
    version,
  }
  const recorder = await createRecorder(file, { at: 1, servers: [head] })
  upstreams.on('message', (message) => recorder.add(message))
  await upstreams.add(defineServer('counting', { kind: 'in-process', module: 'counting', options: {} }))
  const client = await upstreams.client('counting')
  await Promise.all([client.listTools(), client.listResources(), client.listPrompts()])
  await use(client)
  await recorder.close()
  expect(recorder.messages).toBeGreaterThan(5)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  return readRecording(file)
}

async function useAll(client: Client): Promise<JsonObject[]> {
  const results: unknown[] = []
  results.push(await client.callTool('count', { by: 1 }))
  results.push(await client.callTool('count', { by: 2 }))
  results.push(await client.callTool('count', { by: 1 }))
  results.push(await client.callTool('ask', {}))
  results.push(await client.callTool('fail', {}).catch((error) => ({ code: error.rpcCode, message: error.message })))
  results.push(await client.readResource('note://a'))
  results.push(await client.getPrompt('greet', { who: 'Ada' }))
  // What the two sides say about themselves is not the answer.
  return results.map((result) => {
    const { _meta, resultType, ttlMs, cacheScope, ...rest } = result as JsonObject
    return rest
  })
}

describe('a recording', () => {
  it.each(PROTOCOL_VERSIONS)('answers the same calls the same way to a client of %s', async (version) => {
    const seen: JsonObject[] = []
    const recording = await record(async (client) => seen.push(...(await useAll(client))))
    const client = await connect(createReplayServer(recording), { versions: [version] })
    cleanups.push(() => client.close())
    expect(client.server.info).toMatchObject({ name: 'counting', version: '2.0.0' })
    expect((await client.listTools()).map(({ name }) => name).sort()).toEqual(['ask', 'count', 'fail'])
    const replayed = await useAll(client)
    // Older revisions have no structured content; what they have is the same.
    const texts = (results: readonly JsonObject[]) => results.map(({ structuredContent, ...rest }) => rest)
    expect(texts(replayed)).toEqual(texts(seen))
  })

  it('keeps to its last answer, and says so where it has none', async () => {
    const recording = await record((client) => client.callTool('count', { by: 1 }))
    const client = await connect(createReplayServer(recording))
    cleanups.push(() => client.close())
    const first = await client.callTool('count', { by: 1 })
    expect(await client.callTool('count', { by: 1 })).toEqual(first)
    const other = await client.callTool('count', { by: 9 })
    expect(other).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('no answer') }] })
    await expect(client.callTool('nothing', {})).rejects.toMatchObject({ rpcCode: -32602 })
    await expect(client.readResource('note://b')).rejects.toThrow()
  })

  it('tells the tools of several servers apart', async () => {
    const lines = (server: string, text: string): RecordedMessage[] => [
      { at: 1, server, connection: `${server}#1`, direction: 'out', message: { id: 1, method: 'tools/list' } },
      {
        at: 2,
        server,
        connection: `${server}#1`,
        direction: 'in',
        message: { id: 1, result: { tools: [{ name: 't', inputSchema: { type: 'object' } }] } },
      },
      {
        at: 3,
        server,
        connection: `${server}#1`,
        direction: 'out',
        message: { id: 2, method: 'tools/call', params: { name: 't' } },
      },
      {
        at: 4,
        server,
        connection: `${server}#1`,
        direction: 'in',
        message: { id: 2, result: { content: [{ type: 'text', text }] } },
      },
    ]
    const recording = {
      at: 1,
      servers: [{ name: 'a' }, { name: 'b' }],
      messages: [...lines('a', 'A'), ...lines('b', 'B')],
    }
    const client = await connect(createReplayServer(recording))
    cleanups.push(() => client.close())
    expect((await client.listTools()).map(({ name }) => name)).toEqual(['a_t', 'b_t'])
    expect((await client.callTool('b_t', {})).content).toEqual([{ type: 'text', text: 'B' }])
  })

  it.each([
    ['empty', ''],
    ['of another kind', '{"log":{}}\n'],
    ['no JSON', 'hello\n'],
  ])('that is %s is refused', async (_name, content) => {
    const file = await makeFile()
    await writeFile(file, content)
    await expect(readRecording(file)).rejects.toThrow(RecordingError)
  })

  it('is read past a torn line', async () => {
    const file = await makeFile()
    const recorder = await createRecorder(file, { at: 1, servers: [] })
    recorder.add({ at: 1, server: 's', connection: 'c', direction: 'out', message: { id: 1, method: 'ping' } })
    await recorder.close()
    await appendFile(file, '{"at":2,"server":')
    expect((await readRecording(file)).messages).toHaveLength(1)
    await expect(createRecorder(file, { at: 1, servers: [] })).rejects.toThrow(/EEXIST/)
  })
})

describe('a recording as a test', () => {
  it('is TypeScript that makes every call once more', async () => {
    const recording = await record(useAll)
    const { name, text, left } = exportTest(recording)
    expect([name, left]).toEqual(['counting.test.ts', 0])
    expect(text).toContain('client.callTool("count", {\n      "by": 2\n    })')
    expect(text).toContain('rejects.toMatchObject({ rpcCode: -32077 })')
    expect(text).toContain('client.readResource("note://a")')
    await expect(transform(text, { loader: 'ts' })).resolves.toMatchObject({ warnings: [] })
  })

  it('holds hostile words as values and nothing else', async () => {
    const hostile = `\`); process.exit(1) //\u2028*/ \${x} </script>`
    const message = (id: number, more: JsonObject, direction: 'out' | 'in'): RecordedMessage => ({
      at: id,
      server: hostile,
      connection: 'c',
      direction,
      message: { id, ...more },
    })
    const params = { name: hostile, arguments: JSON.parse('{"__proto__":{"x":1}}') }
    const recording: Recording = {
      at: 1,
      servers: [{ name: hostile, target: { command: hostile, args: [hostile] } }],
      messages: [
        message(1, { method: 'tools/call', params }, 'out'),
        message(1, { result: { content: [{ type: 'text', text: hostile }] } }, 'in'),
      ],
    }
    const { name, text } = exportTest(recording)
    expect(name).toMatch(/^[\w-]+\.test\.ts$/)
    await expect(transform(text, { loader: 'ts' })).resolves.toMatchObject({ warnings: [] })
    expect(text).toContain('JSON.parse(')
  })
})
