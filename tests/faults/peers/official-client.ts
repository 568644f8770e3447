/**
 * The official client as `portico faults --client` wants one: `official-client.ts <1 or 2> <url>`. Reads calls on standard
 * input, tells their ends on standard output. It makes the calls and nothing more, as its documentation shows it.
 */

import { createInterface } from 'node:readline'

interface Called {
  callTool(call: object, ...options: unknown[]): Promise<{ content: { text?: string }[] }>
}

const [major, url = ''] = process.argv.slice(2)
const client = major === '1' ? await connect1() : await connect2()
// SDK 1 takes a schema before the options.
const before = major === '1' ? [undefined] : []

for await (const line of createInterface({ input: process.stdin })) {
  const { nonce, tool, arguments: args, timeoutMs } = JSON.parse(line)
  const tell = (end: object) => process.stdout.write(`${JSON.stringify({ nonce, ...end })}\n`)
  client.callTool({ name: tool, arguments: args }, ...before, { timeout: timeoutMs }).then(
    ({ content }) => tell({ text: content[0]?.text ?? '' }),
    (error: unknown) => tell({ error: String(error) }),
  )
}
process.exit(0)

async function connect1(): Promise<Called> {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const made = new Client({ name: 'official', version: '1.32.2' })
  await made.connect(new StreamableHTTPClientTransport(new URL(url)))
  return made as unknown as Called
}

async function connect2(): Promise<Called> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const made = new Client({ name: 'official', version: '2.4.0' }, { versionNegotiation: { mode: 'auto' } })
  await made.connect(new StreamableHTTPClientTransport(new URL(url)))
  return made as unknown as Called
}
