/** Callers without tasks at a gateway that holds their requests for a while, and then gives them tools to come back by. */

import { type Client, connect } from '@portico/sdk/client'
import { afterEach, describe, expect, test } from 'vitest'
import { defineServer } from '../src/config/define-server.ts'
import { readList } from '../src/upstream/catalogue/listing.ts'
import { closeAll, createSite, type Site, textOf } from './gateway-site.ts'
import { eventually, older, Works } from './gateway-task-site.ts'

afterEach(closeAll)

const WITHOUT_TASKS = ['2024-11-05', '2025-06-18', '2025-11-25'] as const
const SERVERS = ['2025-06-18', '2025-11-25', '2026-07-28'] as const
const HELPERS = ['task_status', 'task_result', 'task_cancel']

async function siteOf(works: Works, version: (typeof SERVERS)[number], holdMs?: number): Promise<Site> {
  const settings = { tasksAfterMs: 0 }
  const tasks = holdMs === undefined ? {} : { holdMs }
  return createSite({ works: { target: works.server, versions: version, settings } }, { tasks })
}

async function namesFor(client: Client): Promise<string[]> {
  return (await client.listTools()).map(({ name }) => name)
}

async function handleOf(client: Client): Promise<string> {
  const text = textOf(await client.callTool('slow', {})) ?? ''
  return /"taskId":"([^"]+)"/.exec(text)?.[1] ?? ''
}

describe.each(SERVERS)('before a server of %s', (version) => {
  test.each(WITHOUT_TASKS)('tasks 1.4: a caller of %s gets a handle, and its result by it', async (caller) => {
    const works = new Works(version, version === '2025-06-18' ? undefined : {})
    const site = await siteOf(works, version, 50)
    const client = await older(site, caller)
    expect(await namesFor(client)).toEqual(expect.arrayContaining(HELPERS))
    const taskId = await handleOf(client)
    expect(textOf(await client.callTool('task_status', { taskId }))).toContain(`Task ${taskId} of the tool "slow"`)
    works.gate.open()
    await eventually(async () => textOf(await client.callTool('task_result', { taskId }))).toBe('done')
    expect(works.seen).toEqual(['begun'])
  })

  test('tasks 1.4 sec-520: a handle is its caller’s alone, and ends the work at the server', async () => {
    const works = new Works(version, version === '2025-06-18' ? undefined : {})
    const site = await siteOf(works, version, 50)
    const [ada, eve] = [await older(site, '2025-06-18', 'ada'), await older(site, '2025-06-18', 'eve')]
    const taskId = await handleOf(ada)
    for (const name of HELPERS) expect(textOf(await eve.callTool(name, { taskId }))).toContain('There is no such task')
    expect(textOf(await ada.callTool('task_cancel', { taskId }))).toContain('is cancelled')
    await eventually(() => works.seen).toEqual(['begun', 'cancelled'])
  })
})

test('tasks 1.4: without a budget there are no such tools, and the request stays open', async () => {
  const works = new Works('2025-11-25', {})
  const site = await siteOf(works, '2025-11-25')
  const client = await older(site, '2025-06-18')
  expect(await namesFor(client)).not.toEqual(expect.arrayContaining(HELPERS))
  const result = client.callTool('slow', {})
  await eventually(() => works.seen).toEqual(['begun'])
  works.gate.open()
  expect(textOf(await result)).toBe('done')
})

test.each([
  ['2025-06-18', HELPERS],
  ['2025-11-25', []],
  ['2026-07-28', []],
] as const)(
  'tasks 1.4: whoever follows tasks of a server of %s passes over the tools by which others do: %j',
  async (versions, shown) => {
    const works = new Works(versions, { helperTools: true })
    const client = await connect(works.server, { versions })
    const { raw } = await readList(
      client,
      defineServer('works', { kind: 'http', url: 'http://works.test', headers: {} }),
      'tools',
    )
    await client.close()
    const names = raw.map(({ definition }) => (definition as { readonly name: string }).name)
    expect(names).toContain('slow')
    expect(names.filter((name) => name.startsWith('task_'))).toEqual(shown)
  },
)
