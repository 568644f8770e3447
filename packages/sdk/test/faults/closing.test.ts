/** A connection that the server closes as it answers is never the next call's grave. */

import { afterEach, describe, expect, test } from 'vitest'
import type { Authorizer } from '../../src/auth/client/authorization.ts'
import type { Client } from '../../src/client/client.ts'
import { connect } from '../../src/connect/connect.ts'
import { PorticoError } from '../../src/jsonrpc/errors.ts'
import { type ClosingOptions, ClosingServer, type Way } from './closing-server.ts'
import { limitOf, RUNS } from './run.ts'

/** Of each of the 18 cells. The long form, PORTICO_FAULT_RUNS=10, makes 18,000. */
const CALLS = RUNS * 100
const LANES = 4

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function start(options: ClosingOptions): Promise<{ server: ClosingServer; client: Client }> {
  const server = new ClosingServer(options)
  const url = await server.listen()
  open.push(() => server.close())
  const auth = options.requestsPerToken === undefined ? {} : { auth: tokens() }
  // What is shown here must not depend on how busy the machine is.
  const timeouts = { listMs: 60_000, callMs: 60_000 }
  const client = await connect(url, { verdicts: false, cache: false, timeouts, ...auth })
  open.push(() => client.close())
  // What the server says of its tools is known from here on.
  await client.listTools()
  return { server, client }
}

/** A new token for every challenge. */
function tokens(): Authorizer {
  let issued = 0
  return {
    interactive: false,
    headers: () => ({ authorization: `Bearer ${issued}` }),
    note: ({ status }) => status === 401,
    async challenge(_, sent) {
      if (sent.authorization === `Bearer ${issued}`) issued++
      return 'retry'
    },
    async signOut() {},
    close() {},
  }
}

interface Fate {
  readonly nonce: string
  readonly tool: string
  readonly failure: unknown
}

/** Calls tools in several lanes, with lists and pings between. */
async function drive(client: Client, calls: number, tools: readonly string[]): Promise<Fate[]> {
  const fates: Fate[] = []
  let next = 0
  const lane = async () => {
    while (next < calls) {
      const at = next++
      const tool = tools[at % tools.length]!
      if (tool === 'list') await client.listTools()
      else if (tool === 'ping') await client.ping()
      else {
        const nonce = `${at}`
        const failure = await client.callTool(tool, { nonce }).then(
          () => undefined,
          (error: unknown) => error,
        )
        fates.push({ nonce, tool, failure })
      }
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  return fates
}

const WAYS = (['modern', 'legacy', 'http+sse'] as const).flatMap((way: Way) =>
  [undefined, 7].map((requestsPerToken) => ({ way, requestsPerToken, with: requestsPerToken ? 'with' : 'without' })),
)

describe.each(WAYS)('$way, $with authorization', { timeout: limitOf(RUNS) }, ({ way, requestsPerToken }) => {
  test.each([
    ['each answer', 1],
    // A connection that has served well is no promise: a client that trusted it would lose every third call.
    ['every third answer', 3],
  ])('sdk 17: right after %s, every call has its result and runs once', async (_, answers) => {
    const { server, client } = await start({
      way,
      requestsPerToken,
      answers,
      close: (socket) => void socket.end(),
      runsLate: () => false,
    })
    const fates = await drive(client, CALLS, ['once', 'read', 'once', 'list', 'same', 'ping'])
    expect(fates.filter(({ failure }) => failure !== undefined)).toEqual([])
    for (const { nonce } of fates) expect(server.runs.get(nonce)).toBe(1)
  })

  test('sdk 17: at a random moment, nothing fails that can be repeated, and nothing else runs twice', async () => {
    const { server, client } = await start({
      way,
      requestsPerToken,
      close: atRandom,
      runsLate: () => Math.random() < 0.5,
    })
    const fates = await drive(client, CALLS, ['read', 'list', 'same', 'ping', 'once'])
    for (const { nonce, tool, failure } of fates) {
      const runs = server.runs.get(nonce) ?? 0
      if (failure === undefined) expect(runs).toBeGreaterThan(0)
      if (tool !== 'once') {
        expect(failure).toBeUndefined()
        continue
      }
      expect(runs).toBeLessThanOrEqual(1)
      if (failure === undefined) continue
      expect(failure).toBeInstanceOf(PorticoError)
      expect(failure).toMatchObject({ code: 'closed', delivery: 'unknown' })
    }
  })
})

function atRandom(socket: Parameters<ClosingOptions['close']>[0]): void {
  const close = () => (Math.random() < 0.5 ? socket.end() : socket.destroy())
  const when = Math.random()
  if (when < 0.25) close()
  else if (when < 0.5) setImmediate(close)
  else setTimeout(close, Math.random() * 3)
}
