/** Run by `client-faults.test.ts` in a process of its own: uses clients of every kind, closes them, and tells what is left. */

import { connect } from '../src/connect/connect.ts'
import {
  discovered,
  initialized,
  json,
  PROCESS_MODERN,
  result,
  scriptedHttp,
  scriptedProcess,
  toolResult,
} from './client-peers.ts'

const held = () =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => kind !== 'Immediate')
    .sort()
const before = held()

const modern = await scriptedHttp(({ body }, response) => {
  json(response, 200, result(body?.id, body?.method === 'server/discover' ? discovered() : toolResult('x')))
})
const legacy = await scriptedHttp(({ method, body }, response) => {
  if (method === 'GET') response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
  else if (body?.id === undefined) response.writeHead(202).end()
  else json(response, 200, result(body.id, body.method === 'initialize' ? initialized() : toolResult('x')))
})
const clients = [
  await connect(modern.url),
  await connect(legacy.url, { roots: [], versions: '2025-11-25' }),
  await connect(scriptedProcess(`${PROCESS_MODERN}; ok({ content: [] })`)),
]
for (const client of clients) await client.callTool('x')
for (const client of clients) await client.close()
await modern.close()
await legacy.close()
// Handles are taken off the list some turns after they were closed.
for (let turn = 0; turn < 100 && held().length > before.length; turn++)
  await new Promise((resolve) => setImmediate(resolve))
const left = held()
for (const kind of before) if (left.includes(kind)) left.splice(left.indexOf(kind), 1)
process.stdout.write(JSON.stringify(left))
