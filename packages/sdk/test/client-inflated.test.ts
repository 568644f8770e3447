/** Compressed answers that unpack to far more than a client takes: what is counted is what comes out, as it comes. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { connect } from '../src/connect/connect.ts'

const TOTAL = 100_000_000
const SPACES = gzipSync(Buffer.alloc(TOTAL, ' '))
const COMMENTS = gzipSync(Buffer.alloc(TOTAL, ':\n'))
const BLANKS = gzipSync(Buffer.alloc(TOTAL, '\n'))
const IDS = gzipSync(Buffer.alloc(TOTAL, 'id:1\n\n'))

const ANSWERS = [
  ['JSON', 200, 'application/json', SPACES],
  ['an error', 500, 'application/json', SPACES],
  ['a refusal', 404, 'text/plain', SPACES],
  ['one event', 200, 'text/event-stream', SPACES],
  ['comments', 200, 'text/event-stream', COMMENTS],
  ['blank lines', 200, 'text/event-stream', BLANKS],
  ['events without data', 200, 'text/event-stream', IDS],
] as const

describe('an answer that is small until it is unpacked', () => {
  it.each(ANSWERS)('as %s is given up at the bound (attack 14, sec-247)', async (_, status, type, body) => {
    const node = createServer((req, res) => {
      req.resume()
      res.writeHead(status, { 'content-type': type, 'content-encoding': 'gzip' }).end(body)
    })
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
    let unpacked = 0
    let answers = 0
    const counting = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init)
      answers++
      const count = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          unpacked += chunk.length
          controller.enqueue(chunk)
        },
      })
      const { headers } = response
      return new Response(response.body?.pipeThrough(count), { status: response.status, headers })
    }
    // A server that listens on a port has an address of this form.
    const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}/mcp`
    const limits = { maxAnswerBytes: 1_000_000 }
    await expect(connect(url, { fetch: counting, negotiations: false, limits })).rejects.toThrow()
    expect(unpacked).toBeLessThan(answers * 24_000_000)
    node.closeAllConnections()
    node.close()
  })
})
