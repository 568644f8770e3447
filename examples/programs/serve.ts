// Teaches: serving a definition in the way that is asked for: `serve.ts shop`, or `serve.ts shop --http 3000`.
import { parseArgs } from 'node:util'
import { serveHttp } from '@portico/sdk/http'
import type { Server } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'

const { values, positionals } = parseArgs({ options: { http: { type: 'string' } }, allowPositionals: true })
const { default: server } = (await import(`./${positionals[0]}.ts`)) as { default: Server }

if (values.http === undefined) serveStdio(server)
else {
  const http = await serveHttp(server, { port: Number(values.http) })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void http.close())
  console.log(`Serving on ${http.url}`)
}
