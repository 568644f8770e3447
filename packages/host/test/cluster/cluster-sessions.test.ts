import { afterEach, describe, expect, it } from 'vitest'
import { toRowName } from '../../src/cluster/seal.ts'
import { ask, callTool, listen, openSession, readUntil, send } from './raw-client.ts'
import { startReplicas, type TestCluster, type TestReplica } from './replicas.ts'

let cluster: TestCluster
const urlOf = (at: number): string => replicaAt(at).http.url

function replicaAt(at: number): TestReplica {
  const found = cluster.replicas[at]
  if (found === undefined) throw new Error(`There is no replica ${at}`)
  return found
}

const start = async (count: number, options?: Parameters<typeof startReplicas>[1]): Promise<void> => {
  cluster = await startReplicas(count, options)
}

afterEach(() => cluster.close())

describe('a session of an older revision over several replicas', () => {
  it('is served by the replica that has it, whichever one is asked', async () => {
    await start(3)
    const session = await openSession(urlOf(0))
    for (const at of [0, 1, 2, 1]) {
      expect(await callTool(urlOf(at), session, 'where')).toBe(replicaAt(0).cluster.replica)
    }
  })

  it('streams an answer through another replica, and its progress before it', async () => {
    await start(2)
    const session = await openSession(urlOf(0))
    const params = { name: 'slow', arguments: {}, _meta: { progressToken: 7 } }
    const answer = await send(urlOf(1), session, { id: 1, method: 'tools/call', params })
    await readUntil(answer, ({ data }) => data?.method === 'notifications/progress')
    replicaAt(0).release()
    const events = await readUntil(answer, ({ data }) => data?.id === 1)
    expect(events.at(-1)?.data?.result?.content[0]?.text).toBe(replicaAt(0).cluster.replica)
  })

  it('brings a question and its answer over another replica', async () => {
    await start(2)
    const session = await openSession(urlOf(0))
    const answer = await send(urlOf(1), session, {
      id: 1,
      method: 'tools/call',
      params: { name: 'ask', arguments: {} },
    })
    const asked = (await readUntil(answer, ({ data }) => data?.method === 'elicitation/create')).at(-1)
    const said = await send(urlOf(1), session, {
      id: asked?.data?.id,
      result: { action: 'accept', content: { name: 'Ana' } },
    })
    expect(said.status).toBe(202)
    const events = await readUntil(answer, ({ data }) => data?.id === 1)
    expect(events.at(-1)?.data?.result?.content[0]?.text).toContain('Ana')
  })

  it('ends everywhere with DELETE at any replica', async () => {
    await start(2)
    const session = await openSession(urlOf(0))
    const gone = await fetch(urlOf(1), { method: 'DELETE', headers: session.headers })
    expect(gone.status).toBe(204)
    for (const at of [0, 1]) expect((await ask(urlOf(at), session, 'ping')).status).toBe(404)
    expect(await cluster.store.list('cluster/portico/session/', { limit: 10 })).toEqual([])
  })

  it('sec-547: ends everywhere when whoever runs its replica ends it by name', async () => {
    await start(2)
    const [session, other] = [await openSession(urlOf(0)), await openSession(urlOf(1))]
    const [open] = replicaAt(0).http.sessions()
    expect(open).toMatchObject({ version: '2025-11-25', client: 'raw', busy: false })
    expect(await replicaAt(1).http.endSession(open?.name ?? '')).toBe(false)
    expect(await replicaAt(0).http.endSession(open?.name ?? '')).toBe(true)
    for (const at of [0, 1]) expect((await ask(urlOf(at), session, 'ping')).status).toBe(404)
    expect((await ask(urlOf(0), other, 'ping')).status).toBe(200)
  })

  it('is taken up by another replica when its own is dead, with what its client had said', async () => {
    await start(3)
    const session = await openSession(urlOf(0))
    await ask(urlOf(1), session, 'resources/subscribe', { uri: 'note:///one' })
    await ask(urlOf(1), session, 'logging/setLevel', { level: 'error' })
    await replicaAt(0).crash()
    expect(await callTool(urlOf(1), session, 'where')).toBe(replicaAt(1).cluster.replica)
    expect(await callTool(urlOf(2), session, 'where')).toBe(replicaAt(1).cluster.replica)
    const stream = await listen(urlOf(2), session)
    await readUntil(stream, ({ data }) => data?.params?.uri === 'note:///one')
    replicaAt(2).server.changed('note:///one')
    await readUntil(stream, ({ data }) => data?.params?.uri === 'note:///one')
  })

  it('has one owner when all replicas take it up at once', async () => {
    await start(4)
    const session = await openSession(urlOf(0))
    await replicaAt(0).crash()
    const owners = await Promise.all([1, 2, 3, 1, 2, 3].map((at) => callTool(urlOf(at), session, 'where')))
    expect(new Set(owners).size).toBe(1)
  })

  it('tells whether a call was sent when the replica that ran it dies', async () => {
    await start(2)
    const session = await openSession(urlOf(0))
    const running = ask(urlOf(1), session, 'tools/call', { name: 'slow', arguments: {} })
    await expect.poll(() => replicaAt(0).runs).toEqual(['slow'])
    await replicaAt(0).crash()
    const { status, message } = await running
    expect(status).toBe(502)
    expect(message.error?.message).toContain('may have happened')
    expect(replicaAt(1).runs).toEqual([])
    expect(await callTool(urlOf(1), session, 'where')).toBe(replicaAt(1).cluster.replica)
  })
})

