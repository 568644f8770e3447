/** Hand-written messages of 2024-11-05 and 2025-03-26 at our server, batches above all, over each transport they had. */

import assert from 'node:assert/strict'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { until } from '../../support/wait.ts'
import { pageChecks } from '../checks/pages.ts'
import { type Json, jsonOf, type ToolResult, textOf, type Version } from '../client-under-test.ts'
import { connectRaw, type RawClient } from '../clients/raw.ts'
import type { ServerUnderTest } from '../server-under-test.ts'
import { openOurs, type Way } from './open-ours.ts'
import { visit, withClient } from './suite.ts'

export const rawWireSuites: Trial[] = [
  toSuite('stdio', '2024-11-05'),
  toSuite('sse', '2024-11-05'),
  toSuite('http', '2024-11-05'),
  toSuite('stdio', '2025-03-26'),
  toSuite('http', '2025-03-26'),
]

function toSuite(way: Way, version: Version): Trial {
  return {
    name: `raw client · ${way} · ${version}`,
    async run(report) {
      const server = await openOurs(way)
      const paged = await openOurs(way, { pageSize: 2 })
      try {
        await visit(report, server, version, (offer) => connectRaw(server.address, version, offer))
        await sendBatches(report, server, version)
        const connect = () => connectRaw(paged.address, version, { asking: false })
        await withClient(report, paged, version, connect, { asking: false }, pageChecks)
      } finally {
        await server.close()
        await paged.close()
      }
    },
  }
}

const request = (id: string | number, method: string, params: Json = {}) => ({ jsonrpc: '2.0', id, method, params })
const echo = (id: string | number, text: string) => request(id, 'tools/call', { name: 'echo', arguments: { text } })
const notice = (method: string, params: Json = {}) => ({ jsonrpc: '2.0', method, params })

/** The code of a message that is an error. */
const codeIn = (message: Json | undefined) => (message?.error as { code?: number } | undefined)?.code

async function sendBatches(report: Report, server: ServerUnderTest, version: Version): Promise<void> {
  const client = await connectRaw(server.address, version, { asking: true })
  const checks: [string, (client: RawClient) => Promise<void>][] = [
    ['a batch of requests is answered, each under its own id', answerEach],
    ['a batch with notifications answers the requests only', skipNotices],
    ['a batch of notifications alone is not answered', acceptNotices],
    ['errors in a batch concern their own request', failAlone],
    ['a member that is no message is an invalid request', refuseMember],
    ['an empty batch is an invalid request', refuseEmpty],
    ['progress and log messages of a batched call arrive', reportProgress],
    ['initialize is refused inside a batch', refuseInitialize],
    ['a batch of answers to the server is taken', answerInBatch],
    ['a large batch is answered whole', answerMany],
    ['a request in a batch can be cancelled', cancelOne],
  ]
  for (const [name, run] of checks) await report.check(name, () => run(client))
  await report.check('disconnects after batches', () => client.close())
}

async function answerEach(client: RawClient): Promise<void> {
  const before = client.batches.length
  const answers = await client.batch([request('a', 'ping'), echo('b', 'hello'), request('c', 'prompts/list')])
  assert.deepEqual(answers.get('a')?.result, {})
  assert.equal(textOf(answers.get('b')?.result as unknown as ToolResult), 'hello')
  assert.ok(Array.isArray((answers.get('c')?.result as Json | undefined)?.prompts))
  assert.equal(client.batches.length, before + 1, 'the answer is one batch')
}

async function skipNotices(client: RawClient): Promise<void> {
  const before = client.strays.length
  const answers = await client.batch([
    notice('notifications/roots/list_changed'),
    echo('d', 'one'),
    notice('notifications/unknown'),
  ])
  assert.deepEqual([...answers.keys()], ['d'])
  await client.ping()
  assert.equal(client.strays.length, before)
}

