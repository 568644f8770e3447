/** What a gateway says of itself to `portico status`, and how soon. */

import { createServer } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import { createGateway } from '../src/gateway/gateway.ts'
import { createLab } from './gateway-lab.ts'
import { closeAll, closers } from './gateway-site.ts'
import { createSharedPlace } from './shared-lab.ts'

afterEach(closeAll)

describe('a gateway that is drained', () => {
  it('is not shown as ready from then on, and is again once it is let in', async () => {
    const place = createSharedPlace()
    const [state, onlooker] = [await place.join(), await place.join()]
    const target = createServer({ name: 'one', version: '1' })
    const lab = await createLab({ one: { target } }, {})
    const gateway = createGateway(lab, { state, onError: () => {} })
    closers.push(
      () => place.close(),
      () => lab.close(),
      () => gateway.close(0),
    )
    state.replicas.describe(() => ({ ready: gateway.health().ok }))
    const shown = async (): Promise<unknown> =>
      (await onlooker.replicas.list()).find(({ id }) => id === state.replicas.id)?.facts.ready
    // Sooner than the next row that is written without being asked for.
    const soon = { timeout: 1_000, interval: 5 }
    gateway.drain(true)
    await expect.poll(shown, soon).toBe(false)
    gateway.drain(false)
    await expect.poll(shown, soon).toBe(true)
  })
})
