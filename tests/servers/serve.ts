/** A server of the registry over standard input and output: `serve.ts <name> <its options as JSON>`. */

import { serveStdio } from '@portico/sdk/stdio'
import { isServerName, loadEntry } from '@portico/servers'

const [name = '', options = '{}'] = process.argv.slice(2)
if (!isServerName(name)) throw new Error(`there is no server "${name}"`)
const entry = await loadEntry(name)
const { server, close } = await entry.create(JSON.parse(options))
const connection = serveStdio(server, { exit: false })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void connection.drain())
await connection.closed
// What a server holds open, a browser say, is given back before the process ends.
await close()
process.exit()
