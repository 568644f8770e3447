/** supergateway in front of the bare server on pipes, with sessions for clients that have them. */

import { command } from '../clients/target.ts'
import { runProgram } from './foreign.ts'

await runProgram('supergateway/dist/index.js', (port) => [
  ...['--stdio', [command.command, ...command.args].map((part) => JSON.stringify(part)).join(' ')],
  ...['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port), '--logLevel', 'none'],
])
