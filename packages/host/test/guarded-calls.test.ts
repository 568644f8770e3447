/** What a guarded call of the host costs, counted in things that no busy machine can change. */

import { expect, it } from 'vitest'
import { type Bundle, bundle } from '../../../tests/support/own-functions.ts'

type Doors = Pick<typeof import('@portico/host'), 'createHost'> &
  Pick<typeof import('@portico/host/config'), 'defineServer'> &
  Pick<typeof import('@portico/sdk/server'), 'createServer' | 'tool'>

const DOORS = `export { createHost } from '@portico/host'
export { defineServer } from '@portico/host/config'
export { createServer, tool } from '@portico/sdk/server'`

it('does little, and no work that grows with the catalogue (host 3, house 3)', async () => {
  const host = await bundle<Doors>(DOORS)
  const small = await callsOf(host, 5)
  expect(small).toBeGreaterThan(50)
  // 608 were counted: the audit log is not written here, and nobody else is in the conversation.
  expect(small).toBeLessThan(640)
  // What one more turn of the queues may add, and far less than once for each item.
  expect(await callsOf(host, 300)).toBeLessThan(small + 50)
})

/** How many functions a warm guarded call runs with so many tools on offer: the least of several, since timers run too. */
async function callsOf({ doors, run }: Bundle<Doors>, tools: number): Promise<number> {
  const { createHost, createServer, defineServer, tool } = doors
  const make = async () => {
    const say = tool({ description: 'Says', input: { type: 'object' } }, () => 'ok')
    const all = Array.from({ length: tools }, (_, at) => [`say${at}`, say] as const)
    return { server: createServer({ name: 'a', version: '1', tools: Object.fromEntries(all) }) }
  }
  const servers = [defineServer('a', { kind: 'in-process', module: 'a', options: {} })]
  const host = await createHost({ inProcess: new Map([['a', make]]), servers, ask: () => ({ action: 'allow' }) })
  try {
    await host.catalogue.gather()
    const name = host.catalogue.items(['tool']).at(-1)?.name ?? ''
    for (let n = 0; n < 5; n++) await host.call(name, {})
    const counts: number[] = []
    for (let n = 0; n < 5; n++) counts.push((await run(() => host.call(name, {}))).calls)
    return Math.min(...counts)
  } finally {
    await host.close()
  }
}
