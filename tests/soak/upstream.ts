/** A server behind the gateway, as a program: `stdio`, or `http <port> <newest | older>`. Its tools do what a load needs. */

import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'

const [way = 'stdio', port = '0', era = 'newest'] = process.argv.slice(2)
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const
const FORM = { type: 'object', properties: { text: { type: 'string' } } } as const
const SLOW_MS = 60
const BLOCK_MS = 300
const BIG = 'x'.repeat(1_000_000)

const server = createServer({
  name: 'upstream',
  version: '1.0.0',
  ...(era === 'older' && { versions: ['2025-06-18'] }),
  onError: () => {},
  tools: {
    echo: tool({ input: TEXT }, ({ text }) => text),
    slow: tool({ input: TEXT }, async ({ text }, ctx) => {
      ctx.progress(1, 2, 'half')
      await pause(SLOW_MS)
      return text
    }),
    ask: tool({ input: TEXT }, async ({ text }, ctx) => {
      const { content } = await ctx.elicit('word', { message: text, form: FORM })
      return `${content?.text}`
    }),
    big: tool({ input: TEXT }, ({ text }) => `${text} ${BIG}`),
    block: tool({ input: TEXT }, ({ text }) => {
      const until = performance.now() + BLOCK_MS
      while (performance.now() < until);
      return text
    }),
    changed: tool({ input: TEXT }, ({ text }) => {
      server.changed('tools')
      return text
    }),
  },
})

process.on('disconnect', () => process.exit())
if (way === 'stdio') serveStdio(server)
else await serveHttp(server, { port: Number(port), graceMs: 0 })

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
