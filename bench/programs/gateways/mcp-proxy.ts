/** mcp-proxy in front of the bare server on pipes; it asks for the server's newest revision, as Portico does. */

import { command } from '../clients/target.ts'
import { runProgram } from './foreign.ts'

await runProgram('mcp-proxy/dist/bin/mcp-proxy.mjs', (port) => [
  ...['--port', String(port), '--host', '127.0.0.1', '--server', 'stream', '--upstreamProtocol', 'auto'],
  ...['--', command.command, ...command.args],
])
