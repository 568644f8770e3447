/** 2026-07-28: single answers, event streams, rounds and listening. */

import assert from 'node:assert/strict'
import { until } from '../../support/wait.ts'
import type { Check } from './check.ts'
import { ask, type Json, MODERN, modern, modernTool, Stream } from './messages.ts'

export const modernChecks: Check[] = [
  {
    group: 'modern',
    name: 'server/discover is answered with JSON and lists both eras',
    async run(wire) {
      const { result } = await ask(wire, modern('server/discover'))
      assert.ok((result?.supportedVersions as string[] | undefined)?.includes(MODERN))
      assert.ok(result?.capabilities)
    },
  },
  {
    group: 'modern',
    name: 'a tool returns structured content and its text',
    async run(wire) {
      const { result } = await ask(wire, modernTool('add', { a: 2, b: 40 }))
      assert.deepEqual(result?.structuredContent, { sum: 42 })
      assert.equal(result?.content?.[0]?.text, '{"sum":42}')
    },
  },
  {
    group: 'modern',
    name: 'a resource keeps its characters, a prompt its argument',
    async run(wire) {
      const read = await ask(wire, modern('resources/read', { uri: 'note://greeting' }))
      assert.equal((read.result?.contents as Json[] | undefined)?.[0]?.text, 'Grüße, 世界')
      const got = await ask(wire, modern('prompts/get', { name: 'welcome', arguments: { who: 'Ada' } }))
      assert.match(JSON.stringify(got.result?.messages), /Welcome Ada warmly/)
    },
  },
  {
    group: 'modern',
    name: '32 calls at once are answered, each with its own result',
    async run(wire) {
      const sums = Array.from({ length: 32 }, (_, at) => ask(wire, modernTool('add', { a: at, b: 1000 })))
      for (const [at, { result }] of (await Promise.all(sums)).entries()) {
        assert.deepEqual(result?.structuredContent, { sum: at + 1000 })
      }
    },
  },
  {
    group: 'stream',
    name: 'progress comes before the result on an event stream, one event at a time',
    async run(wire) {
      const stream = await Stream.open(wire.send(modernTool('count', { to: 3 }, { progressToken: 'p' })))
      for (const step of [1, 2, 3]) {
        const { method, params } = await stream.next()
        assert.deepEqual([method, params?.progress], ['notifications/progress', step])
      }
      assert.equal((await stream.next()).result?.content?.[0]?.text, 'counted to 3')
      await stream.ends()
    },
  },
  {
    group: 'stream',
    name: 'the first event is written while the handler still works',
    async run(wire) {
      const gate = crypto.randomUUID()
      const stream = await Stream.open(wire.send(modernTool('gated', { gate }, { progressToken: 'p' })))
      assert.equal((await stream.next()).params?.progress, 1)
      await openGate(gate, (call) => ask(wire, call))
      assert.equal((await stream.next()).params?.progress, 2)
      assert.equal((await stream.next()).result?.content?.[0]?.text, `passed ${gate}`)
    },
  },
  {
    group: 'asking',
    name: 'a question is a round of its own, and its answer completes the call',
    async run(wire) {
      const first = await ask(wire, modernTool('greet'))
      assert.equal(first.result?.resultType, 'input_required')
      const { requestState, inputRequests } = first.result ?? {}
      assert.deepEqual(Object.keys(inputRequests as Json), ['name'])
      const inputResponses = { name: { action: 'accept', content: { name: 'Ada' } } }
      const second = await ask(wire, modernTool('greet', {}, {}, { requestState, inputResponses }))
      assert.equal(second.result?.content?.[0]?.text, 'Hello, Ada')
    },
  },
  {
    group: 'asking',
    name: 'altered state is refused',
    async run(wire) {
      const { result } = await ask(wire, modernTool('greet'))
      const requestState = String(result?.requestState).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
      const inputResponses = { name: { action: 'accept', content: { name: 'Eve' } } }
      const answer = await wire.send(modernTool('greet', {}, {}, { requestState, inputResponses })).answer
      assert.equal(JSON.parse(await answer.text()).error?.code, -32602)
    },
  },
  {
    group: 'listen',
    name: 'a listener is acknowledged and told of a change made by another request',
    async run(wire) {
      const stream = await Stream.open(
        wire.send(modern('subscriptions/listen', { notifications: { toolsListChanged: true } })),
      )
      assert.equal((await stream.next()).method, 'notifications/subscriptions/acknowledged')
      assert.equal((await ask(wire, modernTool('grow'))).result?.content?.[0]?.text, 'grown')
      assert.equal((await stream.next()).method, 'notifications/tools/list_changed')
      stream.answer.drop()
    },
  },
]

export const cancelChecks: Check[] = [
  cancelCheck('a client that goes away before any answer cancels its call', false),
  cancelCheck('a client that goes away from an event stream cancels its call', true),
]

function cancelCheck(name: string, speak: boolean): Check {
  return {
    group: speak ? 'cancel' : 'leave',
    name,
    async run(wire) {
      const seen = async () => (await ask(wire, modernTool('seen'))).result?.structuredContent ?? {}
      const before = await seen()
      const sent = wire.send(modernTool('wait', { speak }, { progressToken: 'p' }))
      if (speak) await (await Stream.open(sent)).next()
      await until(async () => Number((await seen()).waiting) > Number(before.waiting), 'the handler begins')
      sent.drop()
      await until(async () => Number((await seen()).cancelled) > Number(before.cancelled), 'the handler hears of it')
    },
  }
}

/** The gate is there once the handler has passed its first progress, which its client sees a little earlier. */
export function openGate(gate: string, call: (call: ReturnType<typeof modernTool>) => ReturnType<typeof ask>) {
  return until(async () => {
    const { result } = await call(modernTool('open', { gate }))
    return result?.content?.[0]?.text === 'opened'
  }, 'the gate opens')
}
