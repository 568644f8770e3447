/** The same caller before the same tools, directly and through the gateway: what it is told of its tasks is the same. */

import { type Client, connect } from '@portico/sdk/client'
import { serveHttp } from '@portico/sdk/http'
import { createPrincipal } from '@portico/sdk/server'
import { afterEach, expect, test } from 'vitest'
import { closeAll, closers, createSite, type Site } from './gateway-site.ts'
import { followed, modern, older, startedBy, type Wire, Works } from './gateway-task-site.ts'

afterEach(closeAll)

const GENERATIONS = ['2025-11-25', '2026-07-28'] as const
type Version = (typeof GENERATIONS)[number]
type Front = Pick<Site, 'http' | 'connect'>

/** The server itself, where the gateway would be. */
async function direct(works: Works): Promise<Site> {
  const http = await serveHttp(works.server, {
    port: 0,
    authenticate: (head) => createPrincipal(/^Bearer (.+)$/.exec(head.header('authorization') ?? '')?.[1] ?? 'nobody'),
  })
  closers.push(() => http.close())
  const front: Front = {
    http: http as unknown as Site['http'],
    connect: async (user, options) => {
      const client = await connect(String(http.url), { headers: { authorization: `Bearer ${user}` }, ...options })
      closers.push(() => client.close())
      return client
    },
  }
  // All that these callers use of it.
  return front as Site
}

async function through(works: Works, version: Version): Promise<Site> {
  return createSite({ works: { target: works.server, versions: version, settings: { tasksAfterMs: 0 } } })
}

/** What differs from one task to the next is left out, and what each side decides for itself. */
function alike(value: unknown): unknown {
  const own = new Set(['taskId', 'createdAt', 'lastUpdatedAt', 'ttl', 'ttlMs', 'pollInterval', 'pollIntervalMs'])
  const text = JSON.stringify(value, (key, member) => {
    if (key === '_meta' || key === 'statusMessage' || key === 'nextCursor') return undefined
    return own.has(key) ? typeof member : member
  })
  return JSON.parse(text)
}

const failed = (result: Wire): unknown => ({ isError: result.isError, blocks: result.content.length })
const codeOf = (answer: Promise<unknown>): Promise<unknown> =>
  answer.then(
    () => 'none',
    (error: { code?: unknown; rpcCode?: unknown }) => error.rpcCode ?? error.code,
  )

/** A caller of the newest revision that declares the extension. */
async function playModern(site: Site, works: Works): Promise<unknown[]> {
  const call = async (name: string) => (await modern(site, 'tools/call', { name, arguments: {} })).result
  const [first, second] = [await call('slow'), await call('slow')]
  const cancel = async () => (await modern(site, 'tasks/cancel', { taskId: second.taskId })).result
  const ended = [await cancel(), await followed(site, second.taskId), await cancel()]
  works.gate.open()
  const wrong = await followed(site, (await call('wrong')).taskId)
  return [
    first,
    ended,
    await followed(site, first.taskId),
    { status: wrong.status, ...(failed(wrong.result) as object) },
    await followed(site, (await call('sure')).taskId),
    (await modern(site, 'tasks/get', { taskId: 'unknown' })).error.code,
    (await modern(site, 'tasks/list', {})).error.code,
    (await modern(site, 'tasks/get', { taskId: first.taskId }, 'ben')).error.code,
  ]
}

/** A caller of 2025-11-25 that asks for tasks. */
async function playOlder(site: Site, works: Works): Promise<unknown[]> {
  const client: Client = await older(site, '2025-11-25')
  const ask = (method: string, params: object) => client.request(method, params as never) as Promise<Wire>
  const first = await ask('tools/call', { name: 'slow', arguments: {}, task: {} })
  const second = await startedBy(client, 'slow')
  const ended = [await ask('tasks/cancel', { taskId: second }), await codeOf(ask('tasks/cancel', { taskId: second }))]
  works.gate.open()
  const wrong = await startedBy(client, 'wrong')
  const listed = (await ask('tasks/list', {})).tasks.length
  return [
    first,
    ended,
    await ask('tasks/result', { taskId: first.task.taskId }),
    await ask('tasks/get', { taskId: first.task.taskId }),
    failed(await ask('tasks/result', { taskId: wrong })),
    (await ask('tasks/get', { taskId: wrong })).status,
    await ask('tasks/result', { taskId: await startedBy(client, 'sure') }),
    listed,
    await codeOf(ask('tasks/get', { taskId: 'unknown' })),
    await codeOf((await older(site, '2025-11-25', 'ben')).request('tasks/get', { taskId: first.task.taskId })),
  ]
}

const play = { '2025-11-25': playOlder, '2026-07-28': playModern }
const pairs = GENERATIONS.flatMap((caller) => GENERATIONS.map((server) => ({ caller, server })))

test.each(pairs)(
  'tasks 1.4: $caller is told the same through the gateway to $server as by a server of its own revision',
  async ({ caller, server }) => {
    const [near, far] = [new Works(caller, {}), new Works(server, {})]
    const told = await play[caller](await direct(near), near)
    expect(alike(await play[caller](await through(far, server), far))).toEqual(alike(told))
  },
)
