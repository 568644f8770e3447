import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { HopReader, sealHop } from '../../src/cluster/hop.ts'
import { Seal } from '../../src/cluster/seal.ts'
import { ask, callModern, callTool, openSession } from './raw-client.ts'
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

const doorOf = async (at: number): Promise<string> => {
  const views = await replicaAt(at).cluster.replicas()
  return views.find(({ name }) => name === replicaAt(at).cluster.replica)?.url ?? ''
}

describe('whoever is not the owner of a session', () => {
  it('sec-438: gets the words for one that never was, at every replica, alive or dead the owner', async () => {
    await start(3)
    const session = await openSession(urlOf(0), { 'x-user': 'ana' })
    const never = { id: 'x', headers: { ...session.headers, 'x-user': 'eve', 'mcp-session-id': 'a'.repeat(40) } }
    const unknown = await ask(urlOf(1), never, 'ping')
    const stolen = { id: session.id, headers: { ...session.headers, 'x-user': 'eve' } }
    for (const at of [0, 1, 2]) {
      const { status, message } = await ask(urlOf(at), stolen, 'ping')
      expect({ status, error: message.error }).toEqual({ status: 404, error: unknown.message.error })
    }
    await replicaAt(0).crash()
    expect((await ask(urlOf(1), stolen, 'ping')).status).toBe(404)
    expect(await callTool(urlOf(2), session, 'where')).toBe(replicaAt(2).cluster.replica)
  })

  it('sec-438: is not helped by headers that name replicas, principals or doors', async () => {
    await start(2)
    const session = await openSession(urlOf(0), { 'x-user': 'ana' })
    const forged = {
      'portico-hop': 'ana',
      'portico-principal': '{"id":"ana"}',
      'x-forwarded-user': 'ana',
      to: replicaAt(0).cluster.replica,
    }
    const { 'x-user': _own, ...headers } = session.headers
    expect((await ask(urlOf(1), { id: session.id, headers: { ...headers, ...forged } }, 'ping')).status).toBe(404)
  })

  it('sec-439: learns nothing by guessing, and what is no id does not reach the store', async () => {
    await start(1)
    const guess = async (id: string): Promise<number> =>
      (await ask(urlOf(0), { id, headers: { 'mcp-session-id': id } }, 'ping')).status
    for (const id of [randomBytes(20).toString('hex'), '../key', 'x', '0'.repeat(400), '__proto__']) {
      expect(await guess(id)).toBe(404)
    }
    replicaAt(0).cut(true)
    for (const id of ['../key', 'x', '0'.repeat(400), '__proto__']) expect(await guess(id)).toBe(404)
    replicaAt(0).cut(false)
  })
})

describe('the door between replicas', () => {
  it('sec-440: tells whoever has no key nothing', async () => {
    await start(2)
    const url = await doorOf(0)
    const mine = new Seal([randomBytes(32)], 'hops')
    const hop = {
      to: replicaAt(0).cluster.replica,
      at: Date.now(),
      nonce: 'n',
      method: 'POST',
      url: '/mcp',
      headers: {},
      principal: { id: 'ana', scopes: [], challenges: false },
    }
    const bodies = ['', '{}', randomBytes(200), sealHop(hop, mine).bytes]
    for (const body of bodies) {
      const answer = await fetch(`${url}/hop`, { method: 'POST', body })
      expect([answer.status, await answer.text()]).toEqual([404, ''])
    }
    for (const path of ['/', '/mcp', '/healthz', '/hop?x']) {
      expect((await fetch(url + path)).status).toBe(404)
    }
  })

  it('sec-440: reads nothing of a body that no replica announced', async () => {
    await start(2)
    const { hostname, port } = new URL(await doorOf(0))
    const proof = new Seal([randomBytes(32)], 'hops').prove(`${replicaAt(0).cluster.replica} 60000000`)
    for (const own of ['', `portico-proof: ${proof}\r\n`, 'portico-proof: 1.x\r\n']) {
      const socket = connect(Number(port), hostname)
      socket.write(`POST /hop HTTP/1.1\r\nhost: x\r\n${own}content-length: 60000000\r\n\r\n`)
      // Answered while nothing of the body was sent, and closed.
      expect(await text(socket)).toMatch(/^HTTP\/1.1 404/)
    }
  })

  it('sec-441: opens what was sealed for this replica, once, while it is fresh, and nothing that was altered', () => {
    const seal = new Seal([randomBytes(32)], 'hops')
    const made = (over: object = {}) =>
      sealHop(
        {
          to: 'here',
          at: Date.now(),
          nonce: randomBytes(8).toString('hex'),
          method: 'POST',
          url: '/mcp',
          headers: {},
          ...over,
        },
        seal,
      ).bytes
    const reader = new HopReader(seal, 'here')
    const good = made()
    expect(reader.open(good)?.hop.url).toBe('/mcp')
    expect(reader.open(good)).toBeUndefined()
    expect(reader.open(made({ at: Date.now() - 61_000 }))).toBeUndefined()
    expect(reader.open(made({ at: Date.now() + 61_000 }))).toBeUndefined()
    expect(reader.open(made({ to: 'there' }))).toBeUndefined()
    expect(new HopReader(seal, 'there').open(made())).toBeUndefined()
    const altered = made()
    for (let at = 0; at < altered.length; at++) {
      altered[at] = (altered[at] ?? 0) ^ 1
      expect(reader.open(altered)).toBeUndefined()
      altered[at] = (altered[at] ?? 0) ^ 1
    }
    expect(reader.open(altered)).toBeDefined()
  })

  it('sec-442: keys rotate: what an older key sealed is still opened, what a removed one sealed is not', () => {
    const [older, newer] = [randomBytes(32), randomBytes(32)]
    const text = new Seal([older], 'rows').sealText({ owner: 'a' }, 'place')
    expect(new Seal([newer, older], 'rows').openText(text, 'place')).toEqual({ owner: 'a' })
    expect(new Seal([newer], 'rows').openText(text, 'place')).toBeUndefined()
    expect(new Seal([older], 'rows').openText(text, 'other place')).toBeUndefined()
    expect(new Seal([older], 'hops').openText(text, 'place')).toBeUndefined()
  })
})

