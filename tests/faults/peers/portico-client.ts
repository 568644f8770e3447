/** The client of `portico faults --as-client <url>`. */

import { createInterface } from 'node:readline'
import { connect, PorticoError } from '@portico/sdk/client'

const client = await connect(process.argv[2] ?? '', { negotiations: false })
for await (const line of createInterface({ input: process.stdin })) {
  const { nonce, tool, arguments: args, timeoutMs } = JSON.parse(line)
  const tell = (end: object) => process.stdout.write(`${JSON.stringify({ nonce, ...end })}\n`)
  client.callTool(tool, args, { timeoutMs }).then(
    ({ content: [first] }) => tell({ text: first?.type === 'text' ? first.text : '' }),
    (error: unknown) =>
      tell({ error: String(error), ...(error instanceof PorticoError && { delivery: error.delivery }) }),
  )
}
process.exit(0)
