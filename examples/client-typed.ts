// Teaches: a typed client. The type of a server, and nothing else of it, gives its tools names, arguments and results.
import { fileURLToPath } from 'node:url'
import { connect } from '@portico/sdk/client'
import type notes from './notes.ts'

const start = fileURLToPath(new URL('start.ts', import.meta.url))
const target = { command: process.execPath, args: [...process.execArgv, start, '--stdio'] }

const client = await connect<typeof notes>(target)

await client.tools.add({ title: 'shopping', text: 'Milk and honey' })

// `output` of the tool is the type of the result, and what came was checked against it on the server.
const { titles } = await client.tools.search({ words: 'honey' })
console.log(titles.map((title) => title.toUpperCase()).join(', '))

// @ts-expect-error: the compiler knows that `words` is missing. The server says so too, and that is thrown here.
await client.tools.search({}).catch(({ code, message }) => console.log(`${code}: ${message}`))

// The whole result, with its content blocks, for programs that pass it on to a model.
const result = await client.callTool('list')
console.log(result.content[0], result.structuredContent)

await client.close()
