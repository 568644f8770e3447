import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { HttpRequest } from '@portico/sdk/internal'
import { type Bus, createMemoryBus } from '@portico/sdk/state'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { openDoor } from '../../src/cluster/door.ts'
import { Forwarder } from '../../src/cluster/forward.ts'
import { Seal, toRowName } from '../../src/cluster/seal.ts'
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
  const tell = async (url: string, ...pieces: readonly (string | Buffer)[]): Promise<Buffer> => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    for (const piece of pieces) socket.write(piece)
    const heard: Buffer[] = []
    socket.on('data', (chunk) => heard.push(chunk))
    await once(socket, 'close')
    return Buffer.concat(heard)
  }

  it('sec-440: tells whoever has no key nothing, reads nothing that it announces, and ends it', async () => {
    await start(2)
    const url = await doorOf(0)
    const foreign = new Seal([randomBytes(32)], 'hops').current.tag
    const greetings = [
      ['GET / HTTP/1.1\r\nhost: x\r\n\r\n'],
      ['POST /hop HTTP/1.1\r\nhost: x\r\ncontent-length: 60000000\r\n\r\n'],
      [randomBytes(20)],
      [randomBytes(200)],
      [foreign, randomBytes(16), randomBytes(32)],
    ]
    for (const pieces of greetings) expect((await tell(url, ...pieces)).toString('latin1')).toBe('')
  })

  it('sec-440: keeps only so many who have shown nothing, and lets replicas through meanwhile', async () => {
    // None of them goes by its time.
    await start(2, { door: { strangerMs: 600_000 } as object })
    const session = await openSession(urlOf(0))
    const { hostname, port } = new URL(await doorOf(0))
    const open = () =>
      connect(Number(port), hostname)
        .resume()
        .on('error', () => undefined)
    const sockets = Array.from({ length: 300 }, open)
    await Promise.all(sockets.slice(0, 44).map((socket) => once(socket, 'close')))
    expect(await callTool(urlOf(1), session, 'where')).toBe(replicaAt(0).cluster.replica)
    for (const socket of sockets) socket.destroy()
  })

  it('sec-441: what was said on one connection opens on no other, and nothing that was altered opens', async () => {
    const seal = new Seal([randomBytes(32)], 'hops')
    const served: string[] = []
    const door = await openDoor({ name: 'here' }, seal, (request, { url }) => {
      served.push(url)
      request.json(200, '{}')
    })
    const recorded: Buffer[] = []
    let alter: ((chunk: Buffer, at: number) => void) | undefined
    const between = createServer((near) => {
      const { hostname, port } = new URL(door.url)
      const far = connect(Number(port), hostname)
      let at = 0
      for (const socket of [near, far]) socket.on('error', () => undefined)
      near.on('data', (chunk) => {
        if (alter === undefined) recorded.push(chunk)
        else alter(chunk, at)
        at += chunk.length
        far.write(chunk)
      })
      far.on('data', (chunk) => near.write(chunk))
      near.on('close', () => far.destroy())
      far.on('close', () => near.destroy())
    })
    await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve))
    const address = `tcp://127.0.0.1:${(between.address() as AddressInfo).port}`
    const pass = async (): Promise<string> => {
      const forwarder = new Forwarder(seal)
      const head = { method: 'POST', url: '/mcp', header: () => undefined, headerNames: () => [] }
      const request = { head, reply: { watch: () => undefined, json: () => undefined } } as unknown as HttpRequest
      const passing = { request, principal: undefined, body: '{}' }
      const passed = await forwarder.pass(passing, 'here', address, async () => true)
      forwarder.close()
      return passed
    }
    expect([await pass(), served]).toEqual(['answered', ['/mcp']])
    // The door greets, since the first bytes name the key; what follows is of another connection.
    expect((await tell(door.url, Buffer.concat(recorded))).length).toBe(48)
    const length = Buffer.concat(recorded).length
    for (let altered = 0; altered < length; altered++) {
      alter = (chunk, at) => {
        if (altered >= at && altered < at + chunk.length) chunk[altered - at] = (chunk[altered - at] ?? 0) ^ 1
      }
      // A frame that seems longer is waited for; the others are closed.
      const isLength = altered >= 52 && altered < 56
      if (!isLength) expect(await pass()).not.toBe('answered')
    }
    expect(served).toEqual(['/mcp'])
    await new Promise((resolve) => between.close(resolve))
    await door.close()
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
    const kept = await cluster.store.get(prefix + toRowName(session.id))
    const poisons = [kept?.value ?? '', '{}', '{"owner":"","takeovers":0,"record":{"subscriptions":[]}}', 'AAAA', '"']
    for (const value of poisons) {
      const id = randomBytes(20).toString('hex')
      await cluster.store.write([{ key: prefix + toRowName(id), value }])
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
    const all = rows.map(({ key, value }) => key + value + Buffer.from(value, 'base64url').toString('latin1')).join()
    // Its id is all that it takes to use a session of nobody in particular.
    for (const word of ['ana-the-user', 'note:///', 'raw', session.id]) expect(all).not.toContain(word)
  })

  it('sec-686: neither does what goes over the bus, and what no replica said there is not heard', async () => {
    const said: string[] = []
    const own = createMemoryBus()
    const bus: Bus = {
      ...own,
      subscribe: (...given) => own.subscribe(...given),
      publish: (topic, text) => {
        said.push(topic + text + Buffer.from(text ?? '', 'base64url').toString('latin1'))
        return own.publish(topic, text)
      },
    }
    await start(2, { bus })
    const session = await openSession(urlOf(0))
    await replicaAt(0).crash()
    expect(await callTool(urlOf(1), session, 'where')).toBe(replicaAt(1).cluster.replica)
    expect(said.join()).not.toContain(session.id)
    const hostile = ['{"from":"x","change":{"kind":"tools"}}', '{}', 'null', '', '{', '"', 'AAAA']
    for (const text of hostile) {
      await cluster.bus.publish('cluster/portico/changes', text)
      await cluster.bus.publish(`cluster/portico/taken/${replicaAt(1).cluster.replica}`, text)
    }
    expect(await callTool(urlOf(1), session, 'where')).toBe(replicaAt(1).cluster.replica)
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

describe('rows that somebody else has written', () => {
  const LEASE_MS = 600
  const spoil = async (shelf: string, value: string | undefined): Promise<void> => {
    for (const { key } of await cluster.store.list(`cluster/portico/${shelf}/`, { limit: 100 })) {
      await cluster.store.write([value === undefined ? { key } : { key, value }])
    }
  }
  const served = async (session: Awaited<ReturnType<typeof openSession>>): Promise<void> => {
    await vi.waitFor(
      async () => {
        for (const { http } of cluster.replicas) expect((await ask(http.url, session, 'ping')).status).toBe(200)
      },
      { timeout: 20_000, interval: 20 },
    )
  }

  it.each([
    ['replica', 'garbage'],
    ['replica', undefined],
    ['session', 'garbage'],
    ['session', undefined],
  ])('sec-727: are written anew by whoever they are about: %s, %s', async (shelf, value) => {
    await start(3, { leaseMs: LEASE_MS })
    const session = await openSession(urlOf(0))
    await served(session)
    await spoil(shelf, value)
    // One that remembers nothing of where the session is.
    await cluster.add()
    await served(session)
    await vi.waitFor(async () => expect(await replicaAt(1).cluster.replicas()).toHaveLength(4), {
      timeout: 20_000,
      interval: 20,
    })
    // Nothing was read that spoils a later write.
    await served(await openSession(urlOf(2)))
    expect(cluster.replicas.every((one) => one.cluster.ready())).toBe(true)
  })
})
