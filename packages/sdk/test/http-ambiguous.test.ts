/** Requests that say twice who asks or for whom: what stands in front may have judged another one than is read here. */

import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { serveHttp } from '../src/serve/adapters/http.ts'
import { serveWebSocket } from '../src/serve/websocket/websocket.ts'
import { createServer } from '../src/server/server.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

interface Asked {
  readonly authorization: string | undefined
}

const WAYS = ['POST', 'GET', 'DELETE', 'OPTIONS', 'upgrade'] as const

async function ask(way: (typeof WAYS)[number], headers: readonly string[], dangerouslyAllowAnyHost = false) {
  const asked: Asked[] = []
  const options = {
    port: 0,
    dangerouslyAllowAnyHost,
    authenticate: (head: { header(name: string): string | undefined }) => {
      asked.push({ authorization: head.header('authorization') })
      return undefined
    },
  }
  const server = createServer({ name: 's', version: '1' })
  const served = way === 'upgrade' ? await serveWebSocket(server, options) : await serveHttp(server, options)
  closing.push(() => served.close())
  const socket = connect(Number(new URL(served.url).port), '127.0.0.1')
  const method = way === 'upgrade' ? 'GET' : way
  const upgrade = way === 'upgrade' ? ['Connection: Upgrade', 'Upgrade: websocket'] : ['Connection: close']
  socket.end([`${method} /mcp HTTP/1.1`, ...headers, ...upgrade, 'Content-Length: 0', '', ''].join('\r\n'))
  const status = Number((await text(socket)).split(' ')[1])
  return { status, asked }
}

const TWICE = [
  ['Host', ['Host: localhost', 'Host: evil.example']],
  ['Host in other letters', ['Host: localhost', 'hOST: localhost']],
  ['Authorization', ['Host: localhost', 'Authorization: Bearer a', 'Authorization: Bearer b']],
  ['Authorization in other letters', ['Host: localhost', 'authorization: Bearer a', 'AUTHORIZATION: Bearer a']],
] as const

describe.each(WAYS)('%s', (way) => {
  it.each(TWICE)(
    'with %s twice is answered 400, and nobody is asked who it is (attack 13, sec-246)',
    async (_, headers) => {
      expect(await ask(way, headers)).toEqual({ status: 400, asked: [] })
      expect(await ask(way, headers, true)).toEqual({ status: 400, asked: [] })
    },
  )

  it('with each of them once, and others twice, passes the guard (attack 13, sec-246)', async () => {
    const once = ['Host: localhost', 'Authorization: Bearer a', 'Forwarded: for=a', 'Forwarded: for=b']
    const { asked } = await ask(way, once)
    expect(asked).toEqual(way === 'OPTIONS' ? [] : [{ authorization: 'Bearer a' }])
  })
})
