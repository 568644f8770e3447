/**
 * HTTP requests as bytes on a socket, into a server that listens: odd heads, odd bodies, headers of the protocol that
 * lie, several requests on one connection. What comes back is HTTP, and the next honest request is answered.
 */

import { connect } from 'node:net'
import fc from 'fast-check'
import { serveHttp } from '../../../packages/sdk/src/serve/adapters/http.ts'
import { createSubject, METHODS, VERSIONS } from '../subject.ts'
import { demand, opened, type Target } from '../target.ts'
import { anyJson, anyText } from '../words.ts'

const token = fc.oneof(
  fc.constantFrom('GET', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'HEAD', 'PATCH', 'TRACE', 'CONNECT', 'PRI', 'get'),
  anyText,
)
const path = fc.oneof(
  { weight: 6, arbitrary: fc.constant('/mcp') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '/sse',
      '/messages?session=00',
      '/mcp?session=a',
      '/healthz',
      '*',
      '//',
      '/mcp#x',
      'http://evil/mcp',
      '/.well-known/oauth-protected-resource',
    ),
  },
  { weight: 1, arbitrary: anyText },
)
const value = fc.oneof(
  anyText,
  fc.constantFrom('=?base64?w6k=?=', '=?base64?!?=', '=?BASE64?YQ==?=', '\t', 'a'.repeat(9000)),
)
const header = fc.oneof(
  fc.tuple(
    fc.constantFrom('Mcp-Protocol-Version', 'mcp-protocol-version'),
    fc.oneof(fc.constantFrom<string>(...VERSIONS), value),
  ),
  fc.tuple(fc.constant('Mcp-Method'), fc.oneof(fc.constantFrom<string>(...METHODS), value)),
  fc.tuple(
    fc.constantFrom(
      'Mcp-Name',
      'Mcp-Session-Id',
      'Last-Event-ID',
      'Mcp-Param-X',
      'Authorization',
      'X',
      '__proto__',
      'constructor',
    ),
    value,
  ),
  fc.tuple(
    fc.constantFrom(
      'Origin',
      'Host',
      'Accept',
      'Content-Type',
      'Content-Encoding',
      'Content-Length',
      'Transfer-Encoding',
      'Expect',
      'Connection',
      'Upgrade',
    ),
    fc.oneof(
      value,
      fc.constantFrom(
        'null',
        'http://evil.example',
        'text/event-stream',
        'application/json',
        'gzip',
        '-1',
        '99999999999',
        'chunked',
        '100-continue',
        'close',
        'websocket',
        'h2c',
      ),
    ),
  ),
)
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const body = fc.oneof(
  fc
    .record({
      jsonrpc: fc.constant('2.0'),
      id: fc.nat(9),
      method: fc.constantFrom<string>(...METHODS),
      params: fc.oneof(fc.constant({ _meta: meta, name: 'echo', arguments: { text: 'x' } }), anyJson),
    })
    .map((one) => JSON.stringify(one)),
  anyJson.map((one) => JSON.stringify(one) ?? ''),
  anyText,
)
const request = fc
  .record({
    method: fc.oneof({ weight: 4, arbitrary: fc.constant('POST') }, { weight: 2, arbitrary: token }),
    path,
    honest: fc.boolean(),
    headers: fc.array(header, { maxLength: 5 }),
    body,
    ending: fc.constantFrom('\r\n', '\r\n', '\r\n', '\n'),
  })
  .map((one) => {
    const length = Buffer.byteLength(one.body)
    const own = one.honest
      ? [
          ['Host', 'localhost'],
          ['Content-Type', 'application/json'],
          ['Accept', 'application/json, text/event-stream'],
          ['Content-Length', String(length)],
        ]
      : []
    const lines = [...own, ...one.headers].map((pair) => pair.join(': '))
    return [`${one.method} ${one.path} HTTP/1.1`, ...lines, '', one.body].join(one.ending)
  })

export const http: Target = {
  name: 'http',
  about: 'HTTP requests as bytes into a listening server',
  async open() {
    const server = await serveHttp(createSubject(), { port: 0, graceMs: 100, limits: { headersTimeoutMs: 1000 } })
    let count = 0
    return opened({
      arbitrary: fc.oneof(
        {
          weight: 6,
          arbitrary: fc.array(request, { minLength: 1, maxLength: 3 }).map((parts) => Buffer.from(parts.join(''))),
        },
        { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
      ),
      async run(bytes) {
        const answer = await converse(server.port, bytes)
        demand(answer === '' || answer.startsWith('HTTP/1.1 '), `the answer is no HTTP: ${answer.slice(0, 40)}`)
        if (count++ % 50 === 0) {
          demand((await fetch(server.url, HONEST)).status === 200, 'an honest request is not answered any more')
        }
      },
      close: () => server.close(),
    })
  },
}

const HONEST = {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/list',
  },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }),
}

/** Sends the bytes and ends; some answers, event streams among them, would stay open for longer than anybody waits. */
function converse(port: number, bytes: Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    let quiet: ReturnType<typeof setTimeout> | undefined
    const leave = (): void => {
      socket.destroy()
    }
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      answer += chunk
      clearTimeout(quiet)
      quiet = setTimeout(leave, 20)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(quiet)
      resolve(answer)
    })
    quiet = setTimeout(leave, 50)
    socket.end(bytes)
  })
}
