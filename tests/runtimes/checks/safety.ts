/** What every way of serving has to keep: the guard of Host and Origin, the bounds on a body, the refusals. */

import assert from 'node:assert/strict'
import { ALLOWED_ORIGIN, MAX_BODY_BYTES } from '../options.ts'
import type { Call } from '../wire.ts'
import type { Check } from './check.ts'
import { ask, modern, modernTool } from './messages.ts'

export const safetyChecks: Check[] = [
  {
    group: 'guard',
    name: 'sec-01, sec-02: an origin that is not allowed is refused with 403, and no handler runs',
    async run(wire) {
      const calls = async () => (await ask(wire, modernTool('seen'))).result?.structuredContent?.calls
      const before = await calls()
      for (const origin of ['https://evil.example', 'null', `${ALLOWED_ORIGIN}.evil.example`]) {
        const answer = await wire.send(withHeaders(modernTool('add', { a: 1, b: 1 }), { origin })).answer
        assert.equal(answer.status, 403)
        assert.equal(answer.headers['access-control-allow-origin'], undefined)
      }
      assert.equal(await calls(), before)
    },
  },
  {
    group: 'guard',
    name: 'a host that is not one of the server is refused with 403',
    async run(wire) {
      const answer = await wire.send(withHeaders(modernTool('seen'), { host: 'rebound.example' })).answer
      assert.equal(answer.status, 403)
    },
  },
  {
    group: 'guard',
    name: 'an allowed origin may read the answer, and its preflight passes',
    async run(wire) {
      const answer = await wire.send(withHeaders(modernTool('add', { a: 1, b: 1 }), { origin: ALLOWED_ORIGIN })).answer
      assert.equal(answer.status, 200)
      assert.equal(answer.headers['access-control-allow-origin'], ALLOWED_ORIGIN)
      const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'mcp-method' }
      const preflight = await wire.send({ method: 'OPTIONS', headers: { origin: ALLOWED_ORIGIN, ...asked } }).answer
      assert.equal(preflight.status, 204)
      assert.match(String(preflight.headers['access-control-allow-headers']), /mcp-method/)
    },
  },
  {
    group: 'limits',
    name: 'a body at the limit passes, one byte more is answered 413 and names the option',
    async run(wire) {
      assert.equal((await wire.send(padded(MAX_BODY_BYTES)).answer).status, 200)
      const answer = await wire.send(padded(MAX_BODY_BYTES + 1)).answer
      assert.equal(answer.status, 413)
      assert.match(await answer.text(), /maxBodyBytes/)
    },
  },
  {
    group: 'limits',
    name: 'a body that does not say its length is held to the same limit',
    async run(wire) {
      assert.equal((await wire.send({ ...padded(MAX_BODY_BYTES), chunked: true }).answer).status, 200)
      assert.equal((await wire.send({ ...padded(MAX_BODY_BYTES + 1), chunked: true }).answer).status, 413)
    },
  },
  {
    group: 'limits',
    name: 'text that is not JSON, another type and another method are refused each in its way',
    async run(wire) {
      const good = modernTool('seen')
      assert.equal((await wire.send({ ...good, body: '{"jsonrpc":' }).answer).status, 400)
      assert.equal((await wire.send(withHeaders(good, { 'content-type': 'text/plain' })).answer).status, 415)
      const put = await wire.send({ method: 'PUT', headers: good.headers, body: good.body }).answer
      assert.ok([404, 405].includes(put.status), `status ${put.status}`)
    },
  },
]

function withHeaders(call: Call, headers: { readonly [name: string]: string }): Call {
  return { ...call, headers: { ...call.headers, ...headers } }
}

/** A good request whose body has exactly this many bytes. */
function padded(bytes: number): Call {
  const call = modern('tools/call', { name: 'seen', arguments: {} }, { 'example.com/padding': '' })
  const body = call.body ?? ''
  return {
    ...call,
    body: body.replace('"example.com/padding":""', (text) =>
      text.replace('""', `"${'x'.repeat(bytes - body.length)}"`),
    ),
  }
}
