/** The revisions before 2026-07-28: sessions, live questions, resumable streams, and HTTP+SSE. */

import assert from 'node:assert/strict'
import type { Check } from './check.ts'
import { ask, hello, type Json, OLDER, older, olderTool, only, openSession, Stream } from './messages.ts'
import { openGate } from './modern.ts'

export const olderChecks: Check[] = [
  {
    group: 'older',
    name: 'initialize answers with JSON in the revision asked for',
    async run(wire) {
      const { result } = await only(await wire.send(older(hello)).answer)
      assert.equal(result?.protocolVersion, OLDER)
    },
  },
  {
    group: 'session',
    name: 'a session carries calls until it is deleted',
    async run(wire) {
      const session = await openSession(wire)
      const { result } = await ask(wire, olderTool(session, 'add', { a: 1, b: 2 }))
      assert.deepEqual(result?.structuredContent, { sum: 3 })
      const end = { method: 'DELETE', headers: { 'mcp-session-id': session } }
      assert.equal((await wire.send(end).answer).status, 204)
      assert.equal((await wire.send(olderTool(session, 'add', { a: 1, b: 2 })).answer).status, 404)
    },
  },
  {
    group: 'session',
    name: 'a question goes out on the stream of its call, and the answer comes by POST',
    async run(wire) {
      const session = await openSession(wire)
      const stream = await Stream.open(wire.send(olderTool(session, 'greet')))
      const question = await stream.next()
      assert.equal(question.method, 'elicitation/create')
      const result = { action: 'accept', content: { name: 'Grace' } }
      assert.equal((await wire.send(older({ id: question.id, result }, session)).answer).status, 202)
      assert.equal((await stream.next()).result?.content?.[0]?.text, 'Hello, Grace')
    },
  },
  {
    group: 'session',
    name: 'a stream that breaks goes on at Last-Event-ID',
    async run(wire) {
      const session = await openSession(wire)
      const gate = crypto.randomUUID()
      const stream = await Stream.open(wire.send(olderTool(session, 'gated', { gate }, { progressToken: 'p' })))
      assert.equal((await stream.next()).params?.progress, 1)
      stream.answer.drop()
      await openGate(gate, (call) => ask(wire, call))
      const resumed = await Stream.open(wire.send(listening(session, stream.ids.at(-1))))
      assert.equal((await resumed.next()).params?.progress, 2)
      assert.equal((await resumed.next()).result?.content?.[0]?.text, `passed ${gate}`)
    },
  },
  {
    group: 'session',
    name: 'the standalone stream tells of a change made by another request',
    async run(wire) {
      const session = await openSession(wire)
      const stream = await Stream.open(wire.send(listening(session)))
      assert.equal((await ask(wire, olderTool(session, 'grow'))).result?.content?.[0]?.text, 'grown')
      assert.equal((await stream.next()).method, 'notifications/tools/list_changed')
      stream.answer.drop()
    },
  },
  {
    group: 'sse',
    name: 'HTTP+SSE: the endpoint comes first, answers come on the stream',
    async run(wire) {
      const headers = { accept: 'text/event-stream' }
      const probe = wire.send({ path: '/sse', headers })
      // Where the old transport has no path of its own, the MCP endpoint offers it.
      const hasOwn = (await probe.answer).status !== 404
      const stream = await Stream.open(hasOwn ? probe : wire.send({ headers }))
      const endpoint = await stream.event()
      assert.equal(endpoint?.event, 'endpoint')
      assert.match(endpoint.data, /^\/(messages|mcp)\?/)
      const post = async (message: Json) => {
        const answer = await wire.send({ ...older(message), path: endpoint.data }).answer
        assert.equal(answer.status, 202)
      }
      await post({ ...hello, params: { ...hello.params, protocolVersion: '2024-11-05' } })
      assert.equal((await stream.next()).result?.protocolVersion, '2024-11-05')
      await post({ method: 'notifications/initialized' })
      await post({ id: 2, method: 'tools/call', params: { name: 'add', arguments: { a: 3, b: 4 } } })
      assert.equal((await stream.next()).result?.content?.[0]?.text, '{"sum":7}')
      stream.answer.drop()
    },
  },
]

/** For targets with a time limit on requests of about a second. */
export const lateChecks: Check[] = [
  {
    group: 'limits',
    name: 'a request that never arrives whole is cut, an open event stream is not',
    async run(wire) {
      const session = await openSession(wire)
      const stream = await Stream.open(wire.send(listening(session)))
      const late = wire.send({ ...older(hello), body: '{', unfinished: true, chunked: true })
      const status = await late.answer.then(
        (answer) => answer.status,
        () => 'cut',
      )
      assert.ok(status === 'cut' || status === 408, `status ${status}`)
      assert.equal((await ask(wire, olderTool(session, 'grow'))).result?.content?.[0]?.text, 'grown')
      assert.equal((await stream.next()).method, 'notifications/tools/list_changed')
      stream.answer.drop()
    },
  },
]

function listening(session: string, after?: string) {
  const resume: { [name: string]: string } = after === undefined ? {} : { 'last-event-id': after }
  const headers = { accept: 'text/event-stream', 'mcp-session-id': session, 'mcp-protocol-version': OLDER, ...resume }
  return { headers }
}
