/**
 * What every `Reply` and the `HttpRequest` around it must do between the serving code and a real client: the answer arrives as
 * it was given, a stream as it is written, and who goes away is told of once.
 */

import { Receiving } from '../framing/receiving.ts'
import type { Body, HttpRequest } from '../serve/streamable/http-request.ts'
import type { StreamEvents } from '../transport/http-reply.ts'
import { type ContractCase, eventually, expect, expectEqual, inTime } from './contract.ts'

/** What a body can be made of: known at once, or in pieces. */
export type Sent = string | Uint8Array | ReadableStream<Uint8Array>

/** A request on its way: the server's side of it, and the client's. */
export interface ContractExchange {
  readonly request: HttpRequest
  readonly response: Promise<Response>
  /** The client goes away. */
  leave(): void
}

/** A place that requests reach. */
export interface ContractDoor {
  send(body: Sent, headers?: { readonly [name: string]: string }): Promise<ContractExchange>
  close(): Promise<void>
}

const LIMITS = { maxReceivingBytes: 1 << 20, maxReceivingBytesPerPeer: 1 << 20 }
const MAX_BYTES = 200_000

/** The cases of a reply. `make` gives a fresh door. */
export function replyContract(make: () => Promise<ContractDoor>): ContractCase[] {
  const withDoor = (name: string, body: (door: ContractDoor) => Promise<void>): ContractCase => ({
    name,
    run: async () => {
      const door = await make()
      await inTime(body(door), name).finally(() => door.close())
    },
  })
  return [
    ...answerCases(withDoor),
    ...streamCases(withDoor),
    ...brokenCases(withDoor),
    ...watchCases(withDoor),
    ...bodyCases().map(([name, sent, expected]) =>
      withDoor(name, async (door) => {
        const { request, response } = await door.send(sent)
        const read = await bodyOf(request)
        request.reply.empty(202)
        await response
        expectEqual(read, expected)
      }),
    ),
  ]
}

type Cases = (withDoor: (name: string, body: (door: ContractDoor) => Promise<void>) => ContractCase) => ContractCase[]

const answerCases: Cases = (withDoor) => [
  withDoor('answers with JSON, its headers and those of every answer', async (door) => {
    const { request, response } = await door.send('{}')
    request.reply.always(['x-always', 'yes'])
    request.reply.json(400, '{"a":"ä"}', ['x-own', 'too'])
    const answer = await response
    const { headers } = answer
    expectEqual([answer.status, await answer.text()], [400, '{"a":"ä"}'])
    expectEqual([headers.get('content-type'), headers.get('x-always'), headers.get('x-own')], [JSON_TYPE, 'yes', 'too'])
  }),
  withDoor('answers with a long text whole', async (door) => {
    const { request, response } = await door.send('{}')
    const text = JSON.stringify('ö'.repeat(1_000_000))
    request.reply.json(200, text)
    expect((await (await response).text()) === text, 'the text is another')
  }),
  ...[202, 204, 404].map((status) =>
    withDoor(`answers ${status} without a body`, async (door) => {
      const { request, response } = await door.send('{}')
      request.reply.empty(status, ['x-own', 'too'])
      const answer = await response
      expectEqual([answer.status, await answer.text(), answer.headers.get('x-own')], [status, '', 'too'])
    }),
  ),
]

const streamCases: Cases = (withDoor) => [
  withDoor('passes on each piece of a stream as it is written, and its end', async (door) => {
    const { request, response } = await door.send('{}')
    const writer = request.reply.stream(['content-type', 'text/event-stream'])
    const heard = listen()
    writer.open(heard)
    const answer = await response
    expectEqual([answer.status, answer.headers.get('content-type')], [200, 'text/event-stream'])
    const reader = readerOf(answer)
    for (const piece of ['one', 'zwei ü', 'three']) {
      writer.write(piece)
      expectEqual(await reader.text(piece.length), piece)
    }
    writer.end()
    expectEqual(await reader.text(1), '')
    await eventually(async () => heard.ends === 1)
    // Neither throws once it is over.
    writer.write('late')
    writer.end()
    writer.abort()
    expectEqual(heard.ends, 1)
  }),
  withDoor('asks to wait for a reader that does not read, and says when it went on', async (door) => {
    const { request, response } = await door.send('{}')
    const writer = request.reply.stream()
    const heard = listen()
    writer.open(heard)
    const answer = await response
    const piece = 'x'.repeat(100_000)
    let written = 0
    do written += piece.length
    while (writer.write(piece) && written < MOST)
    expect(written < MOST, 'nothing asked to wait')
    const reader = readerOf(answer)
    expectEqual((await reader.text(written)).length, written)
    await eventually(async () => heard.drains > 0)
    writer.end()
  }),
]

