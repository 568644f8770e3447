/**
 * A stand-in for a MongoDB server, as far as the wire goes: OP_MSG (and the OP_QUERY that a driver greets with) over TCP, with
 * the driver's own BSON. It keeps documents in memory, knows equality, refuses to write as MongoDB does for the role `read`, and
 * remembers every command that it was sent. Of the collection `flood` it sends all, whatever the limit.
 */

import { createServer, type Server, type Socket } from 'node:net'
import { BSON, type Document } from 'mongodb'

export interface MongoService {
  readonly url: string
  /** Commands as they came, but for those by which a driver keeps its connections. */
  readonly asked: Document[]
  /** What `connectionStatus` tells of the user. */
  authInfo: Document
  close(): Promise<void>
}

interface MongoData {
  readonly [collection: string]: readonly Document[]
}

const HEADER = 16
const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013]
const KEEPING = new Set(['hello', 'ismaster', 'ping', 'endsessions', 'connectionstatus'])

export const READER: Document = {
  authenticatedUsers: [{ user: 'reader', db: 'shop' }],
  authenticatedUserPrivileges: [{ resource: { db: 'shop', collection: '' }, actions: ['find', 'listCollections'] }],
}

const UNAUTHORIZED = { ok: 0, code: 13, codeName: 'Unauthorized', errmsg: 'not authorized on shop' }

export async function startMongoService(data: MongoData): Promise<MongoService> {
  const sockets = new Set<Socket>()
  const asked: Document[] = []
  const service = { asked, authInfo: READER }
  const answer = (command: Document): Document | undefined => answerTo(command, data, service)
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let pending = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk])
      while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
        const length = pending.readInt32LE(0)
        reply(socket, pending.subarray(0, length), answer)
        pending = pending.subarray(length)
      }
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  return Object.assign(service, {
    url: `mongodb://127.0.0.1:${port}/shop`,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((done) => server.close(() => done()))
    },
  })
}

function reply(socket: Socket, message: Buffer, answer: (command: Document) => Document | undefined): void {
  const [id, operation] = [message.readInt32LE(4), message.readInt32LE(12)]
  if (operation === OP_QUERY) {
    const end = message.indexOf(0, HEADER + 4)
    const document = BSON.serialize(answer(BSON.deserialize(message.subarray(end + 9))) ?? { ok: 0 })
    const head = Buffer.alloc(20)
    head.writeInt32LE(1, 16)
    socket.write(frame(id, OP_REPLY, [head, document]))
    return
  }
  // Flags, then one section of kind 0 with the command; that is all that reading commands have.
  const command = BSON.deserialize(message.subarray(HEADER + 5, HEADER + 5 + message.readInt32LE(HEADER + 5)))
  const answered = answer(command)
  // Some are never answered: whoever asked has to give up.
  if (answered !== undefined) socket.write(frame(id, OP_MSG, [Buffer.alloc(5), BSON.serialize(answered)]))
}

function frame(to: number, operation: number, parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(HEADER)
  head.writeInt32LE(HEADER + body.length, 0)
  head.writeInt32LE(to, 8)
  head.writeInt32LE(operation, 12)
  return Buffer.concat([head, body])
}

function answerTo(
  command: Document,
  data: MongoData,
  service: { readonly asked: Document[]; readonly authInfo: Document },
): Document | undefined {
  const [name = '', target] = Object.entries(command)[0] ?? []
  if (!KEEPING.has(name.toLowerCase())) service.asked.push(command)
  const documents = data[String(target)] ?? []
  switch (name.toLowerCase()) {
    case 'hello':
    case 'ismaster':
      return { ok: 1, ismaster: true, isWritablePrimary: true, helloOk: true, maxWireVersion: 25, minWireVersion: 0 }
    case 'connectionstatus':
      return { ok: 1, authInfo: service.authInfo }
    case 'listcollections':
      return cursor(
        '$cmd.listCollections',
        Object.keys(data).map((one) => ({ name: one, type: 'collection' })),
      )
    case 'listindexes':
      return cursor(String(target), [{ v: 2, key: { _id: 1 }, name: '_id_' }])
    case 'find': {
      const { filter = {}, skip = 0, limit = 0 } = command
      if ('forever' in filter) return undefined
      if ('stuck' in filter) return cursor(String(target), [], STUCK)
      if ('broken' in filter) return { ok: 0, code: 2, errmsg: 'bad\u202e value' }
      if ('expired' in filter) return { ok: 0, code: 50, errmsg: 'operation exceeded time limit' }
      const found = documents.filter((one) => fits(one, filter))
      if (target === 'flood') return cursor(target, documents)
      return cursor(String(target), found.slice(skip, limit === 0 ? undefined : skip + limit))
    }
    case 'aggregate': {
      if (command.pipeline.some((stage: Document) => '$out' in stage || '$merge' in stage)) return UNAUTHORIZED
      const match = command.pipeline.find((stage: Document) => '$match' in stage)?.$match ?? {}
      return cursor(
        String(target),
        documents.filter((one) => fits(one, match)),
      )
    }
    // More of it never comes, nor a word that it was given up.
    case 'getmore':
    case 'killcursors':
      return undefined
    case 'explain':
      return { ok: 1, queryPlanner: { winningPlan: { stage: 'IXSCAN', indexName: 'by_state' } } }
    case 'insert':
    case 'update':
    case 'delete':
    case 'create':
    case 'drop':
      return UNAUTHORIZED
    default:
      return { ok: 1 }
  }
}

function fits(document: Document, filter: Document): boolean {
  return Object.entries(filter).every(([name, value]) => String(document[name]) === String(value))
}

const STUCK = BSON.Long.fromNumber(7)

function cursor(collection: string, firstBatch: readonly Document[], id = BSON.Long.ZERO): Document {
  return { ok: 1, cursor: { id, ns: `shop.${collection}`, firstBatch } }
}
