// Teaches: caching. What the server gave a time to live is not asked for again, not even by another client of this process.
import { connect, createMemoryCache } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createServer, resource, tool } from '@portico/sdk/server'

let reads = 0
const tides = resource({ uri: 'sea://tides', cache: { ttlMs: 3_600_000, scope: 'public' } }, () => `read ${++reads}`)
const diary = resource({ uri: 'sea://diary', cache: { ttlMs: 3_600_000, scope: 'private' } }, () => `read ${++reads}`)
const storm = tool({ description: 'Changes the tides' }, () => {
  server.changed('sea://tides')
  return 'It storms.'
})
const server = createServer({ name: 'sea', version: '1.0.0', resources: { tides, diary }, tools: { storm } })
const http = await serveHttp(server, { port: 0 })

// One cache for many clients. Private results are kept apart by who asks.
const cache = createMemoryCache()
const ann = await connect(http.url, { cache, cacheIdentity: 'ann' })
const bob = await connect(http.url, { cache, cacheIdentity: 'bob' })

for (const client of [ann, bob, ann]) {
  for (const uri of ['sea://tides', 'sea://diary']) {
    const { contents } = await client.readResource(uri)
    console.log(client === ann ? 'ann' : 'bob', contents[0])
  }
}

// A notice of change makes what was kept stale.
const changed = new Promise((resolve) => ann.on('change', resolve))
await ann.subscribe('sea://tides')
await bob.callTool('storm')
await changed
console.log('after the storm', (await bob.readResource('sea://tides')).contents[0])

await Promise.all([ann.close(), bob.close()])
await http.close()
