import type { WireMessage } from '@portico/host/upstream'
import type { JsonObject } from '@portico/sdk/client'
import { describe, expect, it } from 'vitest'
import { MessageLog } from './message-log.ts'

let clock = 1_000_000

function wire(direction: 'out' | 'in', message: JsonObject, more: Partial<WireMessage> = {}): WireMessage {
  clock += 10
  const whole = { jsonrpc: '2.0', ...message }
  return {
    server: 's',
    connection: 's#1',
    direction,
    at: clock,
    bytes: JSON.stringify(whole).length,
    message: whole,
    ...more,
  }
}

const request = (id: number, params: JsonObject = {}, method = 'tools/call') => wire('out', { id, method, params })
const answer = (id: number, result: JsonObject = {}) => wire('in', { id, result })

describe('messages that belong together', () => {
  it('are a request, its progress, its cancelling and its answer', () => {
    const log = new MessageLog()
    const asked = log.add(request(1, { name: 'slow', _meta: { progressToken: 'p' } }))
    const moved = log.add(
      wire('in', { method: 'notifications/progress', params: { progressToken: 'p', progress: 1, total: 2 } }),
    )
    const left = log.add(wire('out', { method: 'notifications/cancelled', params: { requestId: 1 } }))
    const answered = log.add(answer(1))
    expect(new Set([asked, moved, left, answered].map(({ group }) => group)).size).toBe(1)
    expect(answered).toMatchObject({ kind: 'response', method: 'tools/call', durationMs: 30 })
    expect(log.find(asked.id)?.row.durationMs).toBe(30)
    expect(log.related(asked).map(({ id }) => id)).toEqual([moved.id, left.id, answered.id])
    expect([asked.summary, moved.summary]).toEqual(['slow', '1 of 2'])
  })

  it('are all rounds of a call that asked for input (2026-07-28)', () => {
    const log = new MessageLog()
    const first = log.add(request(1, { name: 'ask' }))
    log.add(answer(1, { resultType: 'input_required', requestState: 'S1', inputRequests: { who: {} } }))
    const second = log.add(request(2, { name: 'ask', requestState: 'S1', inputResponses: { who: {} } }))
    log.add(answer(2, { resultType: 'input_required', inputRequests: { when: {} } }))
    const third = log.add(request(3, { name: 'ask', inputResponses: { when: {} } }))
    const last = log.add(answer(3, { content: [] }))
    const other = log.add(request(4, { name: 'ask' }))
    expect([second, third, last].map(({ group }) => group)).toEqual([first.group, first.group, first.group])
    expect(other.group).not.toBe(first.group)
  })

  it.each<[string, JsonObject, string]>([
    ['2025-11-25', { task: { taskId: 't', status: 'working', ttl: 9 } }, 'task working (2025-11-25 tasks)'],
    [
      '2026-07-28',
      { resultType: 'task', taskId: 't', status: 'working', statusMessage: 'reading', ttlMs: 9 },
      'task working: reading (2026-07-28 tasks extension)',
    ],
  ])('are a call, the task of %s that it became, and whatever is asked and told of it', (_version, made, words) => {
    const log = new MessageLog()
    const call = log.add(request(1, { name: 'slow' }))
    const created = log.add(answer(1, made))
    const related = { 'io.modelcontextprotocol/related-task': { taskId: 't' } }
    const later = [
      log.add(request(2, { taskId: 't' }, 'tasks/get')),
      log.add(request(3, { taskId: 't', inputResponses: { who: {} } }, 'tasks/update')),
      log.add(wire('in', { method: 'notifications/tasks', params: { taskId: 't', status: 'completed', ttlMs: 9 } })),
      log.add(wire('in', { id: 7, method: 'elicitation/create', params: { message: 'Who?', _meta: related } })),
    ]
    const other = log.add(request(4, { taskId: 'u' }, 'tasks/get'))
    expect(created.summary).toBe(words)
    expect(new Set([call, created, ...later].map(({ group }) => group))).toEqual(new Set([call.group]))
    expect(other.group).not.toBe(call.group)
  })

  it('are those of a subscription, and never those of another connection or direction', () => {
    const log = new MessageLog()
    const listen = log.add(request(9, {}, 'subscriptions/listen'))
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 9 }
    const change = log.add(wire('in', { method: 'notifications/resources/updated', params: { uri: 'a:b', _meta } }))
    expect(change.group).toBe(listen.group)
    const stranger = log.add(wire('in', { id: 9, result: {} }, { connection: 's#2' }))
    const reverse = log.add(wire('out', { id: 9, result: {} }))
    const text = log.add(wire('in', { id: '9', result: {} }))
    expect([stranger, reverse, text].every(({ group }) => group !== listen.group)).toBe(true)
  })
})

