/**
 * The client under test. The official suite starts it once for each scenario, with the address of a server of its own as
 * the last argument and the scenario's name in the environment. Leaves with 0 when everything went as it should.
 */

import { connect } from '@portico/sdk/client'
import { CLIENT_DONE, type ScenarioContext, scenarios } from './fixture/client-scenarios.ts'

const MODERN = '2026-07-28'

const url = process.argv.at(-1)
const name = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined
if (url === undefined || scenario === undefined) throw new Error(`there is nothing to do for scenario "${name}"`)
// Written by the suite for the scenario of that name.
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as ScenarioContext

const info = { name: 'portico-conformance-client', version: '1.0.0' }
// Dozens of these run at once; how busy the machine is must not decide.
const patience = { discoverMs: 30_000, timeouts: { listMs: 30_000, readMs: 30_000 } }
const client = await connect(url, { ...scenario.options, ...patience, info })
try {
  // No revision is pinned: that the client finds the right wire by itself is part of the test.
  const modern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === MODERN
  if ((client.version === MODERN) !== modern)
    throw new Error(`settled on ${client.version}, which was not to be tested`)
  await scenario.run(client, context)
} finally {
  await client.close()
}
console.log(CLIENT_DONE)
