/** The handler under Node's HTTPS server. `TLS_KEY` and `TLS_CERT` name the files. */

import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createHttpHandler } from '@portico/sdk/http'
import { OPTIONS } from '../options.ts'
import { createSubject } from '../server.ts'

const tls = { key: readFileSync(process.env.TLS_KEY ?? ''), cert: readFileSync(process.env.TLS_CERT ?? '') }
const handler = createHttpHandler(createSubject(), OPTIONS)
const node = createServer(tls, (req, res) => handler(req, res))
// A server that listens on a port has an address of this form, not a pipe's name.
node.listen(0, '127.0.0.1', () => console.log(`listening on https://127.0.0.1:${(node.address() as AddressInfo).port}`))