async function acceptNotices(client: RawClient): Promise<void> {
  const before = client.strays.length
  const status = await client.send([notice('notifications/roots/list_changed'), notice('notifications/unknown')])
  assert.ok(status === undefined || status === 202, `status ${status}`)
  await client.ping()
  assert.equal(client.strays.length, before)
}

async function failAlone(client: RawClient): Promise<void> {
  const answers = await client.batch([
    request('e', 'no/such/method'),
    echo('f', 'fine'),
    request('g', 'resources/read', { uri: 'note://no' }),
  ])
  assert.equal(codeIn(answers.get('e')), -32601)
  assert.equal(textOf(answers.get('f')?.result as unknown as ToolResult), 'fine')
  assert.equal(codeIn(answers.get('g')), -32002)
}

async function refuseMember(client: RawClient): Promise<void> {
  const before = client.strays.length
  const answers = await client.batch([17 as never, echo('h', 'good')])
  assert.equal(textOf(answers.get('h')?.result as unknown as ToolResult), 'good')
  await until(() => client.strays.length > before, 'an error for the member that is no message')
  assert.equal(codeIn(client.strays.at(-1)), -32600)
  assert.equal(client.strays.at(-1)?.id ?? null, null)
}

async function refuseEmpty(client: RawClient): Promise<void> {
  const before = client.strays.length
  const status = await client.send([])
  await until(() => client.strays.length > before || (status ?? 0) >= 400, 'an error for the empty batch')
  if (client.strays.length > before) assert.equal(codeIn(client.strays.at(-1)), -32600)
}

async function reportProgress(client: RawClient): Promise<void> {
  await client.setLevel('debug')
  client.heard.clear()
  const params = { name: 'count', arguments: { to: 3 }, _meta: { progressToken: 'mine' } }
  await client.batch([request('i', 'tools/call', params), request('j', 'tools/call', { name: 'chat' })])
  const progress = client.heard
    .of('notifications/progress')
    .map(({ params }) => [params.progressToken, params.progress])
  assert.deepEqual(progress, [
    ['mine', 1],
    ['mine', 2],
    ['mine', 3],
  ])
  assert.equal(client.heard.of('notifications/message').length, 4)
}

async function refuseInitialize(client: RawClient): Promise<void> {
  const hello = { protocolVersion: client.version, capabilities: {}, clientInfo: { name: 'again', version: '1' } }
  const before = client.strays.length
  let answered: Json | undefined
  const batch = client.batch([request('k', 'initialize', hello), request('l', 'ping')])
  void batch.then((answers) => {
    answered = answers.get('k')
  })
  await until(() => answered !== undefined || client.strays.length > before, 'a refusal')
  assert.equal(codeIn(answered ?? client.strays.at(-1)), -32600)
  await client.ping()
}

async function answerInBatch(client: RawClient): Promise<void> {
  client.answerTogether = 2
  const model = client.callTool('ask_model')
  const roots = client.callTool('ask_roots')
  assert.match(textOf(await model), /a thought/)
  assert.match(JSON.stringify(jsonOf<unknown>(await roots)), /project/)
  client.answerTogether = 0
}

async function answerMany(client: RawClient): Promise<void> {
  const messages = Array.from({ length: 40 }, (_, at) => echo(1000 + at, `text ${at}`))
  const answers = await client.batch(messages)
  for (const [at, { id }] of messages.entries()) {
    assert.equal(textOf(answers.get(id)?.result as unknown as ToolResult), `text ${at}`)
  }
}

async function cancelOne(client: RawClient): Promise<void> {
  const before = Number(textOf(await client.callTool('waited')))
  await client.heard.clear()
  const params = { name: 'wait', _meta: { progressToken: 'waiting' } }
  void client.send([request('m', 'tools/call', params), echo('n', 'meanwhile')])
  await client.heard.next('notifications/progress', ({ progressToken }) => progressToken === 'waiting')
  await client.send(notice('notifications/cancelled', { requestId: 'm' }))
  await until(async () => Number(textOf(await client.callTool('waited'))) === before + 1, 'the handler heard of it')
}
