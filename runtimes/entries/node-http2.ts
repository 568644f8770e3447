/** The handler under Node's HTTP/2 server, which takes HTTP/1.1 as well. `TLS_KEY` and `TLS_CERT` name the files. */

import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createHttpHandler } from '@portico/sdk/http'
import { OPTIONS } from '../options.ts'
import { createSubject } from '../server.ts'

const tls = { key: readFileSync(process.env.TLS_KEY ?? ''), cert: readFileSync(process.env.TLS_CERT ?? '') }
const handler = createHttpHandler(createSubject(), OPTIONS)
const node = createSecureServer({ ...tls, allowHTTP1: true }, (req, res) => {
  // The compatibility objects of HTTP/2 have what the handler uses of these two.
  handler(req as unknown as IncomingMessage, res as unknown as ServerResponse)
})
// A server that listens on a port has an address of this form, not a pipe's name.
node.listen(0, '127.0.0.1', () => console.log(`listening on https://127.0.0.1:${(node.address() as AddressInfo).port}`))
