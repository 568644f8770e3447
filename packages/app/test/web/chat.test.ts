import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Script, startScriptedProvider } from '@portico/host/model'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../../tests/support/free-port.ts'
import type { ApiEvent, Chat, ChatPart } from '../../src/web/api-types/api.ts'
import type { WorkbenchOptions } from '../../src/web/workbench.ts'
import { type Bench, cleanUp, makeFolder, onCleanup, startBench, until } from './open-workbench.ts'
import { createWorker, withServers } from './servers.ts'

afterEach(cleanUp)

const SECRET = 'the vault opens with 7731-hyacinth'
const createVault = () =>
  createServer({
    name: 'vault',
    version: '1.0.0',
    tools: { open: tool({ description: 'Tells the secret', input: { type: 'object' } }, () => SECRET) },
  })

async function start(script: Script, options: WorkbenchOptions = {}): Promise<Bench> {
  const provider = await startScriptedProvider(script)
  onCleanup(() => provider.close())
  const bench = await startBench({ ...withServers({ worker: createWorker, vault: createVault }), ...options })
  await bench.call('chat.addModel', { id: 'local', url: provider.url, model: 'm' })
  await bench.call('items.list', {})
  return bench
}

/** Sends, and answers every question on the way as `decide` says; resolves when the answer is complete. */
async function turn(
  bench: Bench,
  text: string,
  decide: (event: Extract<ApiEvent, { type: 'question' }>) => object | undefined = () => ({ action: 'allow' }),
  chat?: string,
): Promise<Chat> {
  const id = chat ?? (await bench.call('chat.create', { model: 'local' })).id
  // What an earlier turn asked is settled.
  const answered = new Set(bench.events.flatMap((event) => (event.type === 'question' ? [event.question.id] : [])))
  await bench.call('chat.send', { id, text })
  await until(async () => {
    for (const event of bench.events) {
      if (event.type !== 'question' || answered.has(event.question.id)) continue
      answered.add(event.question.id)
      const answer = decide(event) as { action: 'allow' } | undefined
      if (answer !== undefined) await bench.call('inbox.answer', { id: event.question.id, answer })
    }
    return !(await bench.call('chat.open', { id })).busy
  })
  return bench.call('chat.open', { id })
}

const partsOf = <K extends ChatPart['kind']>(chat: Chat, kind: K) =>
  chat.parts.filter((part): part is Extract<ChatPart, { kind: K }> => part.kind === kind)
const say = (text: string) => ({ calls: [{ name: 'worker_say', arguments: { text } }] })

