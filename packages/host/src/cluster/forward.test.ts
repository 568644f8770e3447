/** What becomes of a request on its way to another replica: one that stands still, goes, is somebody else, or is not there. */

import { randomBytes } from 'node:crypto'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { HttpRequest } from '@portico/sdk/internal'
import { afterEach, describe, expect, it } from 'vitest'
import { type Door, openDoor } from './door.ts'
import { Forwarder, type Passed } from './forward.ts'
import type { HopRequest } from './hop-request.ts'
import { Seal } from './seal.ts'

const key = randomBytes(32)
const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const openOther = async (serve: (request: HopRequest) => void, name = 'other', keys = [key]): Promise<Door> => {
  // A machine that is busy with a large body comes late to the greeting.
  const door = await openDoor({ name, strangerMs: 600_000 }, new Seal(keys, 'hops'), serve)
  closing.push(() => door.close())
  return door
}

/** Something that listens and is no replica. */
const openStranger = async (greets: (socket: Socket) => void): Promise<string> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined))
    greets(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise((resolve) => server.close(resolve))
  })
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const createForwarder = (): Forwarder => {
  const forwarder = new Forwarder(new Seal([key], 'hops'))
  closing.push(() => forwarder.close())
  return forwarder
}

interface Answer {
  readonly passed: Passed
  readonly told: readonly unknown[]
}

const pass = async (forwarder: Forwarder, url: string, isThere = async () => true, body = '{}'): Promise<Answer> => {
  const told: unknown[] = []
  const head = { method: 'POST', url: '/mcp', header: () => undefined, headerNames: () => [] }
  const reply = { watch: () => undefined, json: (...words: unknown[]) => told.push(words) }
  // The rest of a request and a reply is not reached here.
  const request = { head, reply } as unknown as HttpRequest
  const passed = await forwarder.pass({ request, principal: undefined, body }, 'other', url, isThere)
  return { passed, told }
}

/** The others know the replica as gone when they look for the second time. */
const goneSoon = (): (() => Promise<boolean>) => {
  let looks = 0
  return async () => ++looks < 2
}

describe('a request that is passed on', () => {
  it('is answered, one after the other on one connection', async () => {
    let served = 0
    const { url } = await openOther((request) => request.taken(() => request.json(200, `{"at":${++served}}`)))
    const forwarder = createForwarder()
    for (const at of [1, 2, 3]) {
      expect(await pass(forwarder, url)).toEqual({ passed: 'answered', told: [[200, `{"at":${at}}`, undefined]] })
    }
  })

  it('may be as large as a body can be, and all of it quotes', async () => {
    const { url } = await openOther((request) =>
      request.read(0, undefined, (body) => request.json(200, `${body.kind === 'text' ? body.text.length : 0}`)),
    )
    const { told } = await pass(createForwarder(), url, async () => true, '"'.repeat(40_000_000))
    expect(told).toEqual([[200, '40000000', undefined]])
  })

  it('is ended when this replica closes, in use or not, and its connection is not kept', async () => {
    let taken = (): void => {}
    const isTaken = new Promise<void>((resolve) => {
      taken = resolve
    })
    const { url } = await openOther((request) => request.taken(taken))
    const forwarder = createForwarder()
    const passing = pass(forwarder, url)
    await isTaken
    forwarder.close()
    expect((await passing).passed).toBe('lost')
    expect((await pass(forwarder, url)).passed).toBe('unreachable')
  })

  it('is lost once the others know the replica as gone which has it, though its connection stays open', async () => {
    let taken = 0
    const { url } = await openOther(() => void taken++)
    expect((await pass(createForwarder(), url, goneSoon())).passed).toBe('lost')
    expect(taken).toBe(1)
  })

  it('was not sent where whoever listens never greets', async () => {
    const url = await openStranger(() => undefined)
    expect((await pass(createForwarder(), url, goneSoon())).passed).toBe('unreachable')
  })

  it('is lost if the replica breaks off after it has taken it, dropped if before, also on a connection that was idle', async () => {
    const { url } = await openOther((request) => request.taken(() => request.abort()))
    expect((await pass(createForwarder(), url)).passed).toBe('lost')
    let served = 0
    const other = await openOther((request) => (served++ === 0 ? request.json(200, '{}') : request.abort()))
    const forwarder = createForwarder()
    expect((await pass(forwarder, other.url)).passed).toBe('answered')
    expect((await pass(forwarder, other.url)).passed).toBe('dropped')
  })

  it('is not for a replica of another name, of another cluster, or for what is no replica', async () => {
    let served = 0
    const serve = (): void => void served++
    const named = await openOther(serve, 'another')
    expect((await pass(createForwarder(), named.url)).passed).toBe('moved')
    const foreign = await openOther(serve, 'other', [randomBytes(32)])
    expect((await pass(createForwarder(), foreign.url)).passed).toBe('dropped')
    const web = await openStranger((socket) =>
      socket.write('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
    )
    expect((await pass(createForwarder(), web)).passed).toBe('moved')
    expect(served).toBe(0)
  })

  it('is refused where nobody listens', async () => {
    const url = await openStranger(() => undefined)
    await Promise.all(closing.splice(0).map((close) => close()))
    expect((await pass(createForwarder(), url)).passed).toBe('refused')
  })
})
