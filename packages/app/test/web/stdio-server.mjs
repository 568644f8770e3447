/** A server on the standard streams, by hand and small, so that it starts quickly. Floods when told to. */
import { createInterface } from 'node:readline'

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const TOOLS = [
  ...(process.argv.includes('--crash')
    ? [{ name: 'crash', description: 'Ends it', inputSchema: { type: 'object' } }]
    : []),
  { name: 'pid', description: 'Its process', inputSchema: { type: 'object' } },
  {
    name: 'flood',
    description: 'Sends messages without end',
    inputSchema: { type: 'object', properties: { count: { type: 'number' } } },
  },
]
process.stderr.write('the server has started\n')

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  if (method === 'initialize') {
    const { protocolVersion } = params
    send({
      id,
      result: {
        protocolVersion,
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: 'small', version: '1' },
      },
    })
  } else if (method === 'tools/list') send({ id, result: { tools: TOOLS } })
  else if (method === 'ping') send({ id, result: {} })
  else if (method === 'tools/call') {
    // Ends in the middle of the call.
    if (params.name === 'crash') process.exit(3)
    if (params.name === 'flood') {
      const data = '<img src=x onerror=alert(1)>'
      for (let at = 0; at < params.arguments.count; at++) {
        send({ method: 'notifications/message', params: { level: 'info', data: `${data} ${at}` } })
      }
    }
    send({ id, result: { content: [{ type: 'text', text: String(process.pid) }] } })
  } else send({ id, error: { code: -32601, message: 'Method not found' } })
})
process.stdin.on('end', () => process.exit(0))
