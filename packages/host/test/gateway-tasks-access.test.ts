/** Whose a task of the gateway is, and what rules, views and limits have to say about it after it began. */

import { afterEach, describe, expect, test } from 'vitest'
import type { Guard } from '../src/guard/guard.ts'
import type { Effect } from '../src/policy/effect.ts'
import { closeAll, createSite, type Site, textOf } from './gateway-site.ts'
import { CALLERS, eventually, followed, modern, older, startedBy, type Wire, Works } from './gateway-task-site.ts'

afterEach(closeAll)

const UNKNOWN = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

async function siteOf(options: Parameters<typeof createSite>[1] = {}, rest: Parameters<typeof createSite>[2] = {}) {
  const works = new Works('2025-06-18')
  const site = await createSite(
    { works: { target: works.server, versions: '2025-06-18', settings: { tasksAfterMs: 0 } } },
    options,
    rest,
  )
  return { works, site }
}

async function begin(site: Site, name: string, user?: string): Promise<string> {
  const { result } = await modern(site, 'tools/call', { name, arguments: {} }, user)
  return result.taskId
}

/** A guard that a test changes its mind with. */
function guardOf(judge: (effect: Effect) => boolean) {
  const passed: Effect[] = []
  const guard = {
    pass: async (effect: Effect) => {
      passed.push(effect)
      if (!judge(effect)) {
        const { HostError } = await import('../src/errors.ts')
        throw new HostError('denied', 'Not allowed: it is late')
      }
      return { effect, decision: { reason: '' }, finish: () => {} }
    },
    review: async (_effect: Effect, result: object) => ({ ...result, _meta: { 'example.com/reviewed': true } }),
    explain: async (effect: Effect) => ({
      outcome: judge(effect) ? 'allow' : 'deny',
      reason: 'it is late',
      considered: [],
    }),
  }
  return { passed, guard: guard as unknown as Guard }
}

describe('a task of somebody else', () => {
  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    'sec-390: cannot be told from none by %s',
    async (method) => {
      const { site, works } = await siteOf()
      const taskId = await begin(site, 'slow', 'ada')
      const ask = async (id: string) => (await modern(site, method, { taskId: id, inputResponses: {} }, 'bob')).error
      const foreign = await ask(taskId)
      expect(foreign).toMatchObject({ code: -32602 })
      expect(foreign).toEqual(await ask(UNKNOWN))
      works.gate.open()
      expect(textOf((await followed(site, taskId, 'ada')).result)).toBe('done')
    },
  )

  test.each(['tasks/get', 'tasks/result', 'tasks/cancel'])('sec-390: nor by %s of 2025-11-25', async (method) => {
    const { site, works } = await siteOf()
    const taskId = await begin(site, 'slow', 'ada')
    const bob = await older(site, '2025-11-25', 'bob')
    const ask = (id: string) => bob.request(method, { taskId: id }).catch((error: Wire) => error)
    const [foreign, unknown] = [(await ask(taskId)) as Wire, (await ask(UNKNOWN)) as Wire]
    expect(foreign).toMatchObject({ rpcCode: -32602 })
    expect([foreign.message, foreign.data]).toEqual([unknown.message, unknown.data])
    expect(await bob.request('tasks/list', {})).toMatchObject({ tasks: [] })
    works.gate.open()
  })

  test('sec-390: is followed by its owner on both revisions, and by nobody without a name', async () => {
    const { site, works } = await siteOf()
    const taskId = await begin(site, 'slow', 'ada')
    const ada = await older(site, '2025-11-25', 'ada')
    expect(await ada.request('tasks/get', { taskId })).toMatchObject({ status: 'working' })
    works.gate.open()
    expect(textOf((await ada.request('tasks/result', { taskId })) as never)).toBe('done')
  })
})

