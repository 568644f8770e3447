/**
 * A client for tests: the SDK's own, connected in memory to a server that listens nowhere, with its answers scripted. What
 * goes wrong is thrown, so any test runner will do. `eachEra` runs one test on the oldest and the newest way of talking.
 */

import type { Principal } from '../auth/principal.ts'
import type { Client } from '../client/client.ts'
import { connect } from '../connect/connect.ts'
import type { ConnectOptions } from '../connect/options.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { loadAll } from '../jsonrpc/on-demand.ts'
import type { ProtocolVersion } from '../protocol/revision.ts'
import { revisionOf } from '../protocol/revisions.ts'
import { endpointOf, type Server } from '../server/server.ts'
import { serveChannel } from '../session/connection.ts'
import { createMemoryChannels } from '../transport/memory.ts'
import { type Answers, type Asked, Script } from './script.ts'

/** Which revision a test speaks, as whom, and how it answers. */
export interface TestOptions {
  /** The revision to speak; the newest that the server serves unless given. */
  readonly version?: ProtocolVersion
  /** Who the server takes the client for. */
  readonly principal?: Principal
  /** Answers to what the server will ask. */
  readonly answers?: Answers
  /** Whatever else `connect` takes. */
  readonly connect?: Omit<ConnectOptions, 'versions' | 'elicitation' | 'sampling' | 'roots'>
}

/** A client that remembers what it was asked. */
export type TestClient<S = unknown> = Client<S> & {
  readonly asked: readonly Asked[]
  /** Throws when a question came that the script does not answer, or an answer is left over. */
  verifyScript(): void
}

/**
 * Connects a client to a server in memory, for a test. `answers` says how it answers the server's questions.
 *
 * @example
 * ```ts
 * import { testClient } from '@portico/sdk/testing'
 *
 * const client = await testClient(server, { answers: { elicit: [{ city: 'Oslo' }] } })
 * await client.callTool('forecast')
 * client.verifyScript() // throws unless the tool asked exactly one question
 * await client.close()
 * ```
 */
export async function testClient<S extends Server>(server: S, options: TestOptions = {}): Promise<TestClient<S>> {
  // A clock that stands still would wait for a part that is loaded in the middle of a test.
  await loadAll()
  const script = new Script(options.answers ?? {})
  const endpoint = endpointOf(server)
  const version = options.version ?? endpoint.versions.at(-1)
  const [near, far] = createMemoryChannels()
  serveChannel(endpoint, near, options.principal === undefined ? {} : { principal: options.principal })
  const client = await connect<S>(far, {
    ...options.connect,
    ...script.clientOptions(),
    ...(version !== undefined && { versions: version }),
  })
  return Object.assign(client, {
    asked: script.asked,
    verifyScript() {
      const faults = script.faults()
      if (faults.length > 0) throw new PorticoError('invalid-definition', `Not as scripted: ${faults.join('; ')}`)
    },
  })
}

/** Which revisions a test is run on. */
export interface EraOptions extends Omit<TestOptions, 'version'> {
  /** The revisions to run on: the newest of each era unless given. */
  readonly versions?: readonly ProtocolVersion[]
}

/**
 * Runs a test once for each era that the server serves, older revisions and newest, each time with a client of its own.
 * Give a function in place of the server when the runs must not share what the server keeps.
 *
 * @example
 * ```ts
 * import { eachEra } from '@portico/sdk/testing'
 *
 * await eachEra(server, async (client, version) => {
 *   const tools = await client.listTools()
 *   console.log(`${version}: ${tools.length} tools`)
 * })
 * ```
 */
export async function eachEra<S extends Server>(
  server: S | (() => S | Promise<S>),
  run: (client: TestClient<S>, version: ProtocolVersion) => unknown,
  { versions, ...options }: EraOptions = {},
): Promise<void> {
  const make = typeof server === 'function' ? server : () => server
  const first = await make()
  for (const [index, version] of (versions ?? newestOfEachEra(first)).entries()) {
    const client = await testClient(index === 0 ? first : await make(), { ...options, version })
    try {
      await run(client, version)
      client.verifyScript()
    } catch (error) {
      // Which era failed is half of the diagnosis; the error itself stays the test runner's own.
      if (error instanceof Error) error.message = `[${version}] ${error.message}`
      throw error
    } finally {
      await client.close()
    }
  }
}

function newestOfEachEra(server: Server): ProtocolVersion[] {
  const served = endpointOf(server).versions
  const eras = ['legacy', 'modern'] as const
  return eras.flatMap((era) => served.filter((version) => revisionOf(version)?.era === era).slice(-1))
}
