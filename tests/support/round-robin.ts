/**
 * A proxy that divides requests among several processes, one after the other, as the plainest of load balancers does: no
 * request is sent twice, one that cannot be delivered goes to the next process, and whoever is not ready gets none.
 */

import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RoundRobin {
  readonly url: string
  /** The addresses that requests are divided among. */
  targets: readonly string[]
  close(): Promise<void>
}

const READY_MS = 100
const LOST = JSON.stringify({
  jsonrpc: '2.0',
  error: { code: -32603, message: 'The connection was lost', data: { delivery: 'unknown' } },
})
const NOBODY = JSON.stringify({
  jsonrpc: '2.0',
  error: { code: -32603, message: 'Nobody is there', data: { delivery: 'not-sent' } },
})
const NOT_SENT = new Set(['ECONNREFUSED', 'ENOENT'])

/** With `checks` it asks each process now and then whether it is ready. */
export async function startRoundRobin(path: string, checks: boolean): Promise<RoundRobin> {
  // A connection of its own for each: one that was kept could be closed just when it is used.
  const agent = new Agent({ keepAlive: false })
  const unready = new Set<string>()
  let at = 0
  const proxy = { targets: [] as readonly string[] }
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('error', () => undefined)
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const ready = proxy.targets.filter((target) => !unready.has(target))
      const order = ready.length === 0 ? proxy.targets : ready
      const first = at++
      const turns = order.map((_, index) => order[(first + index) % order.length] ?? '')
      pass(req, res, Buffer.concat(chunks), turns, agent)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const timer = checks ? setInterval(() => void checkAll(proxy.targets, unready), READY_MS) : undefined
  // It listens on a port.
  const { port } = server.address() as AddressInfo
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${port}${path}`,
    close: () =>
      new Promise<void>((resolve) => {
        clearInterval(timer)
        agent.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

function pass(req: IncomingMessage, res: ServerResponse, body: Buffer, turns: readonly string[], agent: Agent): void {
  const [target, ...others] = turns
  if (target === undefined) {
    res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end(NOBODY)
    return
  }
  const { connection: _connection, ...headers } = req.headers
  const sent = request(new URL(req.url ?? '/', target), { method: req.method, headers, agent })
  sent.on('response', (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    res.flushHeaders()
    answer.pipe(res)
    answer.on('error', () => res.destroy())
    answer.on('aborted', () => res.destroy())
  })
  sent.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
    if (res.headersSent) res.destroy()
    else if (NOT_SENT.has(code)) pass(req, res, body, others, agent)
    else res.writeHead(502, { 'content-type': 'application/json' }).end(LOST)
  })
  res.on('close', () => sent.destroy())
  sent.end(body)
}

async function checkAll(targets: readonly string[], unready: Set<string>): Promise<void> {
  for (const target of targets) {
    const isReady = await fetch(new URL('/readyz', target)).then(
      ({ ok }) => ok,
      () => true,
    )
    if (isReady) unready.delete(target)
    else unready.add(target)
  }
}
