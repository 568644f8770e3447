/**
 * The client under test. The official suite starts it once for each scenario, with the address of a server of its own as
 * the last argument and the scenario's name in the environment. Leaves with 0 when everything went as it should.
 */

import { connect } from '@portico/sdk/client'
import { authScenarios } from './fixture/client-auth.ts'
import { CLIENT_DONE, type Scenario, type ScenarioContext, scenarios } from './fixture/client-scenarios.ts'

const MODERN = '2026-07-28'

const url = process.argv.at(-1)
const name = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const known = { ...scenarios, ...authScenarios }
const scenario = Object.hasOwn(known, name) ? known[name] : undefined
if (url === undefined || scenario === undefined) throw new Error(`there is nothing to do for scenario "${name}"`)
// Written by the suite for the scenario of that name.
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as ScenarioContext

const info = { name: 'portico-conformance-client', version: '1.0.0' }
// Dozens of these run at once; how busy the machine is must not decide.
const patience = { discoverMs: 30_000, timeouts: { listMs: 30_000, readMs: 30_000 } }
const options = typeof scenario.options === 'function' ? scenario.options(context) : scenario.options
const problem = await play(url, scenario)
if (scenario.expected === undefined ? problem !== undefined : !scenario.expected(problem)) {
  throw problem ?? new Error('the client was to refuse, and did not')
}
console.log(CLIENT_DONE)

/** Goes through the scenario; what it ended with, if that was an error. */
async function play(target: string, { run }: Scenario): Promise<unknown> {
  try {
    const client = await connect(target, { ...options, ...patience, info })
    try {
      // No revision is pinned: that the client finds the right wire by itself is part of the test.
      const modern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === MODERN
      if ((client.version === MODERN) !== modern)
        throw new Error(`settled on ${client.version}, which was not to be tested`)
      await run(client, context)
    } finally {
      await client.close()
    }
    return undefined
  } catch (error) {
    return error ?? new Error('nothing was thrown')
  }
}