describe('what the rules say by now', () => {
  test.each(['tasks/get', 'tasks/update'])('sec-391: counts for %s, and never against an end', async (method) => {
    let allowed = true
    const { guard } = guardOf((effect) => allowed || effect.kind !== 'call')
    const { site, works } = await siteOf({}, { guard })
    const taskId = await begin(site, 'slow')
    await eventually(() => works.seen).toEqual(['begun'])
    expect((await modern(site, method, { taskId, inputResponses: {} })).error).toBeUndefined()
    allowed = false
    expect((await modern(site, method, { taskId, inputResponses: {} })).error).toMatchObject({
      message: 'Not allowed: it is late',
    })
    expect((await modern(site, 'tasks/cancel', { taskId })).error).toBeUndefined()
    await eventually(() => works.seen).toContain('cancelled')
  })

  test('sec-391: counts for a result that somebody waits for already', async () => {
    let allowed = true
    const { guard } = guardOf((effect) => allowed || effect.kind !== 'call')
    const { site, works } = await siteOf({}, { guard })
    const client = await older(site, '2025-11-25')
    const taskId = await startedBy(client, 'slow')
    await eventually(() => works.seen).toEqual(['begun'])
    const result = client.request('tasks/result', { taskId })
    await client.request('tasks/get', { taskId })
    allowed = false
    works.gate.open()
    await expect(result).rejects.toMatchObject({ message: 'Not allowed: it is late' })
  })

  test('sec-391: a tool that went out of view takes its tasks along', async () => {
    let hidden: string[] = []
    const { site, works } = await siteOf({ views: () => ({ hidden }) })
    const taskId = await begin(site, 'slow')
    hidden = ['slow']
    expect((await modern(site, 'tasks/get', { taskId })).error).toMatchObject({ message: 'Unknown tool: slow' })
    hidden = []
    works.gate.open()
    expect(textOf((await followed(site, taskId)).result)).toBe('done')
  })

  test('sec-391: a caller that was shut out reads nothing more', async () => {
    const { site, works } = await siteOf()
    const taskId = await begin(site, 'slow')
    await eventually(() => works.seen).toEqual(['begun'])
    await site.gateway.revoke('ada')
    expect((await modern(site, 'tasks/get', { taskId })).error).toBeDefined()
    await site.gateway.restore('ada')
    expect((await followed(site, taskId)).status).toBe('failed')
  })

  test('sec-392: what a task comes to is reviewed and measured like any result', async () => {
    const { guard } = guardOf(() => true)
    const { site, works } = await siteOf({}, { guard })
    works.gate.open()
    const task = await followed(site, await begin(site, 'slow'))
    expect(task.result._meta).toMatchObject({ 'example.com/reviewed': true })
    const small = await siteOf({ limits: { maxResultBytes: 10 } })
    small.works.gate.open()
    const refused = await followed(small.site, await begin(small.site, 'slow'))
    expect(textOf(refused.result)).toContain('maxResultBytes (10)')
  })

  test('sec-391: looking at tasks counts among the requests of a caller in a minute', async () => {
    const { site, works } = await siteOf({ limits: { listsPerMinute: 2 } })
    works.gate.open()
    const taskId = await begin(site, 'slow')
    for (let turn = 0; turn < 2; turn++) {
      expect((await modern(site, 'tasks/get', { taskId })).error).toBeUndefined()
    }
    expect((await modern(site, 'tasks/get', { taskId })).error).toMatchObject({ data: { limit: 'listsPerMinute (2)' } })
  })

  test('sec-391: looking for tasks that are not there counts, too', async () => {
    const { site } = await siteOf({ limits: { listsPerMinute: 2 } })
    const look = async () => (await modern(site, 'tasks/get', { taskId: UNKNOWN })).error
    expect([await look(), await look()]).toMatchObject([{ code: -32602 }, { code: -32602 }])
    expect(await look()).toMatchObject({ data: { limit: 'listsPerMinute (2)' } })
  })

  test('sec-391: what happens to a task is written down, and a look at it is not', async () => {
    const written: { what: string; item?: string; principal?: string }[] = []
    const audit = { append: async (entry: (typeof written)[number]) => void written.push(entry) }
    const { site, works } = await siteOf({}, { audit: audit as never })
    const taskId = await begin(site, 'slow')
    await modern(site, 'tasks/get', { taskId: UNKNOWN }, 'bob')
    works.gate.open()
    await followed(site, taskId)
    const told = written.filter(({ what }) => what.startsWith('task-')).map(({ what, principal }) => [what, principal])
    expect(told).toEqual([
      ['task-created', 'ada'],
      ['task-refused', 'bob'],
      ['task-completed', 'ada'],
    ])
  })

  test('sec-393: one caller has so many tasks, and another has its own', async () => {
    const { site, works } = await siteOf({ tasks: { limits: { maxTasksPerPrincipal: 3 } } })
    const begun = await Promise.all(
      Array.from({ length: 50 }, () => modern(site, 'tools/call', { name: 'slow', arguments: {} })),
    )
    expect(begun.filter(({ result }) => result?.resultType === 'task')).toHaveLength(3)
    expect(begun.find(({ error }) => error !== undefined)?.error.message).toContain('maxTasksPerPrincipal (3)')
    expect((await modern(site, 'tools/call', { name: 'slow', arguments: {} }, 'bob')).result.resultType).toBe('task')
    works.gate.open()
  })
})