const brokenCases: Cases = (withDoor) => [
  withDoor('drops a stream that is aborted: the client sees no proper end', async (door) => {
    const { request, response } = await door.send('{}')
    const writer = request.reply.stream()
    const heard = listen()
    writer.open(heard)
    const answer = await response
    writer.write('begun')
    writer.abort()
    const failed = await readerOf(answer)
      .text(100)
      .then(
        () => false,
        () => true,
      )
    expect(failed, 'it ended like one that is complete')
    await eventually(async () => heard.ends === 1)
  }),
  withDoor('tells a stream once that its reader is gone', async (door) => {
    const { request, response, leave } = await door.send('{}')
    const writer = request.reply.stream()
    const heard = listen()
    writer.open(heard)
    await response
    leave()
    await eventually(async () => heard.ends === 1)
    writer.write('to nobody')
    writer.end()
    expectEqual(heard.ends, 1)
  }),
]

const watchCases: Cases = (withDoor) => [
  withDoor('tells that the client went away before the answer', async (door) => {
    const { request, response, leave } = await door.send('{}')
    await bodyOf(request)
    let gone = 0
    request.reply.watch({ gone: () => void gone++ })
    response.catch(() => {})
    leave()
    await eventually(async () => gone === 1)
    request.reply.json(200, '{}')
    expectEqual(gone, 1)
  }),
  withDoor('says nothing of a client that has its answer', async (door) => {
    const { request, response, leave } = await door.send('{}')
    let gone = 0
    request.reply.watch({ gone: () => void gone++ })
    request.reply.json(200, '{}')
    await (await response).text()
    leave()
    const next = await door.send('{}')
    next.request.reply.empty(202)
    await next.response
    expectEqual(gone, 0)
  }),
]

const JSON_TYPE = 'application/json'
const MOST = 200_000_000

type BodyCase = readonly [name: string, sent: Sent, expected: Body]

function bodyCases(): readonly BodyCase[] {
  const long = 'ä'.repeat(MAX_BYTES / 2)
  const inPieces = (text: string) => new Blob([text]).stream() as ReadableStream<Uint8Array>
  return [
    ['reads a body', '{"ä":1}', { kind: 'text', text: '{"ä":1}' }],
    ['reads no body as an empty one', '', { kind: 'text', text: '' }],
    ['reads a body of the size that is allowed', long, { kind: 'text', text: long }],
    ['reads one of unknown length', inPieces(long), { kind: 'text', text: long }],
    ['refuses a body that is too large', `${long}x`, { kind: 'too-large' }],
    ['refuses one of unknown length that is too large', inPieces(`${long}x`), { kind: 'too-large' }],
    ['refuses what is no UTF-8', new Uint8Array([0x22, 0xc3, 0x22]), { kind: 'not-utf8' }],
  ]
}

function bodyOf(request: HttpRequest): Promise<Body> {
  return new Promise((resolve) => request.read(MAX_BYTES, () => new Receiving(LIMITS, 'peer'), resolve))
}

function listen(): StreamEvents & { ends: number; drains: number } {
  return {
    ends: 0,
    drains: 0,
    drained() {
      this.drains++
    },
    closed() {
      this.ends++
    },
  }
}

/** Reads so many characters of a stream, or what there is at its end. */
function readerOf(answer: Response): { text(length: number): Promise<string> } {
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let held = ''
  return {
    async text(length) {
      while (held.length < length) {
        const { done = true, value = '' } = (await reader?.read()) ?? {}
        if (done) break
        held += value
      }
      const text = held.slice(0, length)
      held = held.slice(length)
      return text
    },
  }
}