describe('a row that somebody else wrote into the store', () => {
  it('sec-443: is no session, whatever it says, and one moved to another id neither', async () => {
    await start(2)
    const session = await openSession(urlOf(0), { 'x-user': 'ana' })
    const prefix = 'cluster/portico/session/'
    const kept = await cluster.store.get(prefix + session.id)
    const poisons = [kept?.value ?? '', '{}', '{"owner":"","takeovers":0,"record":{"subscriptions":[]}}', 'AAAA', '"']
    for (const value of poisons) {
      const id = randomBytes(20).toString('hex')
      await cluster.store.write([{ key: prefix + id, value }])
      const { status } = await ask(urlOf(1), { id, headers: { ...session.headers, 'mcp-session-id': id } }, 'ping')
      expect(status).toBe(404)
    }
    expect(await callTool(urlOf(1), session, 'where')).toBe(replicaAt(0).cluster.replica)
  })

  it('sec-443: is no replica that requests would be passed to', async () => {
    await start(1)
    const key = 'cluster/portico/replica/0123456789abcdef'
    await cluster.store.write([{ key, value: '{"url":"http://127.0.0.1:1","leaving":false}' }])
    expect(await replicaAt(0).cluster.replicas()).toHaveLength(1)
  })

  it('sec-444: holds nothing that a reader of the store could read', async () => {
    await start(1)
    const session = await openSession(urlOf(0), { 'x-user': 'ana-the-user' })
    await ask(urlOf(0), session, 'resources/subscribe', { uri: 'note:///one' })
    const rows = await cluster.store.list('cluster/', { limit: 100 })
    const all = rows.map(({ value }) => value + Buffer.from(value, 'base64url').toString('latin1')).join()
    for (const word of ['ana-the-user', 'note:///', 'raw']) expect(all).not.toContain(word)
  })
})

describe('proofs of possession', () => {
  it('sec-445: are new to one replica, once, and nobody says so while the store is away', async () => {
    await start(2)
    const told = await Promise.all([0, 1, 0].map((at) => replicaAt(at).cluster.dpop.isNew('key id', 60_000)))
    expect(told.filter((isNew) => isNew)).toHaveLength(1)
    replicaAt(1).cut(true)
    await expect(replicaAt(1).cluster.dpop.isNew('key other', 60_000)).rejects.toMatchObject({
      code: 'store-unavailable',
    })
    replicaAt(1).cut(false)
    expect(replicaAt(0).cluster.dpop.nonceKey).toEqual(replicaAt(1).cluster.dpop.nonceKey)
  })
})

describe('a store that is away', () => {
  it('lets stateless requests and sessions that are here go on, refuses the rest with Retry-After, and recovers', async () => {
    await start(2)
    const session = await openSession(urlOf(0))
    for (const at of [0, 1]) replicaAt(at).cut(true)
    expect(await callTool(urlOf(0), session, 'where')).toBe(replicaAt(0).cluster.replica)
    expect(await callModern(urlOf(1), 'where')).toBe(replicaAt(1).cluster.replica)
    const elsewhere = await ask(urlOf(1), session, 'ping')
    expect([elsewhere.status, elsewhere.retryAfter]).toEqual([503, '1'])
    await expect(openSession(urlOf(1))).rejects.toThrow('503')
    for (const at of [0, 1]) replicaAt(at).cut(false)
    expect(await callTool(urlOf(1), session, 'where')).toBe(replicaAt(0).cluster.replica)
    expect((await openSession(urlOf(1))).id).toMatch(/^[0-9a-f]{40}$/)
  })

  it('does not let a replica serve a session that another one took while it was cut off', async () => {
    await start(2, { leaseMs: 300 })
    const session = await openSession(urlOf(0))
    replicaAt(0).cut(true)
    await expect.poll(() => replicaAt(0).cluster.ready()).toBe(false)
    expect((await ask(urlOf(0), session, 'ping')).status).toBe(503)
    await expect.poll(async () => (await replicaAt(1).cluster.replicas()).length).toBe(1)
    await expect.poll(() => callTool(urlOf(1), session, 'where')).toBe(replicaAt(1).cluster.replica)
    replicaAt(0).cut(false)
    await expect.poll(() => replicaAt(0).cluster.ready()).toBe(true)
    expect(await callTool(urlOf(0), session, 'where')).toBe(replicaAt(1).cluster.replica)
  })
})
