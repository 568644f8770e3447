/** What a server lists later, or under a name that imitates another, does not slip into a yes that was given before. */

import { createServer, type Server, tool } from '@portico/sdk/server'
import { afterEach, describe, expect, it } from 'vitest'
import { defineServer } from '../src/config/define-server.ts'
import type { Answer } from '../src/consent/question.ts'
import { showDefinition } from '../src/upstream/catalogue/definition.ts'
import { type HostLab, startHost } from './host-lab.ts'

let labs: HostLab[] = []
afterEach(async () => {
  for (const lab of labs) await lab.close()
  labs = []
})

const named = (...names: string[]) =>
  createServer({
    name: 'a',
    version: '1',
    tools: Object.fromEntries(names.map((name) => [name, tool({ description: name }, () => 'ok')])),
  })

/** Lists one more tool and waits until the host knows it. */
async function grow(lab: HostLab, server: Server, name: string, annotations = {}): Promise<void> {
  // Clocks tick in milliseconds: what comes in the same one as the yes is not later.
  const before = Date.now()
  await expect.poll(() => Date.now()).toBeGreaterThan(before)
  server.tool(
    name,
    tool({ description: name, ...annotations }, () => 'ok'),
  )
  await expect.poll(() => lab.host.catalogue.find(`a_${name}`)).toBeDefined()
}

async function start(server: Server, decide: () => Answer, trusted = false): Promise<HostLab> {
  const target = { kind: 'in-process', module: 'a', options: {} } as const
  const config = defineServer('a', target)
  const settings = { ...config.settings, trusted }
  const lab = await startHost({ a: () => server }, { decide, servers: [{ ...config, settings }] })
  labs.push(lab)
  return lab
}

const everything: Answer = { action: 'allow', remember: 'always', breadth: 'server' }
const warningsOf = (lab: HostLab) => lab.asked.flatMap(({ body }) => (body.kind === 'approval' ? body.warnings : []))

describe('a tool that came after everything of its server was allowed (host 39, sec-264)', () => {
  it('is asked about, is covered by the next yes to everything, and the others stay allowed', async () => {
    const server = named('old', 'older')
    const lab = await start(server, () => everything)
    await lab.host.call('a_old')
    await lab.host.call('a_older')
    expect(lab.questions()).toEqual(['a:call'])
    await grow(lab, server, 'wipe')
    await lab.host.call('a_old')
    expect(lab.questions()).toEqual(['a:call'])
    await lab.host.call('a_wipe')
    expect(lab.questions()).toEqual(['a:call', 'a:call'])
    expect(warningsOf(lab)).toContainEqual(expect.stringMatching(/^The tool is new/))
    await lab.host.call('a_wipe')
    expect(lab.questions()).toHaveLength(2)
  })

  it('is refused where nobody can be asked', async () => {
    const server = named('old')
    const lab = await start(server, () => everything)
    await lab.host.call('a_old')
    await grow(lab, server, 'wipe')
    await lab.host.call('a_old', {}, { unattended: true })
    await expect(lab.host.call('a_wipe', {}, { unattended: true })).rejects.toMatchObject({ code: 'denied' })
  })

  it.each([
    ['a trusted server says that it destroys nothing', true, { destructive: false }, 1],
    ['a trusted server does not say', true, {}, 2],
    ['one that is not trusted says that it destroys nothing', false, { destructive: false }, 2],
    ['one that is not trusted says that it only reads', false, { readOnly: true }, 2],
  ])('where %s', async (_, trusted, annotations, questions) => {
    const server = named('old')
    const lab = await start(server, () => everything, trusted)
    await lab.host.call('a_old')
    await grow(lab, server, 'more', annotations)
    await lab.host.call('a_more')
    expect(lab.questions()).toHaveLength(questions)
  })
})

describe('a name in mixed scripts (host 39, sec-263)', () => {
  it.each([
    ['tool', { name: 's\u0435nd', inputSchema: { type: 'object' } }, 'name'],
    ['prompt', { name: 's\u0435nd' }, 'name'],
    ['resource', { uri: 'x://s\u0435nd', name: 'n' }, 'uri'],
    ['resource', { uri: 'x://y', name: 's\u0435nd' }, 'name'],
    ['template', { uriTemplate: 'x://s\u0435nd/{y}', name: 'n' }, 'uriTemplate'],
    ['tool', { name: 't', title: 'S\u0435nd', inputSchema: { type: 'object' } }, 'title'],
  ] as const)('of a %s is a finding', (kind, definition, part) => {
    const shown = showDefinition(kind, definition, undefined)
    expect(shown).toMatchObject({ findings: [{ part, what: 'mixed-scripts', codes: ['U+0435'] }] })
  })

  it.each([
    ['a server', { kind: 'connect', server: 'git\u04bbub', shown: 'x', fingerprint: 'f' }],
    ['a tool', { kind: 'call', server: 'a', tool: 's\u0435nd', arguments: {}, trusted: false }],
    ['a prompt', { kind: 'prompt', server: 'a', prompt: 's\u0435nd', arguments: {} }],
    ['a resource', { kind: 'read', server: 'a', uri: 'x://s\u0435nd' }],
  ] as const)('of %s is a warning of the question', async (_, effect) => {
    const lab = await start(named('x'), () => ({ action: 'allow' }))
    await lab.host.guard.pass(effect, lab.host.circumstances({}))
    expect(warningsOf(lab)).toContainEqual(expect.stringContaining('letters that look like others'))
  })
})
