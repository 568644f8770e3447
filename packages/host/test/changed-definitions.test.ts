/** What changed since it was approved is asked about and written down by the host itself, and used by nobody meanwhile. */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { meaningOf } from '@portico/sdk/internal'
import { createServer, tool } from '@portico/sdk/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHost, type Host } from '../src/assembly/host.ts'
import { defineServer } from '../src/config/define-server.ts'
import type { Answer, Question } from '../src/consent/question.ts'
import { createPinStore } from '../src/upstream/pins/pins.ts'

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
  const observed = (definition: object) => {
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
    pins.check(observed(tool1))
    expect(pins.check(observed(tool1)).quarantine).toBeUndefined()
    expect(pins.check(observed({ ...tool1, ...more })).quarantine).toBeDefined()
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

describe('what a server says of itself (host 35, sec-267)', () => {
  const identity = {
    name: 'a',
    title: 'A',
    icons: [{ src: 'https://a.example/x.svg' }],
    websiteUrl: 'https://a.example/',
  }

  async function visit(info: object, ask?: (question: Question) => Answer | undefined): Promise<Host> {
    const make = async () => ({ server: createServer({ ...info, tools: { say: tool({}, () => 'ok') } } as never) })
    const servers = [defineServer('a', { kind: 'in-process', module: 'a', options: {} })]
    const host = await createHost({ stateDir, inProcess: new Map([['a', make]]), servers, ask })
    hosts.push(host)
    await host.catalogue.gather()
    return host
  }

  it.each([
    ['name', { ...identity, name: 'b' }],
    ['title', { ...identity, title: 'Other' }],
    ['icons', { ...identity, icons: [{ src: 'https://evil.example/x.svg' }] }],
    ['websiteUrl', { ...identity, websiteUrl: 'https://evil.example/' }],
  ])('is asked about and audited when its %s is another, and not again after a yes', async (part, other) => {
    await close(await visit({ ...identity, version: '1' }))
    const host = await visit({ ...other, version: '1' }, ({ body }) => (body.kind === 'definition' ? undefined : yes()))
    await expect.poll(() => waiting(host).length).toBe(1)
    const [question] = waiting(host)
    expect(question?.body).toMatchObject({
      item: expect.stringMatching(/^what a (?:says of|calls) itself$/),
      difference: [{ part: expect.stringContaining(part) }],
    })
    host.inbox.answer(question?.id ?? '', yes())
    await expect.poll(() => waiting(host).length).toBe(0)
    await close(host)
    expect(await readFile(join(stateDir, 'audit', 'audit.jsonl'), 'utf8')).toContain('"definition-approved"')
    expect(waiting(await visit({ ...other, version: '1' }))).toEqual([])
  })

  it('may come with another version', async () => {
    await close(await visit({ ...identity, version: '1' }))
    expect(waiting(await visit({ ...identity, version: '2' }))).toEqual([])
  })
})

describe('a file that came with a project (host 35, sec-268)', () => {
  it('is asked about and audited by the host, used after a yes, and exactly as it was shown', async () => {
    const file = join(stateDir, 'project.json')
    const text = JSON.stringify({ servers: { dev: { command: 'node', args: ['x.mjs'], disabled: true } } })
    await writeFile(file, text)
    const configFiles = [{ path: file, scope: 'project' as const }]
    const host = await createHost({ stateDir, configFiles, ask: () => undefined })
    hosts.push(host)
    const [question] = host.inbox.pending()
    expect(question?.body).toMatchObject({ kind: 'trust', servers: ['dev'] })
    expect(host.upstreams.views()).toEqual([])
    host.inbox.answer(question?.id ?? '', yes())
    await expect.poll(() => host.upstreams.views().map(({ name }) => name)).toEqual(['dev'])
    await writeFile(file, text.replace('x.mjs', 'evil.mjs'))
    await host.reload()
    expect(host.upstreams.views()).toEqual([])
    await expect.poll(() => host.inbox.pending().length).toBe(1)
    await close(host)
    const log = await readFile(join(stateDir, 'audit', 'audit.jsonl'), 'utf8')
    expect(log).toMatch(/"file-untrusted".*\n(?:.*\n)*.*"file-trusted".*\n(?:.*\n)*.*"file-untrusted"/)
  })

  it('is written down and not asked about where nobody is there', async () => {
    const file = join(stateDir, 'project.json')
    await writeFile(file, JSON.stringify({ servers: { dev: { command: 'node' } } }))
    const host = await createHost({ stateDir, configFiles: [{ path: file, scope: 'project' }], unattended: true })
    hosts.push(host)
    expect(host.inbox.pending()).toEqual([])
    await close(host)
    expect(await readFile(join(stateDir, 'audit', 'audit.jsonl'), 'utf8')).toContain('"file-untrusted"')
  })
})
