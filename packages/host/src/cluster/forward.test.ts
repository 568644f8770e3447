/** What becomes of a request that waits for a replica that stands still. */

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { HttpRequest } from '@portico/sdk/internal'
import { expect, it } from 'vitest'
import { Forwarder } from './forward.ts'
import { Seal } from './seal.ts'

it('is told as lost once the others know the replica as gone, though its connections stay open', async () => {
  let taken = 0
  const still = createServer(() => void taken++)
  await new Promise<void>((resolve) => still.listen(0, '127.0.0.1', resolve))
  const forwarder = new Forwarder(new Seal([randomBytes(32)], 'hops'))
  const head = { method: 'POST', url: '/mcp', header: () => undefined, headerNames: () => [] }
  // The rest of a request and a reply is not reached here.
  const request = { head, reply: { watch: () => undefined } } as unknown as HttpRequest
  let looks = 0
  const isThere = async () => ++looks < 2
  const { port } = still.address() as AddressInfo
  const passing = { request, principal: undefined, body: '{}' }
  expect(await forwarder.pass(passing, 'other', `http://127.0.0.1:${port}`, isThere)).toBe('lost')
  expect([taken, looks]).toEqual([1, 2])
  forwarder.close()
  still.closeAllConnections()
  await new Promise((resolve) => still.close(resolve))
})
