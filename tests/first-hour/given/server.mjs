// A server without any library: one JSON object a line, in and out.
import { createInterface } from 'node:readline'

const greet = {
  name: 'greet',
  description: 'Greets somebody by name',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'greeter', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [greet] }),
  'tools/call': ({ arguments: { name } }) => ({ content: [{ type: 'text', text: `Hello, ${name}!` }] }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const rest = answer ? { result: answer(params) } : { error: { code: -32601, message: `no method ${method}` } }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...rest }))
}
