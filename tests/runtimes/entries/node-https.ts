/** `serveHttp` over TLS. `TLS_KEY` and `TLS_CERT` name the files. */

import { readFileSync } from 'node:fs'
import { serveHttp } from '@portico/sdk/http'
import { OPTIONS } from '../options.ts'
import { createSubject } from '../server.ts'

const tls = { key: readFileSync(process.env.TLS_KEY ?? ''), cert: readFileSync(process.env.TLS_CERT ?? '') }
// Short, so that what is late or only looks so is found out soon.
const limits = { ...OPTIONS.limits, headersTimeoutMs: 1000, requestTimeoutMs: 1000 }
const http = await serveHttp(createSubject(), { ...OPTIONS, limits, port: 0, tls })
process.once('SIGTERM', () => void http.close())
console.log(`listening on ${new URL(http.url).origin}`)
