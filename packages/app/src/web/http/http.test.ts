import { request } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { Refused, toFailure } from './failure.ts'
import { serveWeb, WEB_LIMITS, type WebOptions, type WebServer } from './http.ts'
import { createNonce, prove } from './link-proof.ts'

let web: WebServer | undefined
afterEach(async () => web?.close())

const PAGE = Buffer.from(`<!doctype html>${'x'.repeat(2_000)}`)

async function start(options: Partial<WebOptions> = {}): Promise<{ web: WebServer; host: string }> {
  web = await serveWeb({
    files: new Map([
      ['/index.html', { bytes: PAGE, gzip: Buffer.from('packed'), type: 'text/html; charset=utf-8', immutable: false }],
      ['/assets/a-1234.js', { bytes: Buffer.from('1'), type: 'text/javascript', immutable: true }],
    ]),
    answer: async (method, params) => {
      if (method === 'refuse') throw new Refused(409, { code: 'no', message: 'No.', remedy: 'Try later.' })
      return { method, params }
    },
    toFailure,
    ...options,
  })
  return { web, host: new URL(web.origin).host }
}

interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly body: string
}

/** Not `fetch`: that does not let one lie about host and origin. */
function send(
  origin: string,
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: { [name: string]: string }; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(origin), { path, method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

async function admit({ origin, link }: WebServer): Promise<string> {
  const { search } = new URL(link())
  const { headers } = await send(origin, `/${search}`)
  return String(headers['set-cookie']).split(';')[0] ?? ''
}

const JSON_TYPE = { 'content-type': 'application/json' }

describe('whoever opens the link', () => {
  it('is let in once, with a cookie that scripts and other sites cannot use, and a clean address', async () => {
    const { web } = await start()
    const { search } = new URL(web.link())
    const first = await send(web.origin, `/${search}`)
    expect(first.status).toBe(303)
    expect(first.headers.location).toBe('/')
    expect(String(first.headers['set-cookie'])).toMatch(
      /^portico_session_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Max-Age=604800$/,
    )
    const second = await send(web.origin, `/${search}`)
    expect(second.status).toBe(403)
    expect(second.headers['set-cookie']).toBeUndefined()
    expect(second.body).toContain('prints a new link')
  })

  it('can ask and listen from then on', async () => {
    const { web } = await start()
    const cookie = await admit(web)
    const asked = await send(web.origin, '/api/some.method', {
      method: 'POST',
      headers: { cookie, origin: web.origin, ...JSON_TYPE },
      body: '{"a":1}',
    })
    expect(JSON.parse(asked.body)).toEqual({ method: 'some.method', params: { a: 1 } })
    const refused = await send(web.origin, '/api/refuse', {
      method: 'POST',
      headers: { cookie, origin: web.origin, ...JSON_TYPE },
      body: '{}',
    })
    expect([refused.status, JSON.parse(refused.body)]).toEqual([
      409,
      { code: 'no', message: 'No.', remedy: 'Try later.' },
    ])
  })

  it('is not confused by a look that only asks for the head', async () => {
    const { web } = await start()
    const { search } = new URL(web.link())
    expect((await send(web.origin, `/${search}`, { method: 'HEAD' })).status).toBe(200)
    expect((await send(web.origin, `/${search}`)).status).toBe(303)
  })
})

describe('is refused before any method runs', () => {
  const post = { method: 'POST', body: '{}' }
  it.each([
    ['no cookie', 401, (origin: string) => ({ origin, ...JSON_TYPE })],
    ['a made-up cookie', 401, (origin: string) => ({ origin, cookie: 'portico_session=abc', ...JSON_TYPE })],
    [
      'a foreign origin (sec-1, sec-2)',
      403,
      (_: string, cookie: string) => ({ origin: 'https://evil.example', cookie, ...JSON_TYPE }),
    ],
    ['the origin null', 403, (_: string, cookie: string) => ({ origin: 'null', cookie, ...JSON_TYPE })],
    [
      'a name that begins like ours',
      403,
      (origin: string, cookie: string) => ({ origin: `${origin}.evil.example`, cookie, ...JSON_TYPE }),
    ],
    [
      'another port of this machine',
      403,
      (_: string, cookie: string) => ({ origin: 'http://127.0.0.1:1', cookie, ...JSON_TYPE }),
    ],
    ['no origin at all', 403, (_: string, cookie: string) => ({ cookie, ...JSON_TYPE })],
    [
      'a form of another page',
      415,
      (origin: string, cookie: string) => ({ origin, cookie, 'content-type': 'text/plain' }),
    ],
    [
      'a request that the browser says is cross-site',
      403,
      (origin: string, cookie: string) => ({ origin, cookie, 'sec-fetch-site': 'cross-site', ...JSON_TYPE }),
    ],
    [
      'a name that was rebound to this machine (sec-1)',
      421,
      (origin: string, cookie: string) => ({ host: 'evil.example', origin, cookie, ...JSON_TYPE }),
    ],
  ])('%s', async (_name, status, headersOf) => {
    let ran = false
    const { web } = await start({
      answer: async () => {
        ran = true
      },
    })
    const cookie = await admit(web)
    const answer = await send(web.origin, '/api/x', { ...post, headers: headersOf(web.origin, cookie) })
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body).remedy).toBeTruthy()
    expect(ran).toBe(false)
  })

  it.each([
    ['without a cookie', 401, () => ({})],
    ['from another page', 403, (cookie: string) => ({ cookie, 'sec-fetch-site': 'cross-site' })],
    ['from a foreign origin', 403, (cookie: string) => ({ cookie, origin: 'https://evil.example' })],
    ['under a foreign name', 421, (cookie: string) => ({ cookie, host: 'evil.example:80' })],
  ])('a stream of events %s', async (_name, status, headersOf) => {
    const { web } = await start()
    const cookie = await admit(web)
    expect((await send(web.origin, '/api/events', { headers: headersOf(cookie) })).status).toBe(status)
    expect(web.pages).toBe(0)
  })

  it('the page itself under a foreign name, so that nothing is rebound', async () => {
    const { web } = await start()
    expect((await send(web.origin, '/', { headers: { host: 'evil.example' } })).status).toBe(421)
  })
})

