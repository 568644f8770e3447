// Teaches: functions around a method. `use` may alter or refuse, `on` only watches, `context` gives handlers their state.
import { result, text, withState } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { z } from 'zod'

// Makers for handlers that share something: `ctx.state` has this type in all of them.
const { createServer, tool } = withState<{ traceId: string }>()

const shout = tool(
  { description: 'Repeats loudly', input: z.object({ words: z.string() }) },
  ({ words }, ctx) => `${words.toUpperCase()} [${ctx.state.traceId}]`,
)

const server = createServer({
  name: 'parrot',
  version: '1.0.0',
  tools: { shout },
  context: (ctx) => ({ traceId: String(ctx.meta.traceparent ?? 'no trace') }),
})

let calls = 0

server.use('tools/call', async ({ params }, next) => {
  if (++calls > 3) return result({ content: [text('Quota used up; try again tomorrow.')], isError: true })
  const { content, ...rest } = await next(params)
  return { ...rest, content: [...content, text(`call ${calls} of 3`)] }
})

server.on('tools/call', ({ params, durationMs, error }) => {
  console.error(`${params.name} took ${durationMs.toFixed(1)} ms${error === undefined ? '' : ', failed'}`)
})

serveStdio(server)
