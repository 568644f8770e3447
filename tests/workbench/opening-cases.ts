/** Opening the workbench: the link, how soon the page is there, and everybody who is refused. */

import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { Site } from './site.ts'
import type { Trial } from './trial.ts'

export const openingTrials: readonly Trial[] = [
  { name: 'opening: the printed link shows the servers, connected', always: true, run: open },
  { name: 'opening: a link works once', run: refuseUsedLink },
  { name: 'opening: foreign origins, foreign hosts and browsers without a session are refused', run: refuseStrangers },
]

async function open({ page, program, figures }: Site): Promise<void> {
  const sizes = { bytes: 0, gzip: 0 }
  const bodies: Promise<void>[] = []
  page.on('response', (response) => {
    if (!/\.(js|css|svg|woff2?)$|\/$/.test(new URL(response.url()).pathname)) return
    const counted = response.body().then(
      (body) => {
        sizes.bytes += body.length
        sizes.gzip += gzipSync(body).length
      },
      // A redirect has no body.
      () => {},
    )
    bodies.push(counted)
  })
  const from = Date.now()
  await page.goto(program.link)
  await page.getByRole('article', { name: 'Server time' }).waitFor()
  const usable = Date.now() - from
  assert.equal(new URL(page.url()).search, '', 'the token leaves the address bar')
  await Promise.all(bodies)
  const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime)
  figures.set('link printed after', `${program.startMs} ms`)
  figures.set('first paint', `${Math.round(paint ?? 0)} ms`)
  figures.set('usable (servers on the page)', `${usable} ms`)
  figures.set('page', `${sizes.bytes} bytes, ${sizes.gzip} bytes as gzip`)
  for (const name of ['files', 'sql', 'memory', 'time', 'everything']) {
    await page
      .getByRole('article', { name: `Server ${name}` })
      .getByText('Ready', { exact: true })
      .waitFor()
  }
}

async function refuseUsedLink({ program, origin }: Site): Promise<void> {
  const used = await fetch(program.link, { redirect: 'manual' })
  assert.equal(used.headers.get('set-cookie'), null)
  assert.notEqual(used.status, 303)
  const invented = await fetch(`${origin}/?token=${'A'.repeat(43)}`, { redirect: 'manual' })
  assert.equal(invented.headers.get('set-cookie'), null)
  const fresh = await program.anotherLink()
  const first = await fetch(fresh, { redirect: 'manual' })
  assert.equal(first.status, 303)
  const second = await fetch(fresh, { redirect: 'manual' })
  assert.equal(second.headers.get('set-cookie'), null)
}

async function refuseStrangers({ context, origin }: Site): Promise<void> {
  const cookies = await context.cookies(origin)
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const own = { host: new URL(origin).host, origin, cookie, 'content-type': 'application/json' }
  const cases: readonly (readonly [string, number, object])[] = [
    ['the page itself', 200, own],
    ['no session', 401, { ...own, cookie: '' }],
    ['an invented session', 401, { ...own, cookie: `${cookies[0]?.name}=${'A'.repeat(43)}` }],
    ['a foreign origin', 403, { ...own, origin: 'http://evil.example' }],
    ['no origin', 403, { host: own.host, cookie, 'content-type': 'application/json' }],
    ['another site by fetch metadata', 403, { ...own, 'sec-fetch-site': 'cross-site' }],
    ['a name that was bound anew', 421, { ...own, host: `evil.example:${new URL(origin).port}` }],
    ['a form of another page', 415, { ...own, 'content-type': 'text/plain' }],
  ]
  for (const [what, status, headers] of cases) assert.equal(await statusOf(origin, headers), status, what)
  const rebound = await statusOf(origin, { host: `evil.example:${new URL(origin).port}` }, '/', 'GET')
  assert.equal(rebound, 421, 'the page under a foreign name')
}

/** By hand: `fetch` does not let the Host be chosen. */
function statusOf(origin: string, headers: object, path = '/api/app.info', method = 'POST'): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(new URL(path, origin), { method, headers: { ...headers } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.on('error', reject)
    request.end(method === 'POST' ? '{}' : undefined)
  })
}
