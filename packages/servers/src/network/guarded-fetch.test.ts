import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGuardedFetch, type NetworkOptions } from './guarded-fetch.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

let handler: Handler = (_request, response) => void response.end('hello')
let seen: IncomingMessage[] = []
const service = createServer((request, response) => {
  seen.push(request)
  handler(request, response)
})
let port = 0
let base = ''

beforeAll(async () => {
  await new Promise<void>((done) => service.listen(0, '127.0.0.1', done))
  port = (service.address() as AddressInfo).port
  base = `http://127.0.0.1:${port}`
})

afterAll(() => {
  service.closeAllConnections()
  service.close()
})

function fetchWith(options: Partial<NetworkOptions> = {}) {
  seen = []
  return createGuardedFetch({
    timeoutMs: 5_000,
    maxBytes: 10_000,
    maxBytesOption: 'maxBytes',
    allowPrivate: [`127.0.0.1:${port}`],
    ...options,
  })
}

describe('sec-92: addresses that lead inward are refused in every spelling', () => {
  const spellings = [
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0177.0.0.1/',
    'http://0x7f.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://017700000001/',
    'http://0/',
    'http://0.0.0.0/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://x.localhost/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://100.100.100.200/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://168.63.129.16/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::]/',
    'http://[::1]/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://[::ffff:168.63.129.16]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://example.com@127.0.0.1/',
    'http://user:secret@example.com/',
    'http://example.com:22/',
    'http://example.com:25/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:6379/_INFO',
    'data:text/plain,x',
    'javascript:alert(1)',
    'not an address',
  ]
  it.each(spellings)('%s', async (url) => {
    const resolve = async () => [{ address: '127.0.0.1', family: 4 }]
    const reason = /address|Only http|user name|Port/
    await expect(fetchWith({ resolve })(url)).rejects.toThrow(reason)
    expect(seen).toEqual([])
  })

  const answers = ['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', 'fd00::1', '::ffff:192.168.0.1', '0.0.0.0']
  it.each(answers)('a name that resolves to %s', async (address) => {
    const resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address, family: address.includes(':') ? 6 : 4 },
    ]
    await expect(fetchWith({ resolve })(`http://inward.example:${port}/`)).rejects.toThrow(/which is not fetched/)
  })

  it('a name is looked up once, and the socket goes to what was judged', async () => {
    const answersOf = [[{ address: '127.0.0.1', family: 4 }], [{ address: '10.0.0.1', family: 4 }]]
    let asked = 0
    const resolve = async () => answersOf[asked++] ?? []
    const fetch = fetchWith({ resolve, allowPrivate: [`rebinding.example:${port}`] })
    const answer = await fetch(`http://rebinding.example:${port}/`)
    expect(new TextDecoder().decode(answer.body)).toBe('hello')
    expect(asked).toBe(1)
  })

  it('a named host may not resolve to link-local or unspecified addresses', async () => {
    for (const address of ['169.254.169.254', '0.0.0.0']) {
      const fetch = fetchWith({ resolve: async () => [{ address, family: 4 }], allowPrivate: ['named.example:80'] })
      await expect(fetch('http://named.example/')).rejects.toThrow(/which is not fetched/)
    }
  })

  it('allowPrivate names one port only, and must name one', async () => {
    const fetch = fetchWith({ allowPrivate: ['127.0.0.1:1'] })
    await expect(fetch(base)).rejects.toThrow(`allowPrivate "127.0.0.1:${port}"`)
    for (const entry of ['127.0.0.1', '*', 'a:b', 'a:1/x', '']) {
      expect(() => fetchWith({ allowPrivate: [entry] })).toThrow(/host:port/)
    }
  })
})

describe('sec-92: redirects are judged hop by hop', () => {
  it.each(['http://169.254.169.254/', 'http://[::1]:8080/', 'file:///etc/passwd', '//localhost:8080/'])(
    'to %s',
    async (location) => {
      handler = (_request, response) => response.writeHead(302, { location }).end()
      await expect(fetchWith()(base, { redirects: 'follow' })).rejects.toThrow(/which is not fetched|Only http/)
      expect(seen.length).toBe(1)
    },
  )

  it('stay on their origin unless asked to follow, and end', async () => {
    handler = (_request, response) => response.writeHead(302, { location: 'https://example.com/' }).end()
    await expect(fetchWith()(base)).rejects.toThrow(/redirects to example.com/)
    handler = (_request, response) => response.writeHead(302, { location: '/again' }).end()
    await expect(fetchWith()(base)).rejects.toThrow(/more than 5 times/)
    expect(seen.length).toBe(6)
  })

  it('secrets go to the first origin only; what writes is not repeated', async () => {
    const other = `http://localhost:${port}`
    handler = (request, response) =>
      request.url === '/' ? response.writeHead(307, { location: `${other}/next` }).end() : response.end('ok')
    const fetch = fetchWith({
      allowPrivate: [`127.0.0.1:${port}`, `localhost:${port}`],
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    })
    const answer = await fetch(base, { redirects: 'follow', secretHeaders: { authorization: 'Bearer s3cret' } })
    expect(answer.url.href).toBe(`${other}/next`)
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer s3cret', undefined])
    const posted = await fetch(base, { method: 'POST', body: 'x', redirects: 'follow' })
    expect(posted.status).toBe(307)
  })
})

describe('size and time are bounded', () => {
  it.each([
    ['plain', (bytes: Buffer) => bytes, undefined],
    ['gzip', gzipSync, 'gzip'],
    ['deflate', deflateSync, 'deflate'],
    ['brotli', brotliCompressSync, 'br'],
  ])('%s: counted after decompression, at the limit and above', async (_name, pack, coding) => {
    for (const [size, fits] of [
      [10_000, true],
      [10_001, false],
      [5_000_000, false],
    ] as const) {
      const body = pack(Buffer.alloc(size, 'a'))
      // Without a length, so that only counting can tell.
      handler = (_request, response) => {
        if (coding !== undefined) response.setHeader('content-encoding', coding)
        response.write(body)
        response.end()
      }
      const answer = fetchWith()(base)
      if (fits) expect((await answer).body.length).toBe(size)
      else await expect(answer).rejects.toThrow(/option maxBytes/)
    }
  })

  it('unknown and nested compressions are refused', async () => {
    for (const coding of ['zstd', 'gzip, gzip']) {
      handler = (_request, response) => response.setHeader('content-encoding', coding).end('x')
      await expect(fetchWith()(base)).rejects.toThrow(/not read here/)
    }
  })

  it('the length that HEAD is told does not count', async () => {
    handler = (_request, response) => response.writeHead(200, { 'content-length': '999999999' }).end()
    expect((await fetchWith()(base, { method: 'HEAD' })).body.length).toBe(0)
  })

  it('an answer that never ends is left after timeoutMs', async () => {
    handler = (_request, response) => void response.write('a')
    await expect(fetchWith({ timeoutMs: 100 })(base)).rejects.toThrow(/option timeoutMs/)
  })

  it('a caller that cancels is heard', async () => {
    const caller = new AbortController()
    handler = () => caller.abort()
    await expect(fetchWith()(base, { signal: caller.signal })).rejects.toThrow(/cancelled/)
  })
})
