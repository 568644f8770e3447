/** A plain HTTP server around somebody else's handler, on a free port, that lets go of everything when it closes. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Listening {
  readonly origin: string
  close(): Promise<void>
}

export async function listen(
  handle: (req: IncomingMessage, res: ServerResponse, body: unknown) => Promise<void>,
): Promise<Listening> {
  const node = createServer(async (req, res) => {
    try {
      await handle(req, res, await readJson(req))
    } catch (error) {
      console.error(error)
      if (!res.headersSent) res.writeHead(500)
      res.end()
    }
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address of this form.
  const { port } = node.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        node.close(() => resolve())
        node.closeAllConnections()
      }),
  }
}

async function readJson(req: IncomingMessage): Promise<unknown> {
  if (req.method !== 'POST') return undefined
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}
