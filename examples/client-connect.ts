// Teaches: connecting to a program, to a URL and to a server in this process. The newest common revision is found by itself.
import { fileURLToPath } from 'node:url'
import { type Client, connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, resource, tool } from '@portico/sdk/server'

const notes = createServer({
  name: 'notes',
  version: '1.0.0',
  tools: { count: tool({ description: 'How many notes there are' }, () => '1') },
  resources: { welcome: resource({ uri: 'notes://welcome' }, () => 'This note is the only one.') },
})

// A program, started without a shell and with a short list of environment variables.
const hello = fileURLToPath(new URL('hello.ts', import.meta.url))
await look(await connect({ command: process.execPath, args: [...process.execArgv, hello] }))

// A URL.
const http = await serveHttp(notes, { port: 0 })
await look(await connect(http.url))

// The same with an older revision, as if this client knew no other.
await look(await connect(http.url, { versions: '2025-06-18' }))
await http.close()

// A server in this process: no bytes, the same messages.
const client = await connect(notes)
const { contents } = await client.readResource('notes://welcome')
for (const item of contents) if ('text' in item) console.log(item.text)
await look(client)

async function look(client: Client): Promise<void> {
  const { server, negotiated } = client
  const tools = await client.listTools()
  console.log(
    `${server.info?.name} by ${negotiated.transport}, ${client.version}: ${tools.map(({ name }) => name).join(' ')}`,
  )
  // Ends every call, subscription and process; without it a program that was started would go on.
  await client.close()
}