describe('a request that gets no answer any more (newcomer A5)', () => {
  const lost = { server: 's', connection: 's#1', at: clock + 1_000, reason: 'It ended', cancelled: false }

  it('has failed, is found as failed and counts as failed, once', () => {
    const log = new MessageLog()
    const asked = log.add(request(1))
    const other = log.add({ ...request(2), connection: 's#2' })
    expect(log.query({ filter: 'status:error' }).total).toBe(0)
    log.lose({ ...lost, at: asked.at + 40 })
    log.lose({ ...lost, at: asked.at + 50 })
    expect(log.query({ filter: 'status:error' }).rows).toMatchObject([
      { id: asked.id, durationMs: 40, lost: 'It ended' },
    ])
    expect(log.query({ filter: 'status:pending' }).rows.map(({ id }) => id)).toEqual([other.id])
    expect(log.stats(asked.at + 60).servers).toMatchObject([{ calls: 1, errors: 1 }])
    // What comes too late answers nothing.
    expect(log.add(answer(1)).durationMs).toBeUndefined()
  })

  it('is followed by a row for the end of its connection, even where nothing was open (newcomer A5)', () => {
    const log = new MessageLog()
    const asked = log.add(request(1))
    log.lose({ ...lost, id: 1 })
    log.lose({ ...lost, reason: '"node" exited with code 3' })
    expect(log.query({ filter: 'kind:closed' }).rows).toMatchObject([
      { id: asked.id + 1, server: 's', connection: 's#1', kind: 'closed', summary: '"node" exited with code 3' },
    ])
    expect(log.query({ filter: 'exited' }).total).toBe(1)
  })

  it('is one alone where only that one is lost; what was cancelled is not held against the server', () => {
    const log = new MessageLog()
    const first = log.add(request(1))
    log.add(request(2))
    log.lose({ ...lost, id: 1, cancelled: true })
    expect(log.query({ filter: 'status:error' }).rows.map(({ id }) => id)).toEqual([first.id])
    expect(log.stats().servers).toEqual([])
  })
})

describe('a query', () => {
  it('gives the newest last, and pages before and after a row', () => {
    const log = new MessageLog()
    for (let id = 1; id <= 50; id++) log.add(request(id))
    const ids = (query: Parameters<MessageLog['query']>[0]) => log.query(query).rows.map(({ id }) => id)
    expect(ids({ limit: 3 })).toEqual([48, 49, 50])
    expect(ids({ limit: 3, before: 48 })).toEqual([45, 46, 47])
    expect(ids({ limit: 3, after: 10 })).toEqual([11, 12, 13])
    expect(ids({ limit: 3, after: 50 })).toEqual([])
    expect(log.query({}).total).toBe(50)
  })

  it('follows its filter as answers come, so that what was pending is found as failed', () => {
    const log = new MessageLog()
    for (let id = 1; id <= 10; id++) log.add(request(id, { name: `t${id}` }))
    const filter = 'kind:request status:error'
    expect(log.query({ filter }).total).toBe(0)
    for (let id = 1; id <= 10; id += 2) log.add(wire('in', { id, error: { code: -1, message: 'no' } }))
    log.add(answer(2, { isError: true, content: [{ type: 'text', text: 'bad' }] }))
    const { rows, total } = log.query({ filter })
    expect([total, rows.map(({ rpcId }) => rpcId)]).toEqual([6, [1, 2, 3, 5, 7, 9]])
    expect(log.query({ filter: 'status:pending' }).total).toBe(4)
    expect(log.query({ filter, before: 4, limit: 2 }).rows.map(({ rpcId }) => rpcId)).toEqual([2, 3])
    expect(log.query({ filter: 'bogus:1' }).problem).toContain('bogus')
  })
})

describe('memory', () => {
  it.each([
    [99, 99],
    [100, 100],
    [101, 100],
    [350, 100],
  ])('is bounded by rows: of %i, %i are kept', (count, kept) => {
    const log = new MessageLog({ maxRows: 100 })
    const filter = 'method:tools/call'
    for (let id = 1; id <= count; id++) {
      log.add(request(id))
      if (id % 40 === 0) log.query({ filter })
    }
    expect([log.total, log.newest]).toEqual([kept, count])
    expect(log.find(count - kept)).toBeUndefined()
    expect(log.query({ filter, limit: 1_000 }).rows).toHaveLength(kept)
    expect(log.query({ limit: 1 }).rows[0]?.id).toBe(count)
  })

  it('is bounded by bytes, one long message cut', () => {
    const log = new MessageLog({ maxBytes: 1_000_000 })
    for (let id = 1; id <= 100; id++) log.add(request(id, { text: 'x'.repeat(20_000) }))
    expect(log.total).toBeLessThan(50)
    log.add(request(999, { text: 'y'.repeat(5_000_000) }))
    const entry = log.find(log.newest)
    expect([entry?.cut, entry?.text.length]).toEqual([true, 256 * 1024])
  })

  it('holds 100,000 messages, and finds among them', () => {
    const log = new MessageLog()
    for (let id = 1; id <= 50_000; id++) {
      log.add(request(id, { name: `tool${id % 100}` }))
      log.add(answer(id, { content: [] }))
    }
    expect(log.total).toBe(100_000)
    expect(log.query({ filter: 'kind:request tool:tool7' }).total).toBe(500)
    expect(log.query({ filter: 'kind:request tool:tool7', before: 1_000 }).rows).toHaveLength(5)
  })

  it('is given back when cleared; ids go on', () => {
    const log = new MessageLog()
    log.add(request(1))
    log.clear()
    expect([log.total, log.newest, log.query({}).rows]).toEqual([0, 1, []])
    expect(log.add(request(2)).id).toBe(2)
  })
})

it('counts calls, errors and times by minute and by server', () => {
  const log = new MessageLog()
  const at = Date.UTC(2026, 0, 1)
  for (let id = 1; id <= 10; id++) {
    log.add({ ...request(id), at })
    const message: JsonObject = id === 10 ? { id, error: { code: 1, message: 'x' } } : { id, result: {} }
    log.add({ ...wire('in', message), at: at + id * 10 })
  }
  const { minutes, servers } = log.stats(at + 1_000)
  expect(servers).toEqual([{ server: 's', calls: 10, errors: 1, p50: 60, p95: 100 }])
  expect(minutes).toEqual([{ at, calls: 10, errors: 1, p50: 60, p95: 100 }])
  expect(log.stats(at + 2 * 3_600_000).minutes).toEqual([])
})
