/** Hand-written messages of 2024-11-05 and 2025-03-26 at our server, batches above all, over each transport they had. */

import assert from 'node:assert/strict'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { until } from '../../support/wait.ts'
import { pageChecks } from '../checks/pages.ts'
import { type Json, jsonOf, type ToolResult, textOf, type Version } from '../guest.ts'
import { connectRaw, type RawGuest } from '../guests/raw.ts'
import type { House } from '../house.ts'
import { openOurs, type Way } from './our-house.ts'
import { visit, withGuest } from './suite.ts'

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
      const house = await openOurs(way)
      const paged = await openOurs(way, { pageSize: 2 })
      try {
        await visit(report, house, version, (offer) => connectRaw(house.address, version, offer))
        await sendBatches(report, house, version)
        const connect = () => connectRaw(paged.address, version, { asking: false })
        await withGuest(report, paged, version, connect, { asking: false }, pageChecks)
      } finally {
        await house.close()
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

async function sendBatches(report: Report, house: House, version: Version): Promise<void> {
  const guest = await connectRaw(house.address, version, { asking: true })
  const checks: [string, (guest: RawGuest) => Promise<void>][] = [
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
  for (const [name, run] of checks) await report.check(name, () => run(guest))
  await report.check('disconnects after batches', () => guest.close())
}

async function answerEach(guest: RawGuest): Promise<void> {
  const before = guest.batches.length
  const answers = await guest.batch([request('a', 'ping'), echo('b', 'hello'), request('c', 'prompts/list')])
  assert.deepEqual(answers.get('a')?.result, {})
  assert.equal(textOf(answers.get('b')?.result as unknown as ToolResult), 'hello')
  assert.ok(Array.isArray((answers.get('c')?.result as Json | undefined)?.prompts))
  assert.equal(guest.batches.length, before + 1, 'the answer is one batch')
}

async function skipNotices(guest: RawGuest): Promise<void> {
  const before = guest.strays.length
  const answers = await guest.batch([
    notice('notifications/roots/list_changed'),
    echo('d', 'one'),
    notice('notifications/unknown'),
  ])
  assert.deepEqual([...answers.keys()], ['d'])
  await guest.ping()
  assert.equal(guest.strays.length, before)
}

async function acceptNotices(guest: RawGuest): Promise<void> {
  const before = guest.strays.length
  const status = await guest.send([notice('notifications/roots/list_changed'), notice('notifications/unknown')])
  assert.ok(status === undefined || status === 202, `status ${status}`)
  await guest.ping()
  assert.equal(guest.strays.length, before)
}

async function failAlone(guest: RawGuest): Promise<void> {
  const answers = await guest.batch([
    request('e', 'no/such/method'),
    echo('f', 'fine'),
    request('g', 'resources/read', { uri: 'note://no' }),
  ])
  assert.equal(codeIn(answers.get('e')), -32601)
  assert.equal(textOf(answers.get('f')?.result as unknown as ToolResult), 'fine')
  assert.equal(codeIn(answers.get('g')), -32002)
}

async function refuseMember(guest: RawGuest): Promise<void> {
  const before = guest.strays.length
  const answers = await guest.batch([17 as never, echo('h', 'good')])
  assert.equal(textOf(answers.get('h')?.result as unknown as ToolResult), 'good')
  await until(() => guest.strays.length > before, 'an error for the member that is no message')
  assert.equal(codeIn(guest.strays.at(-1)), -32600)
  assert.equal(guest.strays.at(-1)?.id ?? null, null)
}

async function refuseEmpty(guest: RawGuest): Promise<void> {
  const before = guest.strays.length
  const status = await guest.send([])
  await until(() => guest.strays.length > before || (status ?? 0) >= 400, 'an error for the empty batch')
  if (guest.strays.length > before) assert.equal(codeIn(guest.strays.at(-1)), -32600)
}

async function reportProgress(guest: RawGuest): Promise<void> {
  await guest.setLevel('debug')
  guest.heard.clear()
  const params = { name: 'count', arguments: { to: 3 }, _meta: { progressToken: 'mine' } }
  await guest.batch([request('i', 'tools/call', params), request('j', 'tools/call', { name: 'chat' })])
  const progress = guest.heard.of('notifications/progress').map(({ params }) => [params.progressToken, params.progress])
  assert.deepEqual(progress, [
    ['mine', 1],
    ['mine', 2],
    ['mine', 3],
  ])
  assert.equal(guest.heard.of('notifications/message').length, 4)
}

async function refuseInitialize(guest: RawGuest): Promise<void> {
  const hello = { protocolVersion: guest.version, capabilities: {}, clientInfo: { name: 'again', version: '1' } }
  const before = guest.strays.length
  let answered: Json | undefined
  const batch = guest.batch([request('k', 'initialize', hello), request('l', 'ping')])
  void batch.then((answers) => {
    answered = answers.get('k')
  })
  await until(() => answered !== undefined || guest.strays.length > before, 'a refusal')
  assert.equal(codeIn(answered ?? guest.strays.at(-1)), -32600)
  await guest.ping()
}

async function answerInBatch(guest: RawGuest): Promise<void> {
  guest.answerTogether = 2
  const model = guest.callTool('ask_model')
  const roots = guest.callTool('ask_roots')
  assert.match(textOf(await model), /a thought/)
  assert.match(JSON.stringify(jsonOf<unknown>(await roots)), /project/)
  guest.answerTogether = 0
}

async function answerMany(guest: RawGuest): Promise<void> {
  const messages = Array.from({ length: 40 }, (_, at) => echo(1000 + at, `text ${at}`))
  const answers = await guest.batch(messages)
  for (const [at, { id }] of messages.entries()) {
    assert.equal(textOf(answers.get(id)?.result as unknown as ToolResult), `text ${at}`)
  }
}

async function cancelOne(guest: RawGuest): Promise<void> {
  const before = Number(textOf(await guest.callTool('waited')))
  await guest.heard.clear()
  const params = { name: 'wait', _meta: { progressToken: 'waiting' } }
  void guest.send([request('m', 'tools/call', params), echo('n', 'meanwhile')])
  await guest.heard.next('notifications/progress', ({ progressToken }) => progressToken === 'waiting')
  await guest.send(notice('notifications/cancelled', { requestId: 'm' }))
  await until(async () => Number(textOf(await guest.callTool('waited'))) === before + 1, 'the handler heard of it')
}
