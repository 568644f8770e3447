/**
 * The client under test. The official suite starts it once for each scenario, with the address of a server of its own as
 * the last argument and the scenario's name in the environment. Leaves with 0 when everything went as it should.
 */

import { connect, PROTOCOL_VERSIONS } from '@portico/sdk/client'
import { type ScenarioContext, scenarios } from './fixture/client-scenarios.ts'

const MODERN = '2026-07-28'

const url = process.argv.at(-1)
const name = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined
if (url === undefined || scenario === undefined) throw new Error(`there is nothing to do for scenario "${name}"`)

// The suite's servers speak the wire of one era; within the older one they choose.
const modern = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION === MODERN
const versions = PROTOCOL_VERSIONS.filter((version) => (version === MODERN) === modern)
// Written by the suite for the scenario of that name.
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as ScenarioContext

const client = await connect(url, {
  ...scenario.options,
  info: { name: 'portico-conformance-client', version: '1.0.0' },
  versions,
})
try {
  await scenario.run(client, context)
} finally {
  await client.close()
}
