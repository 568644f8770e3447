/**
 * One replica as a process that can be asked what it used: its processor time, its memory, and how often it called the store.
 * What its tool did is noted in a file, where one is named.
 */

import { appendFileSync } from 'node:fs'
import { createCluster } from '@portico/host/cluster'
import { openState } from '@portico/host/state'
import { serveHttp } from '@portico/sdk/http'
import { createServer, resource, tool } from '@portico/sdk/server'
import type { Store } from '@portico/sdk/state'
import { redisLibrary } from '../places.ts'

/** What a replica has used since it started. */
export interface Used {
  /** In microseconds. */
  readonly cpu: number
  /** In bytes; after collection where that was asked for. */
  readonly memory: number
  readonly reads: number
  readonly writes: number
}

export interface ReplicaPlan {
  readonly setting: object
  readonly ledger?: string
  readonly leaseMs?: number
}

const [text = '{}'] = process.argv.slice(2)
// The suite wrote it.
const { setting, ledger, leaseMs = 10_000 } = JSON.parse(text) as ReplicaPlan
const counts = { reads: 0, writes: 0 }

const place = setting as { redis: string }
const opened = await openState('redis' in place ? { ...place, library: redisLibrary } : place)
const store = counted(opened.store)
const cluster = await createCluster({ store, bus: opened.bus, leaseMs, drainMs: 1, onError: () => undefined })
const server = createServer({
  name: 'measured',
  version: '1.0.0',
  ...cluster.server,
  onError: () => undefined,
  tools: {
    note: tool(
      {
        description: 'Notes a word',
        input: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
      },
      (input) => {
        const { word } = input as { word: string }
        if (ledger !== undefined) appendFileSync(ledger, `${word}\n`)
        return word
      },
    ),
  },
  resources: { one: resource({ uri: 'note:///one' }, () => 'text') },
})
await cluster.shareChanges(server)
const limits = { maxSessions: 1_000_000, maxListeners: 1_000_000 }
const ready = (): boolean => cluster.ready()
const http = await serveHttp(server, { port: 0, sharing: cluster.sharing, health: { ready }, limits })

process.on('message', (asked) => {
  if (asked === 'change') server.changed('note:///one')
  if (asked === 'memory') for (let round = 0; round < 3; round++) globalThis.gc?.()
  const { user, system } = process.cpuUsage()
  const { heapUsed, external } = process.memoryUsage()
  process.send?.({ cpu: user + system, memory: heapUsed + external, ...counts } satisfies Used)
})
process.once('disconnect', () => process.exit())
process.send?.(http.port)

/** The same store, whose calls are counted. */
function counted(inner: Store): Store {
  return new Proxy(inner, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        if (name === 'get' || name === 'list' || name === 'holder') counts.reads++
        else counts.writes++
        return Reflect.apply(member, target, given)
      }
    },
  })
}