describe('streams over several replicas', () => {
  it('are resumed at another replica, behind the last event', async () => {
    await start(2)
    const session = await openSession(urlOf(0))
    const params = { name: 'slow', arguments: {}, _meta: { progressToken: 7 } }
    const cut = new AbortController()
    const answer = await send(urlOf(0), session, { id: 1, method: 'tools/call', params }, cut.signal)
    const seen = await readUntil(answer, ({ data }) => data?.method === 'notifications/progress')
    cut.abort()
    replicaAt(0).release()
    const rest = await listen(urlOf(1), session, seen.at(-1)?.id)
    const events = await readUntil(rest, ({ data }) => data?.id === 1)
    expect(events.filter(({ data }) => data?.method !== undefined)).toEqual([])
    expect(events.at(-1)?.data?.result?.content[0]?.text).toBe(replicaAt(0).cluster.replica)
  })

  it('give the finished answer of a dead replica', async () => {
    await start(2)
    const session = await openSession(urlOf(0))
    const params = { name: 'slow', arguments: {}, _meta: { progressToken: 7 } }
    const cut = new AbortController()
    const answer = await send(urlOf(0), session, { id: 1, method: 'tools/call', params }, cut.signal)
    const seen = await readUntil(answer, ({ data }) => data?.method === 'notifications/progress')
    cut.abort()
    replicaAt(0).release()
    const prefix = `cluster/portico/event/${toRowName(session.id)}/`
    const kept = async () => (await cluster.store.list(prefix, { limit: 100 })).some(({ key }) => key.endsWith('/end'))
    await expect.poll(kept).toBe(true)
    await replicaAt(0).crash()
    const rest = await listen(urlOf(1), session, seen.at(-1)?.id)
    const events = await readUntil(rest, ({ data }) => data?.id === 1)
    expect(events.at(-1)?.data?.result?.content[0]?.text).toBe(replicaAt(0).cluster.replica)
  })

  it('end with an error that says so where the answer died with its replica', async () => {
    await start(2)
    const session = await openSession(urlOf(0))
    const params = { name: 'slow', arguments: {}, _meta: { progressToken: 7 } }
    const answer = await send(urlOf(0), session, { id: 'mine', method: 'tools/call', params })
    const seen = await readUntil(answer, ({ data }) => data?.method === 'notifications/progress')
    await replicaAt(0).crash()
    const rest = await listen(urlOf(1), session, seen.at(-1)?.id)
    const events = await readUntil(rest, ({ data }) => data?.id === 'mine')
    expect(events.at(-1)?.data?.error?.data).toEqual({ delivery: 'unknown' })
  })
})

describe('a replica that goes down', () => {
  it('hands its sessions over, and tells listeners to come back', async () => {
    await start(2)
    const session = await openSession(urlOf(0))
    const stream = await listen(urlOf(0), session)
    const text = stream.text()
    await replicaAt(0).close()
    expect(await text).toContain('retry: ')
    expect(await callTool(urlOf(1), session, 'where')).toBe(replicaAt(1).cluster.replica)
    expect((await replicaAt(1).cluster.replicas()).map(({ name }) => name)).toEqual([replicaAt(1).cluster.replica])
  })

  it('passes what still comes to it to another one while it waits for those who divide requests', async () => {
    await start(2, { drainMs: 500 })
    const session = await openSession(urlOf(0))
    const closing = replicaAt(0).close()
    await expect.poll(async () => (await replicaAt(1).cluster.replicas()).some(({ leaving }) => leaving)).toBe(true)
    expect(await callTool(urlOf(0), session, 'where')).toBe(replicaAt(1).cluster.replica)
    await closing
  })
})
