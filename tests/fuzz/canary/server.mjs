// Says what it is told to, as it is: its answers stand in the file that it is given. Where the file says so it asks first:
// by a request of its own, or, in the newest revision, by an answer that the client has to send input for.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const { answers, calls, rounds } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const waiting = new Map()

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (method === undefined) {
    const { call, answer } = waiting.get(id)
    return send({ id: call, ...answer })
  }
  if (id === undefined) return
  const { notices = [], question, answer } = method === 'tools/call' ? calls[params.name] : { answer: answers[method] }
  const progressToken = params._meta?.progressToken
  for (const notice of notices) send({ method: notice.method, params: { ...notice.params, progressToken } })
  const round =
    rounds && params.inputResponses === undefined ? (rounds[params.name ?? method] ?? rounds[method]) : undefined
  if (round !== undefined) return send({ id, result: round })
  if (question === undefined || rounds) {
    return send({ id, ...(answer ?? { error: { code: -32601, message: `Method not found: ${method}` } }) })
  }
  waiting.set(`q-${id}`, { call: id, answer })
  send({ id: `q-${id}`, ...question })
})
