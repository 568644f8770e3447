/** The server under load, as a program of its own. Its argument is a `Setting`; it reports and obeys over IPC. */

import { serveHttp } from '@portico/sdk/http'
import { createPrincipal, createServer, resource, tool } from '@portico/sdk/server'
import { serveSocket } from '@portico/sdk/socket'

export interface Setting {
  readonly limits?: { readonly [name: string]: number }
}

export type Order =
  | { readonly do: 'measure' }
  | { readonly do: 'reset' }
  | { readonly do: 'change'; readonly bytes: number }

export interface Report {
  readonly httpPort?: number
  readonly socketPort?: number
  readonly rss?: number
  /** The most there was since the last `reset`. */
  readonly peak?: number
  readonly changed?: true
}

const setting: Setting = JSON.parse(process.argv[2] ?? '{}')
const BLOCK = 10_000
const LONG_URI = `mem://long/${'x'.repeat(BLOCK - 11)}`

const server = createServer({
  name: 'load',
  version: '1.0.0',
  tools: {
    echo: tool({ input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => String(text)),
    work: tool({}, async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return 'done'
    }),
    flood: tool({ input: { type: 'object', properties: { bytes: { type: 'number' } } } }, async ({ bytes }, ctx) => {
      for (let sent = 0; sent < Number(bytes); sent += BLOCK) {
        ctx.log('info', 'x'.repeat(BLOCK))
        if (sent % (10 * BLOCK) === 0) await turn()
      }
      return 'flood result'
    }),
  },
  resources: { long: resource({ uri: 'mem://long/{+path}' }, () => 'long') },
})

let peak = 0
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 20)

const http = await serveHttp(server, {
  port: 0,
  ...(setting.limits && { limits: setting.limits }),
  authenticate: (head) => {
    const name = head.header('authorization')
    return name === undefined ? undefined : createPrincipal(name)
  },
})
const socket = await serveSocket(server, { port: 0, ...(setting.limits && { limits: setting.limits }) })
tell({ httpPort: http.port, ...(socket.port !== undefined && { socketPort: socket.port }) })

process.on('message', (order: Order) => void obey(order))
process.on('disconnect', () => process.exit())

async function obey(order: Order): Promise<void> {
  if (order.do === 'reset') peak = process.memoryUsage.rss()
  if (order.do === 'change') {
    await change(order.bytes)
    tell({ changed: true })
  } else tell({ rss: process.memoryUsage.rss(), peak: Math.max(peak, process.memoryUsage.rss()) })
}

/** Tells whoever listens that a list has changed, or a resource with a long name, over and over. */
async function change(bytes: number): Promise<void> {
  if (bytes === 0) server.changed('tools')
  for (let sent = 0; sent < bytes; sent += BLOCK) {
    server.changed(LONG_URI)
    await turn()
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function tell(report: Report): void {
  process.send?.(report)
}
