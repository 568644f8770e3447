// Teaches: what can go wrong with a call, how to tell, and whether it is safe to try again.
import { fileURLToPath } from 'node:url'
import { connect, PorticoError, RpcError } from '@portico/sdk/client'

const counter = fileURLToPath(new URL('progress.ts', import.meta.url))
const client = await connect({ command: process.execPath, args: [...process.execArgv, counter] })
const slow = { to: 1000, pauseMs: 1000 }

// A tool that fails is no error here: the result says so, for a model to read. (`client.tools` would throw it.)
const { isError, content } = await client.callTool('count', { to: -1 })
console.log('for the model:', isError, content)

// The server refused the request.
await attempt('no such tool', client.callTool('cuont'))

// Nothing was sent: the server has no prompts.
await attempt('no prompts', client.listPrompts())

// Both tell the server to stop.
await attempt('too slow', client.callTool('count', slow, { timeoutMs: 100 }))
await attempt('cancelled', client.callTool('count', slow, { signal: AbortSignal.timeout(100) }))

// The process dies: the call fails at once, the next one starts the process again.
const doomed = attempt('crash', client.callTool('count', slow))
process.kill(client.process?.pid ?? 0, 'SIGKILL')
await doomed
const again = await client.callTool('count', { to: 2 }, { onProgress: ({ message }) => console.log(message) })
console.log('again:', again.content)
await client.close()

async function attempt(what: string, call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error
    const number = error instanceof RpcError ? ` ${error.rpcCode}` : ''
    console.log(`${what}: ${error.code}${number} (${error.delivery ?? 'answered'}) ${error.message}`)
  }
}
