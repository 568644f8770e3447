// Teaches: subscriptions. A resource and a list are watched, and read again whenever the server says that they changed.
import { fileURLToPath } from 'node:url'
import { type ChangeNotice, connect } from '@portico/sdk/client'

const wiki = fileURLToPath(new URL('resources.ts', import.meta.url))
const client = await connect({ command: process.execPath, args: [...process.execArgv, wiki] })

const home = 'wiki://pages/home'

// Outlives the connection: after a reconnection everything is reported once as `synthetic`, since anything may have changed.
const subscription = await client.subscribe(
  { resourceSubscriptions: [home], resourcesListChanged: true },
  (change) => void show(change),
)
console.log('agreed:', subscription.filter)

await client.callTool('edit', { name: 'home', text: '# New home' })
await client.callTool('edit', { name: 'garden', text: '# Garden' })

async function show(change: ChangeNotice): Promise<void> {
  if (change.kind === 'resource') {
    const { contents } = await client.readResource(change.uri)
    console.log(change.uri, contents)
  }
  if (change.kind === 'resources') {
    const resources = await client.listResources()
    console.log('list:', resources.map(({ uri }) => uri).join(' '))
    await subscription.close()
    await client.close()
  }
}
