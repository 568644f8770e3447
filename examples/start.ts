// Teaches: one server two ways. `npm start` serves the notes over HTTP; with `--stdio` a client starts it by itself.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type HttpServer, serveHttp } from '@portico/sdk/http'
import { PorticoError } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import notes from './notes.ts'
import { describeAccess } from './start-access.ts'

const { values } = parseArgs({ options: { stdio: { type: 'boolean' }, port: { type: 'string' } } })

if (values.stdio) serveStdio(notes)
else await listen(Number(values.port ?? process.env.PORT ?? 3000))

async function listen(port: number): Promise<void> {
  const http = await firstFree(port)
  if (port !== 0 && http.port !== port) console.log(`Port ${port} is taken.`)
  // A second Ctrl-C finds no listener any more and ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void http.close())
  console.log(describeAccess(http.url, fileURLToPath(import.meta.url)))
}

async function firstFree(port: number): Promise<HttpServer> {
  try {
    return await serveHttp(notes, { port, graceMs: 2000 })
  } catch (error) {
    const cause = error instanceof PorticoError ? error.cause : undefined
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw error
    return firstFree(port + 1)
  }
}
