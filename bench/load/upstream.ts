/** A server behind the gateway that is under load, as a program of its own; its argument is the port. */

import { serveHttp } from '@portico/sdk/http'
import { createWorkServer } from './work-server.ts'

await serveHttp(createWorkServer('upstream'), { port: Number(process.argv[2] ?? 0) })
process.send?.('ready')
process.on('disconnect', () => process.exit())
