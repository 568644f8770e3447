// Says what it is told to, as it is: its answers stand in the file that it is given. Calls ask first where the file says so.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { answers, calls } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const waiting = new Map()

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (method === undefined) {
    const { call, answer } = waiting.get(id)
    return send({ id: call, ...answer })
  }
  if (id === undefined) return
  if (method !== 'tools/call') {
    return send({ id, ...(answers[method] ?? { error: { code: -32601, message: `Method not found: ${method}` } }) })
  }
  const { notices = [], question, answer } = calls[params.name]
  const progressToken = params._meta?.progressToken
  for (const notice of notices) send({ method: notice.method, params: { ...notice.params, progressToken } })
  if (question === undefined) return send({ id, ...answer })
  waiting.set(`q-${id}`, { call: id, answer })
  send({ id: `q-${id}`, ...question })
})
