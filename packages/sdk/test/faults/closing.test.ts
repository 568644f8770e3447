/** A connection that the server closes as it answers is never the next call's grave. */

import { afterAll, afterEach, describe, expect, test } from 'vitest'
import type { Authorizer } from '../../src/auth/client/authorization.ts'
import type { Client } from '../../src/client/client.ts'
import { connect } from '../../src/connect/connect.ts'
import { PorticoError } from '../../src/jsonrpc/errors.ts'
import { type ClosingOptions, ClosingServer, type Way } from './closing-server.ts'

/** How often each cell is run. */
const RUNS = Number(process.env.PORTICO_FAULT_RUNS ?? 2)
/** Requests in each of the 18 cells; three in five or more are calls. PORTICO_FAULT_RUNS=52 makes 10,000 calls on each way. */
const CALLS = RUNS * 100
const LANES = 4

const accounts: Account[] = []
afterAll(() => {
  const columns = ['sent', 'answered', 'repeated', 'failed', 'untyped', 'doubled', 'lost'] as const
  const rows = accounts.map(({ cell, ...counts }) => [
    cell.padEnd(56),
    ...columns.map((column) => String(counts[column]).padStart(8)),
  ])
  const head = ['calls'.padEnd(56), ...columns.map((column) => column.padStart(8))]
  process.stdout.write(`${[head, ...rows].map((row) => row.join(' |')).join('\n')}\n`)
})

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
  const client = await connect(url, { negotiations: false, cache: false, timeouts, ...auth })
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

/** What became of the calls of one cell, by the client's word and the server's count. */
interface Account {
  readonly cell: string
  sent: number
  answered: number
  /** Ran more than once, as a call that may be repeated is allowed to. */
  repeated: number
  /** Ended in an error of ours that says whether the request was sent. */
  failed: number
  /** Ended in any other error. */
  untyped: number
  /** Ran more than once though the tool may not be repeated. */
  doubled: number
  /** Answered though the server ran nothing. */
  lost: number
}

function accountOf(cell: string, fates: readonly Fate[], server: ClosingServer): Account {
  const account = { cell, sent: fates.length, answered: 0, repeated: 0, failed: 0, untyped: 0, doubled: 0, lost: 0 }
  for (const { nonce, tool, failure } of fates) {
    const runs = server.runs.get(nonce) ?? 0
    if (failure === undefined) account.answered++
    else if (failure instanceof PorticoError && failure.delivery !== undefined) account.failed++
    else account.untyped++
    if (runs > 1) account[tool === 'once' ? 'doubled' : 'repeated']++
    if (runs === 0 && failure === undefined) account.lost++
  }
  accounts.push(account)
  return account
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

describe.each(WAYS)(
  '$way, $with authorization',
  { timeout: 60_000 * Math.max(1, RUNS) },
  ({ way, requestsPerToken, ...named }) => {
    const cell = `${way}, ${named.with} authorization`

    test.each([
      ['each answer', 1],
      // A connection that has served well is no promise: a client that trusted it would lose every third call.
      ['every third answer', 3],
    ])('sdk 17: right after %s, every call has its result and runs once', async (closes, answers) => {
      const { server, client } = await start({
        way,
        requestsPerToken,
        answers,
        close: (socket) => void socket.end(),
        runsLate: () => false,
      })
      const fates = await drive(client, CALLS, ['once', 'read', 'once', 'list', 'same', 'ping'])
      const account = accountOf(`${cell}, after ${closes}`, fates, server)
      expect(fates.filter(({ failure }) => failure !== undefined)).toEqual([])
      expect(account).toMatchObject({ answered: fates.length, repeated: 0, doubled: 0, lost: 0 })
    })

    test('sdk 17: at a random moment, nothing fails that can be repeated, and nothing else runs twice', async () => {
      const { server, client } = await start({
        way,
        requestsPerToken,
        close: atRandom,
        runsLate: () => Math.random() < 0.5,
      })
      const fates = await drive(client, CALLS, ['read', 'list', 'same', 'ping', 'once'])
      const account = accountOf(`${cell}, at random`, fates, server)
      expect(account).toMatchObject({ untyped: 0, doubled: 0, lost: 0 })
      const failed = fates.filter(({ failure }) => failure !== undefined)
      expect(failed.filter(({ tool }) => tool !== 'once')).toEqual([])
      for (const { failure } of failed) expect(failure).toMatchObject({ code: 'closed', delivery: 'unknown' })
    })
  },
)

function atRandom(socket: Parameters<ClosingOptions['close']>[0]): void {
  const close = () => (Math.random() < 0.5 ? socket.end() : socket.destroy())
  const when = Math.random()
  if (when < 0.25) close()
  else if (when < 0.5) setImmediate(close)
  else setTimeout(close, Math.random() * 3)
}
