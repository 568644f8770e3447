/** Long work through the gateway: every kind of caller before every kind of server, and each gets what it can take. */

import type { ProtocolVersion } from '@portico/sdk/client'
import { afterEach, describe, expect, test } from 'vitest'
import { closeAll, createSite, raw, type Site } from './gateway-site.ts'
import { CALLERS, eventually, followed, modern, older, startedBy, Works } from './gateway-task-site.ts'

afterEach(closeAll)

/** Servers by what they have: no tasks at all, or those of their revision. */
const SERVERS: readonly { readonly version: ProtocolVersion; readonly tasks: boolean }[] = [
  { version: '2024-11-05', tasks: false },
  { version: '2025-06-18', tasks: false },
  { version: '2025-11-25', tasks: false },
  { version: '2025-11-25', tasks: true },
  { version: '2026-07-28', tasks: false },
  { version: '2026-07-28', tasks: true },
]
const PAIRS = SERVERS.flatMap((server) => CALLERS.map((caller) => ({ server, caller })))
const named = PAIRS.map(({ server, caller }) => ({
  server,
  caller,
  pair: `${caller.kind} before ${server.version} ${server.tasks ? 'with' : 'without'} tasks`,
}))

async function siteOf(
  { version, tasks }: (typeof SERVERS)[number],
  tasksAfterMs = 10,
): Promise<{ site: Site; works: Works }> {
  const works = new Works(version, tasks ? {} : undefined)
  const site = await createSite({ works: { target: works.server, versions: version, settings: { tasksAfterMs } } })
  return { site, works }
}

describe('work that takes long', () => {
  test.each(named)('tasks 1.4: reaches $pair, as a task where the caller knows them', async ({ server, caller }) => {
    const { site, works } = await siteOf(server)
    const outcome = caller.call(site, 'slow')
    await eventually(() => site.gateway.metrics().servers.works?.running).toBe(1)
    if (caller.knowsTasks) await eventually(() => site.gateway.metrics().tasks).toBe(1)
    // A server that decides by itself makes a task of it for anybody; one that is asked, where somebody can have one.
    const isFollowed = server.tasks && (server.version === '2026-07-28' || caller.knowsTasks)
    await eventually(() => site.gateway.metrics().followed).toBe(isFollowed ? 1 : 0)
    works.gate.open()
    expect(await outcome).toEqual({ text: 'done', asTask: caller.knowsTasks })
    expect(works.seen).toEqual(['begun'])
    expect(site.gateway.metrics()).toMatchObject({ tasks: 0, followed: 0, parked: 0 })
  })

  const asking = named.filter(
    ({ server, caller }) => server.version !== '2024-11-05' && caller.version !== '2024-11-05',
  )
  test.each(asking)('tasks 1.4: asks $pair, and goes on with the answers', async ({ server, caller }) => {
    const { site } = await siteOf(server, 0)
    expect(await caller.call(site, 'sure')).toEqual({ text: 'accept accept', asTask: caller.knowsTasks })
    expect(site.gateway.metrics()).toMatchObject({ tasks: 0, followed: 0, parked: 0 })
  })
})

describe('the result of a task', () => {
  test.each(SERVERS)('is that of a plain call, of $version, tasks $tasks', async (server) => {
    const { site, works } = await siteOf(server, 0)
    works.gate.open()
    const plain = await raw(site, 'tools/call', { name: 'slow', arguments: {} })
    const { result } = await modern(site, 'tools/call', { name: 'slow', arguments: {} })
    const task = await followed(site, result.taskId)
    const { resultType: _type, ...own } = task.result
    expect(own).toEqual({ content: plain.result.content })
    const client = await older(site, '2025-11-25')
    const taskId = await startedBy(client, 'slow')
    const older25 = await client.request('tasks/result', { taskId })
    expect(older25).toEqual({
      content: plain.result.content,
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    })
  })

  test('sec-24: a task whose headers tell another story is refused', async () => {
    const { site, works } = await siteOf({ version: '2025-06-18', tasks: false }, 0)
    const client = await site.connect('ada', {
      versions: '2025-11-25',
      headers: { 'mcp-name': 'other', authorization: 'Bearer ada' },
    })
    await expect(startedBy(client, 'slow')).rejects.toMatchObject({ message: expect.stringContaining('Mcp-Name') })
    expect(works.seen).toEqual([])
  })
})

describe('what is quick', () => {
  test.each(CALLERS.filter(({ kind }) => !kind.includes('with a task')))(
    'is answered at once to $kind',
    async (caller) => {
      const { site } = await siteOf({ version: '2025-11-25', tasks: false })
      expect(await caller.call(site, 'plain')).toEqual({ text: 'at once', asTask: false })
    },
  )
})

describe('cancelling', () => {
  test.each(SERVERS)('tasks 1.4: of a task by 2026-07-28 reaches $version, tasks $tasks', async (server) => {
    const { site, works } = await siteOf(server)
    const { result } = await modern(site, 'tools/call', { name: 'slow', arguments: {} })
    await eventually(() => works.seen).toEqual(['begun'])
    expect((await modern(site, 'tasks/cancel', { taskId: result.taskId })).result).toMatchObject({
      resultType: 'complete',
    })
    expect(await followed(site, result.taskId)).toMatchObject({ status: 'cancelled' })
    await eventually(() => works.seen).toContain('cancelled')
  })

  test.each(SERVERS)('tasks 1.4: of a task by 2025-11-25 reaches $version, tasks $tasks', async (server) => {
    const { site, works } = await siteOf(server)
    const client = await older(site, '2025-11-25')
    const taskId = await startedBy(client, 'slow')
    await eventually(() => works.seen).toEqual(['begun'])
    expect(await client.request('tasks/cancel', { taskId })).toMatchObject({ status: 'cancelled' })
    await eventually(() => works.seen).toContain('cancelled')
  })

  test.each(SERVERS)('tasks 1.4: of a held call reaches $version, tasks $tasks', async (server) => {
    const { site, works } = await siteOf(server)
    const client = await older(site, '2025-06-18')
    const abort = new AbortController()
    const call = client.callTool('slow', {}, { signal: abort.signal })
    await eventually(() => works.seen).toEqual(['begun'])
    abort.abort()
    await expect(call).rejects.toMatchObject({ code: 'aborted' })
    await eventually(() => works.seen).toContain('cancelled')
  })

  test.each(SERVERS.filter(({ version }) => version !== '2024-11-05'))(
    'tasks 1.4: of a task that waits for an answer ends the work at $version, tasks $tasks',
    async (server) => {
      const { site } = await siteOf(server, 0)
      const { result } = await modern(site, 'tools/call', { name: 'sure', arguments: {} })
      const taskId = result.taskId
      expect(await followed(site, taskId, 'ada', 'input_required')).toMatchObject({ status: 'input_required' })
      await modern(site, 'tasks/cancel', { taskId })
      await eventually(() => site.gateway.metrics()).toMatchObject({ parked: 0, followed: 0 })
      await eventually(() => site.gateway.metrics().servers.works?.running).toBe(0)
    },
  )
})
