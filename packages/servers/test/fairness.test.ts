/** One caller at full tilt keeps no other from a turn, at every server whose work is bounded in number. */

import { setMaxListeners } from 'node:events'
import type { Client } from '@portico/sdk/client'
import { createPrincipal } from '@portico/sdk/server'
import { testClient } from '@portico/sdk/testing'
import { afterEach, describe, expect, it } from 'vitest'
import type { ReadyServer } from '../src/entry.ts'
import { createMongoServer } from '../src/mongo/server.ts'
import { createRunServer } from '../src/run/server.ts'
import { createSqlServer } from '../src/sql/server.ts'
import { startMongoService } from './fixtures/mongo-service.ts'

const MANY_MS = 600_000
/** More than run and wait at any of them. */
const FLOOD = 60
const ENDLESS = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Case {
  open(): Promise<ReadyServer>
  readonly tool: string
  /** Arguments of what does not end, and of what does. */
  readonly long: { readonly [name: string]: unknown }
  readonly short: { readonly [name: string]: unknown }
}

const CASES: { readonly [server: string]: Case } = {
  run: {
    open: () => createRunServer({ ask: false, timeMs: MANY_MS, maxRunning: 2 }),
    tool: 'run_javascript',
    long: { code: `await new Promise((done) => setTimeout(done, ${MANY_MS}))` },
    short: { code: '1 + 1' },
  },
  sql: {
    open: () => createSqlServer({ timeoutMs: MANY_MS }),
    tool: 'query',
    long: { sql: ENDLESS },
    short: { sql: 'SELECT 1 + 1' },
  },
  mongo: {
    async open() {
      const service = await startMongoService({ orders: [{ _id: 1 }] })
      closers.push(() => service.close())
      return createMongoServer({ url: service.url, timeoutMs: MANY_MS })
    },
    tool: 'find',
    long: { collection: 'orders', filter: { forever: 1 } },
    short: { collection: 'orders' },
  },
}

async function clientOf({ server }: ReadyServer, name: string): Promise<Client> {
  const client = await testClient(server, { principal: createPrincipal(name) })
  closers.push(() => client.close())
  return client
}

describe('sec-695: a caller who asks for all there is (servers 5, 9)', () => {
  it.each(Object.entries(CASES))(
    '%s: keeps nobody else from a turn, and hears when it is too much',
    {
      timeout: 240_000,
    },
    async (_, { open, tool, long, short }) => {
      const ready = await open()
      closers.push(() => ready.close())
      const greedy = await clientOf(ready, 'greedy')
      const stop = new AbortController()
      setMaxListeners(0, stop.signal)
      const options = { signal: stop.signal, timeoutMs: MANY_MS }
      const refused = new Promise<string>((hear) => {
        for (let call = 0; call < FLOOD; call++) {
          greedy.callTool(tool, { ...long }, options).then(
            ({ content }) => hear(JSON.stringify(content)),
            () => {},
          )
        }
      })
      expect(await refused).toContain('wait')
      const meek = await clientOf(ready, 'meek')
      const { isError, content } = await meek.callTool(tool, { ...short }, { timeoutMs: MANY_MS })
      expect(isError ?? false, JSON.stringify(content)).toBe(false)
      stop.abort()
    },
  )
})