describe('the gate that questions pass', () => {
  const asking = CALLERS.filter(({ version }) => version !== '2024-11-05')
  const servers = [
    { version: '2025-06-18', tasks: false },
    { version: '2025-11-25', tasks: false },
    { version: '2025-11-25', tasks: true },
    { version: '2026-07-28', tasks: false },
    { version: '2026-07-28', tasks: true },
  ] as const
  const ways = servers.flatMap((server) => asking.map((caller) => ({ server, caller, kind: caller.kind, ...server })))
  test.each(ways)('sec-394: is the same for $kind before $version, tasks $tasks', async ({ server, caller }) => {
    const works = new Works(server.version, server.tasks ? {} : undefined)
    const { guard, passed } = guardOf(({ kind }) => kind !== 'elicit')
    const settings = { tasksAfterMs: 0 }
    const site = await createSite(
      { works: { target: works.server, versions: server.version, settings } },
      {},
      { guard },
    )
    const outcome = await caller.call(site, 'sure').catch((error: unknown) => error)
    // The server is refused by the gateway, and nobody was asked.
    expect(JSON.stringify(outcome)).not.toContain('accept')
    expect(passed.filter(({ kind }) => kind === 'elicit')).toContainEqual({
      kind: 'elicit',
      server: 'works',
      mode: 'form',
    })
  })
})

describe('lists and settings', () => {
  test('T25-04: a tool may be asked for as a task where the gateway makes some of it, and nowhere else', async () => {
    const works = new Works('2025-11-25', {})
    const settings = { tools: { slow: { tasks: 'off' } } } as const
    const site = await createSite({ works: { target: works.server, versions: '2025-11-25', settings } })
    const client = await older(site, '2025-11-25')
    const tools = ((await client.request('tools/list', {})) as Wire).tools as Wire[]
    const support = Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]))
    expect(support).toEqual({ slow: undefined, sure: 'optional', wrong: 'optional', plain: 'optional' })
    await expect(startedBy(client, 'slow')).rejects.toMatchObject({ rpcCode: -32601 })
    works.gate.open()
    const { result } = await modern(site, 'tools/call', { name: 'slow', arguments: {} })
    expect(textOf(result)).toBe('done')
  })

  test('without tasks, the gateway declares none and makes none', async () => {
    const { site, works } = await siteOf({ tasks: false })
    works.gate.open()
    expect(textOf((await modern(site, 'tools/call', { name: 'slow', arguments: {} })).result)).toBe('done')
    expect((await modern(site, 'server/discover', {})).result.capabilities.extensions).toBeUndefined()
    expect((await modern(site, 'tasks/get', { taskId: UNKNOWN })).error).toMatchObject({ code: -32601 })
  })
})
