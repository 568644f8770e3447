/** Every example runs as its own process here, and is held to what its first line says that it teaches. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { examplesFolder, type Json, StdioExample } from './test/stdio-example.ts'

const files = readdirSync(examplesFolder).filter((name) => /\.ts$/.test(name) && !/\.test\.ts$/.test(name))
const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

let running: StdioExample[] = []

afterEach(async () => {
  const codes = await Promise.all(running.map((example) => example.end()))
  running = []
  // Every stdio server ends by itself, and well, when its input does.
  for (const code of codes) expect(code).toBe(0)
})

function run(file: string, args: string[] = []): StdioExample {
  const example = new StdioExample(file, args)
  running.push(example)
  return example
}

async function callTool(example: StdioExample, name: string, args: Json = {}, capabilities: Json = {}): Promise<Json> {
  const response = await example.modern('tools/call', { name, arguments: args }, capabilities)
  return response.result ?? response
}

test.each(files)('%s says what it teaches and fits on a page', (file) => {
  const lines = readFileSync(join(examplesFolder, file), 'utf8').trimEnd().split('\n')
  expect(lines[0]).toMatch(/^\/\/ Teaches: /)
  expect(lines.length).toBeLessThanOrEqual(file === 'custom-transport.ts' ? 60 : 40)
})

test('sdk 17: every program says what it teaches and is listed', () => {
  const listed = readFileSync(join(examplesFolder, 'README.md'), 'utf8')
  const programs = readdirSync(join(examplesFolder, 'programs')).filter(
    (name) => !/^(programs|members)\.test/.test(name),
  )
  for (const file of programs) {
    expect(readFileSync(join(examplesFolder, 'programs', file), 'utf8'), file).toMatch(/^\/\/ Teaches: /)
    expect(listed).toContain(`(programs/${file})`)
  }
})

describe('hello', () => {
  test.each(LEGACY)('greets a client of %s', async (version) => {
    const hello = run('hello.ts')
    const { protocolVersion, serverInfo } = await hello.initialize(version)
    expect(protocolVersion).toBe(version)
    expect(serverInfo).toEqual({ name: 'hello', version: '1.0.0' })
    const { result } = await hello.request('tools/call', { name: 'greet', arguments: { name: 'Ada' } })
    expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }])
  })

  test('greets a client of 2026-07-28 without a handshake, and is ten lines or fewer', async () => {
    expect((await callTool(run('hello.ts'), 'greet', { name: 'Ada' })).content[0].text).toBe('Hello, Ada!')
    expect(readFileSync(join(examplesFolder, 'hello.ts'), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(10)
  })
})

describe('structured-output', () => {
  test('gives the value as structured content and as text', async () => {
    const result = await callTool(run('structured-output.ts'), 'forecast', { city: 'Bergen' })
    expect(result.structuredContent).toEqual({ city: 'Bergen', celsius: 9 })
    expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent)
  })

  test('tells the model what went wrong', async () => {
    const weather = run('structured-output.ts')
    const unknown = await callTool(weather, 'forecast', { city: 'Atlantis' })
    expect(unknown).toMatchObject({
      isError: true,
      content: [{ text: 'No station in Atlantis. Known: Bergen, Lisbon' }],
    })
    const invalid = await callTool(weather, 'forecast', { city: '' })
    expect(invalid.isError).toBe(true)
    expect(invalid.content[0].text).toMatch(/^Invalid arguments: .*city/)
  })

  test('wraps a list for revisions in which structured content is an object', async () => {
    const weather = run('structured-output.ts')
    expect((await callTool(weather, 'warmest')).structuredContent).toEqual(['Lisbon', 'Bergen'])
    await weather.initialize('2025-11-25')
    const { result } = await weather.request('tools/call', { name: 'warmest' })
    expect(result).toMatchObject({
      structuredContent: { result: ['Lisbon', 'Bergen'] },
      content: [{ text: 'Warmest: Lisbon' }],
    })
  })
})

describe('resources', () => {
  test('lists, reads and completes', async () => {
    const wiki = run('resources.ts')
    const { result: list } = await wiki.modern('resources/list')
    expect(list.resources.map((one: Json) => one.uri)).toEqual([
      'wiki://about',
      'wiki://pages/home',
      'wiki://pages/news',
    ])
    const { result: read } = await wiki.modern('resources/read', { uri: 'wiki://pages/home' })
    expect(read.contents).toEqual([{ uri: 'wiki://pages/home', mimeType: 'text/markdown', text: '# Home' }])
    const ref = { type: 'ref/resource', uri: 'wiki://pages/{name}' }
    const { result: completed } = await wiki.modern('completion/complete', {
      ref,
      argument: { name: 'name', value: 'n' },
    })
    expect(completed.completion.values).toEqual(['news'])
    const { error } = await wiki.modern('resources/read', { uri: 'wiki://pages/none' })
    expect(error).toMatchObject({ code: -32602, data: { uri: 'wiki://pages/none' } })
  })

  test('tells listeners of the newest revision what changed', async () => {
    const wiki = run('resources.ts')
    const notifications = { resourceSubscriptions: ['wiki://pages/home'], resourcesListChanged: true }
    const listen = wiki.modern('subscriptions/listen', { notifications })
    await wiki.notice('notifications/subscriptions/acknowledged')
    await callTool(wiki, 'edit', { name: 'home', text: 'new' })
    const updated = await wiki.notice('notifications/resources/updated')
    expect(updated.params).toMatchObject({ uri: 'wiki://pages/home' })
    expect(updated.params._meta['io.modelcontextprotocol/subscriptionId']).toBe(listen.id)
    await callTool(wiki, 'edit', { name: 'other', text: 'new' })
    await wiki.notice('notifications/resources/list_changed')
  })

  test('tells subscribers of an older revision', async () => {
    const wiki = run('resources.ts')
    await wiki.initialize('2025-06-18')
    await wiki.request('resources/subscribe', { uri: 'wiki://pages/news' })
    await wiki.request('tools/call', { name: 'edit', arguments: { name: 'news', text: 'new' } })
    expect((await wiki.notice('notifications/resources/updated')).params).toEqual({ uri: 'wiki://pages/news' })
  })
})

test('prompts: typed arguments, messages, and completion that knows the language', async () => {
  const reviews = run('prompts.ts')
  const { result: list } = await reviews.modern('prompts/list')
  expect(list.prompts[0].arguments).toEqual([
    { name: 'language', description: 'Programming language', required: true },
    { name: 'framework', description: 'Framework in use' },
  ])
  const { result } = await reviews.modern('prompts/get', { name: 'review', arguments: { language: 'python' } })
  expect(result.messages.map((message: Json) => message.role)).toEqual(['user', 'assistant'])
  expect(result.messages[0].content.text).toBe('Review my python code.')
  const { error } = await reviews.modern('prompts/get', { name: 'review' })
  expect(error).toMatchObject({ code: -32602, data: { parameter: 'arguments.language' } })
  const { result: completed } = await reviews.modern('completion/complete', {
    ref: { type: 'ref/prompt', name: 'review' },
    argument: { name: 'framework', value: 'h' },
    context: { arguments: { language: 'typescript' } },
  })
  expect(completed.completion.values).toEqual(['hono'])
})

describe('asking', () => {
  const capabilities = { elicitation: {}, sampling: {} }
  const stay = { action: 'accept', content: { nights: 3, room: 'single' } }
  const tip = { role: 'assistant', model: 'test', content: { type: 'text', text: 'See the fish market.' } }

  test('asks an older client while the request runs', async () => {
    const hotel = run('asking.ts')
    await hotel.initialize('2025-11-25', capabilities)
    hotel.answers['elicitation/create'] = () => stay
    hotel.answers['sampling/createMessage'] = () => tip
    const { result } = await hotel.request('tools/call', { name: 'book', arguments: { city: 'Bergen' } })
    expect(result.content[0].text).toBe('Booking 1: 3 nights, single. See the fish market.')
  })

  test('asks a client of the newest revision in rounds, and books once', async () => {
    const hotel = run('asking.ts')
    const call = { name: 'book', arguments: { city: 'Bergen' } }
    const first = await hotel.modern('tools/call', call, capabilities)
    expect(first.result).toMatchObject({ resultType: 'input_required', inputRequests: { wishes: {} } })
    const retry = { ...call, requestState: first.result.requestState, inputResponses: { wishes: stay } }
    const second = await hotel.modern('tools/call', retry, capabilities)
    expect(Object.keys(second.result.inputRequests)).toEqual(['tip'])
    const last = { ...call, requestState: second.result.requestState, inputResponses: { tip } }
    const text = 'Booking 1: 3 nights, single. See the fish market.'
    expect((await hotel.modern('tools/call', last, capabilities)).result.content[0].text).toBe(text)
    // The same round again gets the same answer; the handler does not run.
    expect((await hotel.modern('tools/call', last, capabilities)).result.content[0].text).toBe(text)
  })

  test('says so when the client cannot be asked', async () => {
    const { error } = await callTool(run('asking.ts'), 'book', { city: 'Bergen' })
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: {} } } })
  })
})

describe('progress', () => {
  test('reports progress and logs', async () => {
    const counter = run('progress.ts')
    const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'info' }
    const { result } = await counter.modern('tools/call', { name: 'count', arguments: { to: 3 } }, {}, meta)
    expect(result.content[0].text).toBe('Counted to 3.')
    const of = (method: string): Json[] => counter.notices.filter((notice) => notice.method === method)
    expect(of('notifications/message')[0]?.params).toMatchObject({ level: 'info', data: { starting: 3 } })
    expect(of('notifications/progress').at(-1)?.params).toMatchObject({ progress: 3, total: 3, message: 'counted 3' })
  })

  test('stops when the client cancels', async () => {
    const counter = run('progress.ts')
    await counter.initialize('2025-11-25')
    const params = { name: 'count', arguments: { to: 1000, pauseMs: 1000 }, _meta: { progressToken: 1 } }
    const { id } = counter.request('tools/call', params)
    await counter.notice('notifications/progress')
    counter.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })
    await counter.until(() => counter.stderr.includes('count: cancelled'))
  })
})

test('tasks: outlives its request, asks, pays once, and sleeps', async () => {
  const books = run('tasks.ts')
  const declared = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const yes = { agree: { action: 'accept', content: { yes: true } } }
  const order = { name: 'order', arguments: { title: 'Emma', packingMs: 1_000 } }
  let answer = await callTool(books, order.name, order.arguments, declared)
  // What is asked in time is asked on the request itself.
  if (answer.resultType === 'input_required') {
    const again = { ...order, requestState: answer.requestState, inputResponses: yes }
    answer = (await books.modern('tools/call', again, declared)).result
  }
  expect(answer.resultType).toBe('task')
  const { taskId } = answer
  void books.modern('subscriptions/listen', { notifications: { taskIds: [taskId] } }, declared)
  const isTold = (status: string): Json | undefined =>
    books.notices.find(({ method, params }) => method === 'notifications/tasks' && params.status === status)
  await books.until(() => isTold('completed') !== undefined || isTold('input_required') !== undefined)
  if (isTold('completed') === undefined) await books.modern('tasks/update', { taskId, inputResponses: yes }, declared)
  await books.until(() => isTold('completed') !== undefined)
  expect(isTold('completed')?.params.result.content[0].text).toBe('Emma is on its way')
  expect(books.stderr.match(/pay: paying/g)).toHaveLength(1)
})

test('middleware: alters, refuses, watches, and gives state', async () => {
  const parrot = run('middleware.ts')
  const shout = { name: 'shout', arguments: { words: 'hi' } }
  const { result } = await parrot.modern('tools/call', shout, {}, { traceparent: '00-aa-bb-01' })
  expect(result.content.map((block: Json) => block.text)).toEqual(['HI [00-aa-bb-01]', 'call 1 of 3'])
  await parrot.modern('tools/call', shout)
  await parrot.modern('tools/call', shout)
  expect((await parrot.modern('tools/call', shout)).result).toMatchObject({ isError: true })
  await parrot.until(() => parrot.stderr.match(/shout took \d+\.\d ms/g)?.length === 4 || undefined)
})

test('mount: prefixed names, resources under their own address, later changes', async () => {
  const desk = run('mount.ts')
  const names = async (): Promise<string[]> =>
    (await desk.modern('tools/list')).result.tools.map((one: Json) => one.name)
  expect((await names()).sort()).toEqual(['learn', 'math_add'])
  expect((await callTool(desk, 'math_add', { a: 2, b: 3 })).content[0].text).toBe('5')
  expect((await desk.modern('resources/read', { uri: 'math://pi' })).result.contents[0].text).toMatch(/^3\.14/)
  await callTool(desk, 'learn')
  expect(await names()).toContain('math_multiply')
})
