/** `portico host` before a raw client: every method once, and everything that an editor must not be able to do. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ScriptedProvider, startScriptedProvider } from '@portico/host/model'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFolder, runCli } from './cli.ts'
import { EditorClient } from './editor-client.ts'

const FIXTURE = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))
const CONNECT = { id: 'start', outcome: 'allow', effect: 'connect' }

let folder: Awaited<ReturnType<typeof createFolder>>
let provider: ScriptedProvider
let reports: Awaited<ReturnType<typeof serveReports>>
const clients: EditorClient[] = []

async function serveReports() {
  const done: (() => void)[] = []
  const slow = tool({ description: 'Slow', task: { mode: 'required', pollIntervalMs: 50 } }, async (_args, ctx) => {
    ctx.progress(1, 2, 'half of it')
    await new Promise<void>((resolve) => done.push(resolve))
    return 'forty-two'
  })
  const server = createServer({ name: 'reports', version: '1', tasks: createTasks(), tools: { slow } })
  return { http: await serveHttp(server, { port: 0 }), release: () => done.splice(0).forEach((end) => void end()) }
}

beforeAll(async () => {
  folder = await createFolder()
  reports = await serveReports()
  provider = await startScriptedProvider({
    replies: [{ calls: [{ name: 'desk_greet', arguments: { name: 'Ada' } }] }, { text: 'Greeted.' }],
    topics: {
      'what is open': [{ calls: [{ name: 'this-editor_open_files', arguments: {} }] }, { text: 'I have looked.' }],
      'talk on': [{ text: 'and on ', endless: true }],
    },
  })
  await mkdir(join(folder.path, 'config'))
  await writeFile(
    join(folder.path, 'config', 'portico.json'),
    JSON.stringify({
      servers: {
        desk: { command: process.execPath, args: [FIXTURE] },
        reports: { url: reports.http.url },
      },
      models: { scripted: { provider: 'openai-compatible', model: 'scripted', baseUrl: provider.url } },
      policy: { rules: [CONNECT] },
    }),
  )
})
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
})
afterAll(async () => {
  reports.release()
  await reports.http.close()
  await provider.close()
  await folder.close()
})

function open(): EditorClient {
  const client = new EditorClient(folder.path, folder.env)
  clients.push(client)
  return client
}

async function ready(offers: readonly string[] = []): Promise<EditorClient> {
  const client = open()
  await client.initialize(offers)
  for (const name of ['desk', 'reports'])
    await client.event('server/changed', ({ server }) => server.name === name && server.state === 'ready')
  await client.result('items/list')
  return client
}

describe('the host beside an editor (host 25)', () => {
  let client: EditorClient
  beforeAll(async () => {
    client = await ready()
    clients.pop()
  })
  beforeEach(() => client.mark())
  afterAll(() => client.close())

  it('tells of servers, items, calls with progress, resources and prompts', async () => {
    const { servers } = await client.result('servers/list')
    expect(servers.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
      ['desk', 'ready'],
      ['reports', 'ready'],
    ])
    const { items } = await client.result('items/list', { kind: 'tool', server: 'desk' })
    const greet = items.find(({ name }: { name: string }) => name === 'desk_greet')
    expect(greet.definition.inputSchema.required).toEqual(['name'])
    const { result, server } = await client.result('tools/call', { name: 'desk_greet', arguments: { name: 'Ada' } })
    expect([server, result.content[0].text]).toEqual(['desk', 'Hello, {"name":"Ada"}'])
    const read = await client.result('resources/read', { uri: 'note://one' })
    expect(read.contents[0].text).toBe('first line\nsecond line\n')
    const prompt = await client.result('prompts/get', { name: 'desk_review', arguments: { language: 'Lua' } })
    expect(prompt.messages[0].content.text).toBe('Review this Lua.')
  })

  it('cancels a call, which the server hears of', async () => {
    const id = client.begin('tools/call', { name: 'desk_wait', arguments: {} })
    await client.event('progress', (params) => params.id === id && params.message === 'waiting')
    client.send({ method: 'cancel', params: { id } })
    expect((await client.answerTo(id)).error).toMatchObject({ code: -32800, data: { code: 'aborted' } })
  })

  it('puts a form to the person, and takes the answer only to the question that was shown (sec-490)', async () => {
    const id = client.begin('tools/call', { name: 'desk_ask', arguments: {} })
    const { question } = await client.event('question/asked', (params) => params.question.kind === 'form')
    expect(question).toMatchObject({ server: 'desk', details: 'Who are you?', form: { required: ['who'] } })
    const answer = { action: 'allow', content: { who: 'Ada' } }
    const other = await client.request('questions/answer', { id: question.id, digest: 'f'.repeat(64), answer })
    expect(other.error?.data?.code).toBe('not-what-was-shown')
    await client.result('questions/answer', { id: question.id, digest: question.digest, answer })
    expect((await client.answerTo(id)).result.result.content[0].text).toContain('"who":"Ada"')
    await client.event('question/gone', (params) => params.id === question.id)
    const late = await client.request('questions/answer', { id: question.id, digest: question.digest, answer })
    expect(late.error?.data?.code).toBe('already-settled')
  })

  it('asks about what a model does with all of its arguments, and does not do it after a no (sec-491)', async () => {
    const turn = client.begin('turn/start', { conversation: 'a', text: 'greet her' })
    const { question } = await client.event('question/asked')
    expect(question).toMatchObject({ kind: 'approval', title: 'Call greet of desk?', content: { name: 'Ada' } })
    expect(question.details).toContain('"name": "Ada"')
    const [, no] = question.choices
    expect(no.label).toBe('Deny')
    await client.result('questions/answer', { id: question.id, digest: question.digest, answer: no.answer })
    const denied = await client.event(
      'turn/event',
      ({ event }) => event.type === 'call' && event.call.status === 'denied',
    )
    expect(denied.conversation).toBe('a')
    expect((await client.answerTo(turn)).result).toEqual({ reason: 'done' })
  })

  it('ends an endless turn that is cancelled', async () => {
    const id = client.begin('turn/start', { conversation: 'b', text: 'talk on' })
    await client.event('turn/event', ({ event }) => event.type === 'text')
    client.send({ method: 'cancel', params: { id } })
    expect((await client.answerTo(id)).result.reason).toBe('cancelled')
    expect(await client.result('conversation/close', { conversation: 'b' })).toEqual({})
  })

  it('follows a task to its result', async () => {
    const { task } = await client.result('tools/call', { name: 'reports_slow', arguments: {}, task: true })
    await client.event('task/changed', (params) => params.task.message === 'half of it')
    const id = client.begin('tasks/result', { label: task.label })
    reports.release()
    expect((await client.answerTo(id)).result.result.content[0].text).toBe('forty-two')
    await client.event('task/changed', (params) => params.task.status === 'completed')
    const { tasks } = await client.result('tasks/list')
    expect(tasks.map(({ label }: { label: string }) => label)).toContain(task.label)
    expect(await client.result('tasks/forget', { label: task.label })).toEqual({})
  })

  it('offers what is open in the editor as a server, without what looks like a secret (sec-492)', async () => {
    const editor = open()
    const files = ['src/a.ts', '.env', '../outside.txt', '/etc/passwd', 'keys/id_rsa', 'C:\\x', '.git/config']
    editor.answers = {
      'editor/files': () => ({ files: files.map((path) => ({ path, language: 'x', modified: true })) }),
      'editor/text': ({ path }) => ({ text: `text of ${path}` }),
      'editor/diagnostics': () => ({
        diagnostics: [
          { path: '.env', line: 1, message: 'x' },
          { path: 'src/a.ts', line: 3, severity: 'error', message: 'no' },
          7,
        ],
      }),
      'editor/selection': () => ({ selection: { path: 'src/a.ts', line: 1, endLine: 2, text: 'chosen' } }),
    }
    await editor.initialize(['files', 'diagnostics', 'selection'])
    await editor.event('server/changed', ({ server }) => server.name === 'this-editor' && server.state === 'ready')
    const call = async (name: string, args: object = {}) =>
      (await editor.result('tools/call', { name: `this-editor_${name}`, arguments: args })).result
    expect((await call('open_files')).structuredContent.files).toEqual([
      { path: 'src/a.ts', language: 'x', modified: true },
    ])
    expect((await call('read_open_file', { path: 'src/a.ts' })).content[0].text).toBe('text of src/a.ts')
    for (const path of files.slice(1)) expect((await call('read_open_file', { path })).isError, path).toBe(true)
    expect((await call('diagnostics')).structuredContent.diagnostics).toEqual([
      { path: 'src/a.ts', line: 3, severity: 'error', message: 'no' },
    ])
    expect((await call('selection')).structuredContent.selection.text).toBe('chosen')
    const turn = editor.begin('turn/start', { conversation: 'c', text: 'what is open' })
    const { question } = await editor.event('question/asked')
    expect(question.title).toBe('Call open_files of this-editor?')
    await editor.result('questions/answer', { id: question.id, digest: question.digest, answer: { action: 'allow' } })
    expect((await editor.answerTo(turn)).result.reason).toBe('done')
  })

  it('gives the text of servers with nothing in it that acts (sec-493)', async () => {
    const { result } = await client.result('tools/call', { name: 'desk_escape', arguments: {} })
    expect(result.content[0].text).toBe('red ⟦U+001B⟧[31mtext⟦U+001B⟧[0m')
    const { error } = await client.request('tools/call', { name: 'desk_broken', arguments: {} })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    expect(error?.message).toMatch(/^[^\u0000-\u001f\u202e]+$/)
  })

  it('switches servers off and on, and says which there are not', async () => {
    await client.result('servers/set', { server: 'desk', action: 'disable' })
    await client.event('server/changed', ({ server }) => server.name === 'desk' && server.state === 'disabled')
    client.mark()
    await client.result('servers/set', { server: 'desk', action: 'enable' })
    await client.event('server/changed', ({ server }) => server.name === 'desk' && server.state === 'ready')
    const unknown = await client.request('servers/set', { server: 'nobody', action: 'restart' })
    expect(unknown.error?.data?.code).toBe('unknown-server')
  })
})

describe('an editor that is none (sec-494)', () => {
  it('starts nothing before "initialize", and refuses another protocol', async () => {
    const client = open()
    expect((await client.request('servers/list')).error?.data?.code).toBe('not-initialized')
    const wrong = await client.request('initialize', { protocol: 2, editor: { name: 'x', version: '1' } })
    expect(wrong.error?.data?.code).toBe('wrong-protocol')
    for (const name of ['', 'a\u001b[2J', 'x'.repeat(61)]) {
      const bad = await client.request('initialize', { protocol: 1, editor: { name, version: '1' } })
      expect(bad.error?.code, JSON.stringify(name)).toBe(-32602)
    }
    expect(client.messages.filter(({ method }) => method !== undefined)).toEqual([])
    expect((await client.initialize()).protocol).toBe(1)
    expect((await client.request('initialize', {})).error?.data?.code).toBe('initialized')
  })

  const MALFORMED = [
    ['no JSON', 'hello\n', -32700],
    ['no message', '[1,2]\n', -32600],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":7,"method":"initialize"}\n', -32600],
    ['an id that is none', '{"jsonrpc":"2.0","id":1.5,"method":"initialize"}\n', -32600],
    ['params that are none', '{"jsonrpc":"2.0","id":7,"method":"initialize","params":[]}\n', -32600],
    [
      'more depth than allowed',
      `{"jsonrpc":"2.0","id":7,"method":"initialize","params":${'{"a":'.repeat(80)}1${'}'.repeat(80)}}\n`,
      -32600,
    ],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x0a]), -32700],
  ] as const
  it('answers what is no message with an error, and goes on', async () => {
    const client = open()
    for (const [what, bytes, code] of MALFORMED) {
      client.mark()
      client.raw(bytes)
      expect((await client.until(({ error }) => error !== undefined)).error?.code, what).toBe(code)
    }
    client.mark()
    expect((await client.initialize()).protocol).toBe(1)
  })

  it('refuses a line that is too long without keeping it, and gives up after a hundred that are no messages', async () => {
    const client = open()
    const chunk = 'x'.repeat(1024 * 1024)
    for (let sent = 0; sent < 9; sent++) client.raw(chunk)
    client.raw('\n')
    expect((await client.until(({ error }) => error !== undefined)).error?.message).toContain('maxLineBytes')
    client.raw('no\n'.repeat(100))
    expect(await client.ended).toBe(1)
    expect(client.stderr).toContain('Too much came that is no message')
  })

  it('refuses methods and members that are none, with names of prototypes among them', async () => {
    const client = await ready()
    for (const method of ['nothing', '__proto__', 'constructor', 'toString', 'hasOwnProperty'])
      expect((await client.request(method)).error?.code, method).toBe(-32601)
    const cases: [string, object][] = [
      ['tools/call', { name: 7, arguments: {} }],
      ['tools/call', { name: 'desk_greet', arguments: [] }],
      ['turn/start', { conversation: '', text: 'x' }],
      ['turn/start', { conversation: 'x'.repeat(201), text: 'x' }],
      ['questions/answer', { id: 'x', digest: 'y', answer: { action: 'perhaps' } }],
      ['servers/set', { server: 'desk', action: 'explode' }],
    ]
    for (const [method, params] of cases)
      expect((await client.request(method, params)).error?.code, method).toBe(-32602)
  })

  it('lets 64 requests be under way and no more, and ids be used once at a time', async () => {
    const client = await ready()
    for (let at = 0; at < 65; at++)
      client.send({ id: `w${at}`, method: 'tools/call', params: { name: 'desk_wait', arguments: {} } })
    expect((await client.until(({ id, error }) => id === 'w64' && error !== undefined)).error?.data?.code).toBe('busy')
    client.send({ id: 'w0', method: 'servers/list' })
    expect((await client.until(({ id, error }) => id === 'w0' && error !== undefined)).error?.code).toBe(-32600)
  })

  it('ends with the editor, and leaves no server behind', async () => {
    const client = await ready()
    client.begin('tools/call', { name: 'desk_wait', arguments: {} })
    await client.event('progress')
    expect(await client.close()).toBe(0)
  })

  it('says what it is for where no editor is there', async () => {
    const { code, stderr } = await runCli(['host'], { input: 'none', cwd: folder.path, env: folder.env })
    expect([code, stderr]).toEqual([2, expect.stringContaining('no editor is at the other end')])
  })
})
