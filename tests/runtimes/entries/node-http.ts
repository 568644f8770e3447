/** `serveHttp` and WebSocket on one port of Node's own HTTP server. */

import { serveHttp } from '@portico/sdk/http'
import { attachWebSocket } from '@portico/sdk/websocket'
import { OPTIONS } from '../options.ts'
import { createSubject } from '../server.ts'

const server = createSubject()
const http = await serveHttp(server, { ...OPTIONS, port: 0 })
attachWebSocket(server, http.node, { path: OPTIONS.path, allowedOrigins: OPTIONS.allowedOrigins })
process.once('SIGTERM', () => void http.close())
console.log(`listening on ${new URL(http.url).origin}`)