describe('a conversation', () => {
  it('streams, calls a tool after a yes, counts tokens, gets a title, and is there after a restart', async () => {
    const stateDir = await makeFolder()
    const script = { replies: [{ text: 'Let me try. ', ...say('hello') }, { text: 'It said hello.' }] }
    const bench = await start(script, { stateDir })
    const chat = await turn(bench, 'Say   hello, please')
    expect(chat.parts.map(({ kind }) => kind)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(partsOf(chat, 'tool')[0]).toMatchObject({
      status: 'ok',
      server: 'worker',
      arguments: { text: 'hello' },
      reason: 'A person allowed it.',
    })
    expect(partsOf(chat, 'assistant').map(({ text, streaming }) => [text.trim(), streaming])).toEqual([
      ['Let me try.', false],
      ['It said hello.', false],
    ])
    expect(chat).toMatchObject({ title: 'Say hello, please', model: 'local', tour: false })
    expect(chat.usage).toMatchObject({ inputTokens: 20, outputTokens: 10, steps: 2, budget: { steps: 20 } })
    const told = bench.events.flatMap((event) => (event.type === 'chat' ? [event.event.type] : []))
    expect(new Set(told)).toEqual(new Set(['busy', 'part', 'title', 'delta', 'usage']))
    await bench.close()
    const again = await start({ replies: [{ text: '-' }, { text: '-' }, { text: 'Still here.' }] }, { stateDir })
    expect((await again.call('chat.list', {})).chats).toMatchObject([{ id: chat.id, title: 'Say hello, please' }])
    expect((await again.call('chat.open', { id: chat.id })).parts).toEqual(chat.parts)
    const more = await turn(again, 'And now?', undefined, chat.id)
    expect(partsOf(more, 'assistant').at(-1)?.text).toBe('Still here.')
    await again.call('chat.delete', { id: chat.id })
    expect((await again.call('chat.list', {})).chats).toEqual([])
    expect((await again.call('chat.open', { id: chat.id }).catch((error) => error)).status).toBe(404)
  })

  it('names the question that a call waits for, and shows a no and an edit', async () => {
    const bench = await start({ replies: [], topics: { go: [say('rude'), { text: 'ok' }] } })
    const denied = await turn(bench, 'go', () => ({ action: 'deny' }))
    expect(partsOf(denied, 'tool')[0]?.status).toBe('denied')
    const waiting = bench.events.find(
      (event) =>
        event.type === 'chat' &&
        event.event.type === 'part' &&
        event.event.part.kind === 'tool' &&
        event.event.part.status === 'waiting',
    )
    const asked = bench.events.find((event) => event.type === 'question')
    expect(waiting).toMatchObject({
      event: { part: { question: asked?.type === 'question' ? asked.question.id : '' } },
    })
    const edited = await turn(bench, 'go', () => ({ action: 'allow', content: { text: 'kind' } }))
    expect(partsOf(edited, 'tool')[0]).toMatchObject({ status: 'ok', arguments: { text: 'kind' } })
  })

  it('asks before words of one server reach another, also after a restart', async () => {
    const stateDir = await makeFolder()
    const open = { calls: [{ name: 'vault_open', arguments: {} }] }
    const bench = await start({ replies: [open, { text: 'I know it.' }] }, { stateDir })
    const chat = await turn(bench, 'open it')
    await bench.close()
    const again = await start(
      { replies: [], topics: { tell: [say(`it is: ${SECRET}`), { text: 'ok' }] } },
      { stateDir },
    )
    const kinds: string[] = []
    const after = await turn(
      again,
      'tell the worker',
      ({ question }) => {
        const { body } = question
        kinds.push(body.kind === 'approval' ? body.effect.kind : body.kind)
        return { action: kinds.at(-1) === 'flow' ? 'deny' : 'allow' }
      },
      chat.id,
    )
    expect(kinds).toContain('flow')
    expect(partsOf(after, 'tool').at(-1)?.status).toBe('denied')
  })

  it('takes resources and prompts along, with where they come from', async () => {
    const bench = await start({ replies: [{ text: 'Read.' }] })
    const { id } = await bench.call('chat.create', {})
    await bench.call('chat.send', {
      id,
      text: 'Look at these',
      attachments: [
        { kind: 'resource', server: 'worker', name: 'note://today' },
        { kind: 'prompt', server: 'worker', name: 'worker_greet', arguments: { who: 'Ada' } },
      ],
    })
    await until(async () => !(await bench.call('chat.open', { id })).busy)
    const [user] = partsOf(await bench.call('chat.open', { id }), 'user')
    expect(user?.attachments).toMatchObject([
      { server: 'worker', label: 'Resource note://today' },
      { server: 'worker', label: 'Prompt worker_greet' },
    ])
    expect(user?.attachments[0]?.bytes).toBeGreaterThan(10)
    const missing = await bench
      .call('chat.send', { id, text: 'x', attachments: [{ kind: 'resource', server: 'worker', name: 'note://none' }] })
      .catch((error) => error)
    expect(missing.failure.code).toBe('unknown-item')
    expect((await bench.call('chat.open', { id })).busy).toBe(false)
  })

  it('is stopped in mid-sentence', async () => {
    const bench = await start({ replies: [{ text: 'on and on ', endless: true }] })
    const { id } = await bench.call('chat.create', {})
    await bench.call('chat.send', { id, text: 'go' })
    expect((await bench.call('chat.send', { id, text: 'again' }).catch((error) => error)).failure.code).toBe('busy')
    await bench.next((event) => event.type === 'chat' && event.event.type === 'delta')
    await bench.call('chat.cancel', { id })
    await until(async () => !(await bench.call('chat.open', { id })).busy)
    const chat = await bench.call('chat.open', { id })
    expect(partsOf(chat, 'notice').at(-1)?.text).toContain('stopped')
    expect(partsOf(chat, 'assistant')[0]?.streaming).toBe(false)
  })

  it('says what to do when the provider fails, or there is no model', async () => {
    const failing = { status: 400, message: 'bad key', times: 9 }
    const bench = await start({ replies: [{ failure: failing }] })
    expect(partsOf(await turn(bench, 'go'), 'notice')[0]).toMatchObject({ level: 'error', remedy: expect.any(String) })
    const bare = await startBench()
    expect(await bare.call('chat.models', {})).toMatchObject({
      models: [],
      hint: expect.stringContaining('OLLAMA'.slice(1).toLowerCase()),
    })
    const { id } = await bare.call('chat.create', {})
    await bare.call('chat.send', { id, text: 'hi' })
    await until(async () => !(await bare.call('chat.open', { id })).busy)
    expect(partsOf(await bare.call('chat.open', { id }), 'notice')[0]?.remedy).toContain('tour')
  })
})

it('lists models with where they come from, and keeps those that were added; never a key', async () => {
  const stateDir = await makeFolder()
  const env = { OPENAI_API_KEY: 'sk-abc' }
  const bench = await startBench({ stateDir, env })
  await bench.call('chat.addModel', { id: 'mine', url: 'http://127.0.0.1:9/v1', model: 'm', keyVariable: 'MY_KEY' })
  await bench.close()
  const { models } = await (await startBench({ stateDir, env })).call('chat.models', {})
  expect(models).toMatchObject([
    { id: 'gpt', source: 'Key in the environment', usable: true },
    { id: 'mine', source: 'Added here', usable: false, remedy: expect.stringContaining('MY_KEY') },
  ])
  expect(JSON.stringify(models)).not.toContain('sk-abc')
  const refused = await (await startBench({}))
    .call('chat.addModel', { id: 'x', url: 'ftp://x', model: 'm' })
    .catch((error) => error)
  expect(refused.failure.code).toBe('invalid-model')
})

describe('the models that are offered', () => {
  const offered = async ({ call }: Bench) =>
    (await call('chat.models', {})).models.map(({ id, usable }) => `${id} ${usable ? 'usable' : 'not usable'}`)

  it('are those of the files as they are now, and one that nothing answers for is not usable (first hour M1)', async () => {
    const provider = await startScriptedProvider({ replies: [] })
    onCleanup(() => provider.close())
    const gone = `http://127.0.0.1:${await freePort()}/v1`
    const entry = (baseUrl: string) => ({ provider: 'openai-compatible', model: 'm', baseUrl })
    const stateDir = await makeFolder()
    const configFile = join(stateDir, 'portico.json')
    const write = (models: object) => writeFile(configFile, JSON.stringify({ models }))
    await write({ up: entry(provider.url), down: entry(gone) })
    const bench = await startBench({ stateDir, configFile, watch: true })
    expect(await offered(bench)).toEqual(['up usable', 'down not usable'])
    expect((await bench.call('chat.models', {})).models[1]?.remedy).toContain(`Nothing answers at ${gone}`)
    bench.events.length = 0
    await write({ up: entry(provider.url) })
    // The page asks again when it is told of this.
    await bench.next(({ type }) => type === 'problems')
    expect(await offered(bench)).toEqual(['up usable'])
  })
})
