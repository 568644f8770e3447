/**
 * One replica of a small server, as a process: what it does is noted in a file, so that doing it twice is seen. Without a setting it
 * is a server alone, for gateways that are replicas themselves.
 */

import { appendFileSync, readFileSync } from 'node:fs'
import { createCluster } from '@portico/host/cluster'
import { openState } from '@portico/host/state'
import { serveHttp } from '@portico/sdk/http'
import { createServer, resource, tool } from '@portico/sdk/server'
import { createTasks } from '@portico/sdk/tasks'

const [setting = '', ledger = ''] = process.argv.slice(2)
const LEASE_MS = 5_000
const WORK_MS = 300
const WORD = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] } as const

const state = setting === '' ? undefined : await openState(JSON.parse(setting))
const cluster = state && (await createCluster({ ...state, leaseMs: LEASE_MS, drainMs: 500, onError: () => undefined }))

const note = tool({ description: 'Notes a word', input: WORD }, async (input, ctx) => {
  const { word, change, slowly } = input as { word: string; change?: boolean; slowly?: boolean }
  appendFileSync(ledger, `${word}\n`)
  if (slowly === true) await ctx.progress(1, 2, 'noted')
  if (change === true) server.changed('note:///one')
  return word
})

/** As a task. Whoever takes it over is told that the step may have been done, and looks. */
const work = tool(
  { description: 'Notes a word in time', input: WORD, task: { mode: 'required', pollIntervalMs: 200 } },
  async ({ word }, ctx) => {
    await ctx.step('note', ({ interrupted }) => {
      if (!interrupted || !isNoted(word)) appendFileSync(ledger, `${word}\n`)
      return word
    })
    await ctx.sleep(WORK_MS)
    return word
  },
)

function isNoted(word: string): boolean {
  return readFileSync(ledger, 'utf8').split('\n').includes(word)
}

const server = createServer({
  name: 'ledger',
  version: '1.0.0',
  ...cluster?.server,
  tasks: createTasks(state ? { store: state.store, bus: state.bus, leaseMs: LEASE_MS } : {}),
  onError: () => undefined,
  tools: { note, work },
  resources: { one: resource({ uri: 'note:///one' }, () => 'text') },
})
await cluster?.shareChanges(server)
const sharing = cluster && { sharing: cluster.sharing, health: { ready: () => cluster.ready() } }
const http = await serveHttp(server, { port: 0, ...sharing })
console.log(http.url)

process.once('SIGTERM', () => {
  void http.close().then(async () => {
    await cluster?.close()
    process.exit(0)
  })
})
