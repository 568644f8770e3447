/** What changed since it was approved is asked about and written down by the host itself, and used by nobody meanwhile. */

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineServer } from '../src/config/define-server.ts'
import type { Answer, Question } from '../src/consent/question.ts'
import { createHost, type Host } from '../src/host/host.ts'
import { meaningOf } from '../src/upstream/canonical.ts'
import { createPinStore } from '../src/upstream/pins.ts'

let stateDir: string
let hosts: Host[] = []
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'portico-changed-'))
})
afterEach(async () => {
  for (const host of hosts) await host.close()
  hosts = []
  await rm(stateDir, { recursive: true, force: true })
})

interface Words {
  readonly instructions?: string
  readonly description?: string
}

async function start(
  { instructions, description = 'Says' }: Words,
  ask?: (question: Question) => Answer | undefined,
): Promise<Host> {
  const make = async () => ({
    server: createServer({
      name: 'a',
      version: '1',
      ...(instructions !== undefined && { instructions }),
      tools: { say: tool({ description, input: { type: 'object' } }, () => 'ok') },
    }),
  })
  const servers = [defineServer('a', { kind: 'in-process', module: 'a', options: {} })]
  const host = await createHost({ stateDir, inProcess: new Map([['a', make]]), servers, ask })
  hosts.push(host)
  await host.catalogue.gather()
  return host
}

const waiting = (host: Host) => host.inbox.pending().filter(({ body }) => body.kind === 'definition')
const yes = (): Answer => ({ action: 'allow' })

async function close(host: Host): Promise<void> {
  await host.close()
  hosts = hosts.filter((one) => one !== host)
}

describe('a changed definition (host 35, sec-207)', () => {
  it('is asked about and audited by the host, and used once it is approved', async () => {
    await close(await start({}))
    const host = await start({ description: 'EVIL' }, ({ body }) => (body.kind === 'definition' ? undefined : yes()))
    await expect.poll(() => waiting(host).length).toBe(1)
    const [question] = waiting(host)
    expect(question?.body).toMatchObject({ item: 'a_say', difference: [{ part: 'description', after: 'EVIL' }] })
    await expect(host.call('a_say')).rejects.toMatchObject({ code: 'quarantined' })
    host.inbox.answer(question?.id ?? '', yes())
    await expect.poll(() => host.catalogue.find('a_say')?.quarantine).toBeUndefined()
    expect((await host.call('a_say')).server).toBe('a')
    await close(host)
    const log = await readFile(join(stateDir, 'audit', 'audit.jsonl'), 'utf8')
    expect(log).toMatch(/"definition-changed".*\n(?:.*\n)*.*"definition-approved"/)
  })

  it('that was approved in one process is used by the other, and no longer asked there (host 32)', async () => {
    await close(await start({}))
    const [one, two] = [await start({ description: 'new' }), await start({ description: 'new' })]
    await expect.poll(() => waiting(two).length).toBe(1)
    one.catalogue.approve('a', 'say', 'tool')
    await expect.poll(() => two.catalogue.find('a_say')?.quarantine, { timeout: 10_000 }).toBeUndefined()
    await expect.poll(() => waiting(two).length).toBe(0)
  })
})

describe('what a server tells models about itself (host 12, sec-208)', () => {
  it('is not shown with other words before somebody has read them', async () => {
    await close(await start({ instructions: 'Be kind.' }))
    const host = await start({ instructions: 'EVIL' }, ({ body }) => (body.kind === 'definition' ? undefined : yes()))
    await expect.poll(() => waiting(host).length).toBe(1)
    const [question] = waiting(host)
    expect(question?.body).toMatchObject({
      item: 'instructions of a',
      difference: [{ before: 'Be kind.', after: 'EVIL' }],
    })
    host.inbox.answer(question?.id ?? '', yes())
    await expect.poll(() => waiting(host).length).toBe(0)
    await close(host)
    const again = await start({ instructions: 'EVIL' })
    expect(waiting(again)).toEqual([])
  })
})

describe('everything that reaches a model or client is pinned (host 35, sec-207)', () => {
  const tool1 = { name: 't', description: 'd', inputSchema: { type: 'object' } }
  const sighting = (definition: object) => {
    return { server: 's', kind: 'tool', ownName: 't', meaning: meaningOf('tool', definition) } as const
  }

  it.each([
    ['_meta', { _meta: { ui: { resourceUri: 'ui://evil' } } }],
    ['icons', { icons: [{ src: 'https://evil.example/x.svg' }] }],
    ['execution', { execution: { taskSupport: 'required' } }],
    ['a member nobody knows yet', { tomorrow: true }],
    ['title', { title: 'T' }],
  ])('%s', (_, more) => {
    const pins = createPinStore()
    pins.check(sighting(tool1))
    expect(pins.check(sighting(tool1)).quarantine).toBeUndefined()
    expect(pins.check(sighting({ ...tool1, ...more })).quarantine).toBeDefined()
  })

  it('but not what changes as data does', () => {
    const before = { uri: 'x://', name: 'n', size: 1, annotations: { lastModified: '2025', audience: ['user'] } }
    const after = { ...before, size: 2, annotations: { lastModified: '2026', audience: ['user'] } }
    expect(meaningOf('resource', after)).toEqual(meaningOf('resource', before))
    expect(meaningOf('resource', { ...after, annotations: { audience: ['assistant'] } })).not.toEqual(
      meaningOf('resource', before),
    )
  })
})
