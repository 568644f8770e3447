/** Portico's client and server in one process; what crosses is JSON text unless `reference` is asked for. */

import { connect } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import { announceCaller } from '../control.ts'
import { ADD, add, INFO, NUMBERS } from '../work.ts'

const server = createServer({
  ...INFO,
  tools: { add: tool({ description: ADD, input: NUMBERS }, ({ a, b }) => add(a, b)) },
})
const client = await connect(server, {
  versions: process.argv[2] === 'modern' ? '2026-07-28' : '2025-11-25',
  transfer: process.argv[3] === 'reference' ? 'reference' : 'text',
})
announceCaller(() => client.callTool('add', { a: 1, b: 2 }))