it('says on every answer what the page may do (sec-98)', async () => {
  const { web } = await start()
  for (const path of ['/', '/assets/a-1234.js', '/nothing', '/api/x']) {
    const { headers } = await send(web.origin, path)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'self'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/script-src[^;]*unsafe/)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    })
  }
})

describe('files of the page', () => {
  it('are packed for those who can unpack, and kept where their names change with them', async () => {
    const { web } = await start()
    expect((await send(web.origin, '/')).body).toHaveLength(PAGE.length)
    const packed = await send(web.origin, '/', { headers: { 'accept-encoding': 'br, gzip' } })
    expect([packed.body, packed.headers['content-encoding']]).toEqual(['packed', 'gzip'])
    expect(packed.headers['cache-control']).toBe('no-cache')
    expect((await send(web.origin, '/assets/a-1234.js')).headers['cache-control']).toContain('immutable')
  })

  it.each([
    '/../package.json',
    '/..%2f..%2fpackage.json',
    '/assets/../../etc/passwd',
    '//etc/passwd',
    '/%00',
    '/index.html/',
    'http://x/y',
  ])('do not include %s', async (path) => {
    const { web } = await start()
    expect((await send(web.origin, path)).status).toBe(404)
  })

  it('are not there yet: that is said', async () => {
    const { web } = await start({ files: new Map() })
    const { status, body } = await send(web.origin, '/')
    expect([status, body.includes('not built')]).toEqual([503, true])
  })
})

it.each([
  ['one byte less than the most', -1, 200],
  ['the most', 0, 200],
  ['one byte more', 1, 413],
])('takes a body of %s', async (_name, more, status) => {
  const { web } = await start()
  const cookie = await admit(web)
  const body = JSON.stringify('x'.repeat(WEB_LIMITS.maxBodyBytes - 2 + more))
  const headers = { cookie, origin: web.origin, ...JSON_TYPE }
  expect((await send(web.origin, '/api/x', { method: 'POST', headers, body })).status).toBe(status)
})

it('answers what is no JSON in one line', async () => {
  const { web } = await start()
  const headers = { cookie: await admit(web), origin: web.origin, ...JSON_TYPE }
  const { status, body } = await send(web.origin, '/api/x', { method: 'POST', headers, body: '{' })
  expect([status, JSON.parse(body)]).toEqual([400, { code: 'bad-request', message: 'The body is not JSON' }])
})

describe('another link', () => {
  const linkKey = 'k'.repeat(43)
  const asker = createNonce()

  async function begin(web: WebServer): Promise<{ readonly nonce: string; readonly proof: string }> {
    return JSON.parse((await send(web.origin, '/link', { method: 'POST', headers: { 'x-portico-nonce': asker } })).body)
  }

  function finish(web: WebServer, nonce: string, more: { [name: string]: string } = {}, key = linkKey) {
    const proof = prove('asker', key, { origin: web.origin, asker, workbench: nonce })
    const headers = { 'x-portico-nonce': asker, 'x-portico-challenge': nonce, 'x-portico-proof': proof, ...more }
    return send(web.origin, '/link', { method: 'POST', headers })
  }

  it('is given once to whoever proves to have the key, and works (sec-289)', async () => {
    const { web } = await start({ linkKey })
    const { nonce, proof } = await begin(web)
    expect(proof).toBe(prove('workbench', linkKey, { origin: web.origin, asker, workbench: nonce }))
    const { token } = JSON.parse((await finish(web, nonce)).body)
    expect((await send(web.origin, `/?token=${token}`)).status).toBe(303)
    expect((await finish(web, nonce)).status).toBe(403)
  })

  it('is not given for the proof of the workbench itself, a wrong key, a wrong text, or to a page (sec-289)', async () => {
    const { web } = await start({ linkKey })
    const tries = [
      async () => finish(web, (await begin(web)).nonce, { 'x-portico-proof': (await begin(web)).proof }),
      async () => finish(web, (await begin(web)).nonce, {}, 'j'.repeat(43)),
      async () => finish(web, createNonce()),
      async () => finish(web, (await begin(web)).nonce, { 'x-portico-proof': 'é' }),
      async () => finish(web, (await begin(web)).nonce, { origin: web.origin }),
      () => send(web.origin, '/link', { method: 'POST' }),
      () => send(web.origin, '/link', { method: 'POST', headers: { 'x-portico-key': linkKey } }),
    ]
    for (const one of tries) expect((await one()).status).toBe(403)
  })

  it('is not given where there is no key', async () => {
    const { web } = await start()
    expect((await send(web.origin, '/link', { method: 'POST', headers: { 'x-portico-nonce': asker } })).status).toBe(
      403,
    )
  })
})
