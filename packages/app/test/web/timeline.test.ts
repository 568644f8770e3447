import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'
import { cleanUp, startBench, until } from './open-workbench.ts'
import { createWorker, withServers } from './servers.ts'

afterEach(cleanUp)

it('shows every message of a call, its rounds together, with what was asked and answered', async () => {
  const bench = await startBench(withServers({ worker: createWorker }))
  const { call } = bench
  const running = call('tools.call', { name: 'worker_ask', arguments: {}, run: 'r' })
  const asked = await bench.next((event) => event.type === 'question')
  if (asked.type !== 'question') throw new Error('never')
  await call('inbox.answer', { id: asked.question.id, answer: { action: 'allow', content: { name: 'Ada' } } })
  await running
  const { rows, total } = await call('timeline.query', { filter: 'method:tools/call server:worker' })
  expect([total, rows.length]).toEqual([4, 4])
  expect(new Set(rows.map(({ group }) => group)).size).toBe(1)
  expect(rows.map(({ direction, kind }) => `${direction} ${kind}`)).toEqual([
    'out request',
    'in response',
    'out request',
    'in response',
  ])
  const [first] = rows
  const { message, raw, related } = await call('timeline.message', { id: first?.id ?? 0 })
  expect(message).toMatchObject({ method: 'tools/call', params: { name: 'ask' } })
  expect(JSON.parse(raw)).toEqual(message)
  expect(related.map(({ id }) => id)).toEqual(rows.slice(1).map(({ id }) => id))
  expect((await call('timeline.query', { filter: 'method:initialize,server/discover' })).total).toBeGreaterThan(0)
  const { servers, minutes } = await call('timeline.stats', {})
  expect(servers[0]).toMatchObject({ server: 'worker', errors: 0 })
  expect(minutes.length).toBeGreaterThan(0)
  await bench.next((event) => event.type === 'timeline' && event.total > 0)
  await call('timeline.clear', {})
  expect((await call('timeline.query', {})).total).toBe(0)
  expect((await call('timeline.message', { id: 1 }).catch((error) => error)).failure.code).toBe('gone')
})

it('records a session, replays it as a server, and exports it as a test', async () => {
  const { call, stateDir } = await startBench(withServers({ worker: createWorker }))
  await call('items.list', {})
  const started = await call('timeline.record', { server: 'worker', on: true })
  expect(started).toMatchObject({ recording: true, file: expect.stringMatching(/-worker\.jsonl$/) })
  expect((await call('timeline.record', { on: true }).catch((error) => error)).failure.code).toBe('recording')
  const said = await call('tools.call', { name: 'worker_say', arguments: { text: 'once' }, run: 'a' })
  const stopped = await call('timeline.record', { on: false })
  expect(stopped).toMatchObject({ recording: false, file: started.file })
  const { recordings } = await call('timeline.recordings', {})
  expect(recordings).toMatchObject([{ file: started.file, server: 'worker', messages: stopped.messages }])
  expect((await readFile(join(stateDir, 'recordings', started.file ?? ''), 'utf8')).split('\n')[0]).toContain(
    '"portico":"recording"',
  )
  const { server } = await call('timeline.replay', { file: started.file ?? '' })
  expect(server).toBe('replay-worker')
  await until(async () => (await call('items.list', { server, kind: 'tool' })).total > 0)
  const replayed = await call('tools.call', { name: 'replay-worker_say', arguments: { text: 'once' }, run: 'b' })
  expect(replayed.result.content).toEqual(said.result.content)
  const test = await call('timeline.exportTest', { file: started.file ?? '' })
  expect(test.name).toBe('worker.test.ts')
  expect(test.text).toContain('client.callTool("say"')
  await call('servers.remove', { server })
  expect((await call('servers.list', {})).servers.map(({ name }) => name)).toEqual(['worker'])
})

it.each(['../portico.json', '/etc/passwd', 'nothing.jsonl', '..%2fx.jsonl'])(
  'reads no other file: %s',
  async (file) => {
    const { call } = await startBench()
    expect((await call('timeline.exportTest', { file }).catch((error) => error)).failure.code).toBe('no-recording')
    expect((await call('timeline.replay', { file }).catch((error) => error)).failure.code).toBe('no-recording')
  },
)

it('stays bounded and quick while a server floods it with 10,000 messages at once', async () => {
  const command = fileURLToPath(new URL('./stdio-server.mjs', import.meta.url))
  const bench = await startBench()
  await bench.call('servers.add', { name: 'wild', entry: { command: process.execPath, args: [command] } })
  await until(async () => (await bench.call('inbox.list', {})).questions.length > 0)
  const [question] = (await bench.call('inbox.list', {})).questions
  await bench.call('inbox.answer', { id: question?.id ?? '', answer: { action: 'allow' } })
  await until(async () => (await bench.call('items.list', {})).total > 0)
  const before = bench.events.length
  await bench.call('tools.call', { name: 'wild_flood', arguments: { count: 10_000 }, run: 'f' }).catch(() => {})
  const { total } = await bench.call('timeline.query', { filter: 'method:notifications/message' })
  expect(total).toBe(10_000)
  await bench.next((event) => event.type === 'timeline' && event.total >= 10_000)
  const told = bench.events.slice(before)
  // Logs are let through at 200 a second, and the count of the timeline a few times.
  expect(told.filter(({ type }) => type === 'log').length).toBeLessThan(4_000)
  expect(told.filter(({ type }) => type === 'timeline').length).toBeLessThan(60)
  expect((await bench.call('servers.logs', { server: 'wild' })).lines.length).toBeLessThanOrEqual(500)
})

it('shows a call as failed when its server ends in the middle of it, with the same number everywhere (newcomer A5)', async () => {
  const bench = await startBench()
  const small = fileURLToPath(new URL('./stdio-server.mjs', import.meta.url))
  await bench.call('servers.add', { name: 'small', entry: { command: process.execPath, args: [small, '--crash'] } })
  const asked = await bench.next((event) => event.type === 'question')
  if (asked.type !== 'question') throw new Error('never')
  await bench.call('inbox.answer', { id: asked.question.id, answer: { action: 'allow' } })
  await until(async () => (await bench.call('items.list', { server: 'small', kind: 'tool' })).total > 0)
  const failed = await bench
    .call('tools.call', { name: 'small_crash', arguments: {}, run: 'r' })
    .catch((error) => error)
  expect(failed).toBeInstanceOf(Error)
  const query = { filter: 'status:error method:tools/call server:small' }
  await until(async () => (await bench.call('timeline.query', query)).total === 1)
  const { rows } = await bench.call('timeline.query', query)
  expect(rows[0]).toMatchObject({ kind: 'request', lost: expect.any(String), durationMs: expect.any(Number) })
  expect((await bench.call('timeline.query', { filter: 'status:pending method:tools/call' })).total).toBe(0)
  const { servers } = await bench.call('timeline.stats', {})
  expect(servers.find(({ server }) => server === 'small')?.errors).toBeGreaterThanOrEqual(1)
})
