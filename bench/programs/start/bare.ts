/** The limit at start: Node and a loop over lines. */

import { cost } from './cost.ts'

process.stdin.setEncoding('utf8')
let rest = ''
process.stdin.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    if (id === undefined) continue
    const result = method === 'tools/call' ? { content: [{ type: 'text', text: cost() }] } : {}
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  }
})
