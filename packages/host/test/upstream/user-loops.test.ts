/** A program that ends again and again for one user: that user is told so, nobody else notices. */

import { createPrincipal } from '@portico/sdk/server'
import { afterEach, expect, it } from 'vitest'
import { createUpstreams, type Upstreams } from '../../src/upstream/upstreams.ts'
import { program, untilState } from './fixture.ts'

let upstreams: Upstreams | undefined
afterEach(() => upstreams?.close())

it('sec-231: a crash loop of one user is said to be one, in the answer and in the state (host 19)', async () => {
  const all = createUpstreams({ watchdog: false, breaker: { failures: 3, firstWaitMs: 1, openMs: 600_000 } })
  upstreams = all
  await all.set([program('s', 'plain')])
  await untilState(all, 's', ({ state }) => state === 'ready')
  const [ada, bob] = ['ada', 'bob'].map((id) => ({ principal: createPrincipal(id) }))
  const die = async () => (await all.client('s', ada)).callTool('die', {})
  for (let round = 0; round < 3; round++) await expect(die()).rejects.toThrow()
  await expect
    .poll(() => all.client('s', ada).then(() => 'connected', String))
    .toContain('failed 3 times and is left alone')
  await expect(die()).rejects.toMatchObject({ code: 'unavailable', data: { retryAt: expect.any(Number) } })
  expect(all.state('s')).toMatchObject({ state: 'ready', reason: expect.stringContaining('One user cannot use it') })
  await (await all.client('s', bob)).callTool('echo', { token: 't' })
  // Repaired: whoever looks after it says so.
  await all.restart('s')
  expect(all.state('s')).toMatchObject({ state: 'ready' })
  expect(all.state('s')?.reason).toBeUndefined()
  await (await all.client('s', ada)).callTool('echo', { token: 't' })
})
