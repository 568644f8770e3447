import type { ServerCard } from 'portico/web-api'
import { beforeEach, describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import {
  answers,
  askedOf,
  click,
  expectInert,
  expectInside,
  fill,
  HOSTILE,
  press,
  refusal,
  setStream,
  show,
  tell,
  words,
} from '../../test/page.tsx'
import { serverCard } from '../../test/server-card.ts'
import { loadQuestions, type Question, watchQuestions } from '../app/data/question-store.ts'
import { loadServers, watchServers } from '../app/data/server-store.ts'
import { ServersScreen } from './screen.tsx'
import { sortServers, summarise } from './server-state.ts'

answers({ 'servers.list': () => ({ servers: [], problems: [] }), 'inbox.list': () => ({ questions: [] }) })
watchServers()
watchQuestions()

interface Situation {
  readonly questions?: readonly Question[]
}

async function open(servers: readonly ServerCard[], { questions = [] }: Situation = {}): Promise<void> {
  answers({
    'servers.list': () => ({ servers, problems: [] }),
    'inbox.list': () => ({ questions }),
    'servers.set': () => ({}),
  })
  await Promise.all([loadServers(), loadQuestions()])
  show(<ServersScreen />)
}

const card = (name: string) => page.getByRole('article', { name: `Server ${name}`, exact: true })
const names = () => [...document.querySelectorAll('article h2')].map((one) => one.textContent)
const hash = () => decodeURIComponent(window.location.hash)

beforeEach(() => {
  localStorage.setItem('portico-tour-offered', 'yes')
  window.location.hash = ''
  setStream('open')
})

const connecting = (server: string): Question => ({
  id: `q-${server}`,
  server,
  session: 's',
  createdAt: 1,
  body: {
    kind: 'approval',
    effect: { kind: 'connect', server, shown: 'node x', fingerprint: 'f' },
    reason: 'why',
    warnings: [],
  },
})

describe('a card says how its server is', () => {
  it.each<[string, Partial<ServerCard['state']>, string, string]>([
    ['ready', { state: 'ready' }, 'Ready', '1 ready'],
    ['starting', { state: 'starting' }, 'Starting', '1 starting'],
    // A server that waits for a person is not starting (first hour M6).
    ['held', { state: 'starting', awaits: 'permission' }, 'Needs permission', '1 needs permission'],
    ['signing in', { state: 'needs-sign-in' }, 'Needs sign-in', '1 needs sign-in'],
    ['changed', { state: 'quarantined' }, 'Changed', '1 changed'],
    ['failed', { state: 'failed' }, 'Failed', '1 failed'],
    ['degraded', { state: 'degraded' }, 'Degraded', '1 degraded'],
    ['idle', { state: 'idle' }, 'Idle', '1 idle'],
    ['off', { state: 'disabled' }, 'Disabled', '1 disabled'],
  ])('%s: on the card, in the total and in the drawer', async (_what, state, word, total) => {
    await open([serverCard('files', { state })])
    await expect.element(card('files').getByText(word, { exact: true })).toBeVisible()
    await expect.element(page.getByText(total, { exact: true })).toBeVisible()
    await press('Details of files')
    const drawer = page.getByRole('dialog')
    await expect.element(drawer.getByText(word, { exact: true })).toBeVisible()
    await expect.element(drawer.getByText(`${word} since`)).toBeVisible()
  })

  it('as the program tells it, and as unknown while the program is away', async () => {
    await open([serverCard('files')])
    tell({ type: 'server', server: serverCard('files', { state: { state: 'failed', reason: 'It ended.' } }) })
    await expect.element(card('files').getByText('Failed')).toBeVisible()
    await expect.element(card('files').getByText('It ended.')).toBeVisible()
    setStream('lost')
    await expect.element(card('files').getByText('Unknown')).toBeVisible()
    expect(words()).toContain('Their state is unknown while the program is not running.')
    answers({ 'servers.list': () => ({ servers: [serverCard('files')], problems: [] }) })
    setStream('open')
    await expect.element(card('files').getByText('Ready')).toBeVisible()
  })

  it('a server that is new appears, and one that is removed goes', async () => {
    await open([serverCard('one')])
    tell({ type: 'server', server: serverCard('two') })
    await expect.poll(names).toEqual(['one', 'two'])
    tell({ type: 'server-removed', server: 'one' })
    await expect.poll(names).toEqual(['two'])
  })

  it('why it is so and what to do, with the way to the question that it waits for', async () => {
    const state = { state: 'starting', awaits: 'permission', reason: 'Waits for permission to connect.' } as const
    await open([serverCard('files', { state })], { questions: [connecting('files')] })
    await expect.element(card('files').getByText('Waits for permission to connect.')).toBeVisible()
    await click(card('files').getByRole('button', { name: 'Review' }))
    await expect.poll(hash).toBe('#/inbox?id=q-files')
  })

  it('what changed since it was allowed, with the way to compare', async () => {
    const items = { tools: 3, resources: 0, prompts: 0, quarantined: 2 }
    await open([serverCard('files', { items })])
    await expect.element(card('files').getByText('2 definitions changed since you allowed them')).toBeVisible()
    answers({ 'items.list': () => ({ items: [], total: 0, missing: [] }) })
    await click(card('files').getByRole('button', { name: 'Compare' }))
    await expect.poll(hash).toBe('#/servers?open=files&tab=changes')
  })

  it.each<[string, Partial<ServerCard>, string | RegExp]>([
    [
      'what it costs',
      { latencyMs: 12, processes: 2, memoryBytes: 5e7, calls: 3 },
      /12 ms latency.*2 processes.*50 MB.*3 calls/s,
    ],
    ['its errors', { errors: 1 }, '1 error'],
    ['one thing to look at', { warnings: ['Fetches whatever version there is'] }, 'Fetches whatever version there is'],
    ['several things to look at', { warnings: ['a', 'b'] }, '2 warnings about its command'],
    ['that it comes with the program', { builtIn: true }, 'built in'],
    [
      'what it calls itself',
      { serverInfo: { name: 'f', title: 'Files', version: '2.1' }, version: '2025-11-25' },
      /Files 2\.1.*MCP 2025-11-25/s,
    ],
  ])('%s', async (_what, more, says) => {
    await open([serverCard('files', more)])
    await expect.poll(words).toMatch(says)
  })

  it('what it offers leads to the list of just that, and nothing is said of one that was never reached', async () => {
    await open([serverCard('my files'), serverCard('never', { state: { state: 'failed' }, items: NONE })])
    const tools = card('my files').getByRole('link', { name: '2 tools of my files' })
    await expect.element(tools).toBeVisible()
    expect(tools.element().getAttribute('href')).toBe('#/tools?server=my%20files')
    expect(card('never').getByRole('link').elements()).toHaveLength(0)
  })
})

const NONE = { tools: 0, resources: 0, prompts: 0, quarantined: 0 }

describe('the order and the total', () => {
  const made = [
    serverCard('ready'),
    serverCard('off', { state: { state: 'disabled' } }),
    serverCard('held', { state: { state: 'starting', awaits: 'permission' } }),
    serverCard('changed', { items: { ...NONE, quarantined: 1 } }),
    serverCard('broken', { state: { state: 'failed' } }),
    serverCard('also ready'),
  ]

  it('what wants something of a person comes first, the rest as configured', () => {
    const order = ['held', 'broken', 'changed', 'ready', 'also ready', 'off']
    expect(sortServers(made).map(({ name }) => name)).toEqual(order)
  })

  it('counts every state, the usual one first, and tells waiting from starting (first hour M6)', () => {
    const more = serverCard('on its way', { state: { state: 'starting' } })
    expect(summarise([...made, more])).toBe('3 ready · 1 needs permission · 1 failed · 1 starting · 1 disabled')
  })

  it('many servers can be filtered by name and command', async () => {
    await open(Array.from({ length: 8 }, (_, at) => serverCard(`s${at}`, { shown: at === 5 ? 'npx special' : 'node' })))
    await fill(page.getByRole('textbox', { name: 'Filter servers' }), 'SPECIAL')
    await expect.poll(names).toEqual(['s5'])
    await fill(page.getByRole('textbox', { name: 'Filter servers' }), 'zzz')
    await expect.element(page.getByText('No server matches “zzz”')).toBeVisible()
  })
})

describe('what can be done with a server', () => {
  it.each<[string, Partial<ServerCard['state']>, string, object, string | undefined]>([
    ['restarted', { state: 'ready' }, 'Restart files', { action: 'restart' }, 'Restarted'],
    ['enabled', { state: 'disabled' }, 'Enable', { action: 'enable' }, 'Enabled'],
    ['signed in to', { state: 'needs-sign-in' }, 'Sign in', { action: 'sign-in' }, undefined],
  ])('it is %s', async (_what, state, button, sent, done) => {
    await open([serverCard('files', { state, url: 'https://files.test/mcp' })])
    answers({ 'servers.oauth': () => ({ steps: [] }) })
    await click(card('files').getByRole('button', { name: button, exact: true }))
    await expect.poll(() => askedOf('servers.set')).toEqual([{ server: 'files', ...sent }])
    if (done !== undefined) await expect.element(page.getByRole('alert').getByText(done)).toBeVisible()
  })

  it('a refusal is shown with its remedy, and nothing is said to be done', async () => {
    await open([serverCard('files')])
    answers({
      'servers.set': () => {
        throw refusal('It cannot be restarted', 'Wait a moment.')
      },
    })
    await press('Restart files')
    await expect.element(page.getByText('It cannot be restarted')).toBeVisible()
    expect(words()).toContain('Wait a moment.')
    expect(words()).not.toContain('Restarted')
  })

  it.each<[string, string]>([
    ['Doctor', '#/servers?open=files&tab=doctor'],
    ['Output', '#/servers?open=files&tab=logs'],
    ['Messages', '#/timeline?filter=server:files'],
  ])('the menu leads to its %s', async (item, place) => {
    answers({
      'servers.doctor': () => ({ checks: [] }),
      'servers.logs': () => ({ lines: [] }),
    })
    await open([serverCard('files')])
    await press('More about files')
    await press(item, 'menuitem')
    await expect.poll(hash).toBe(place)
  })

  it('one that comes with the program cannot be removed, only switched off', async () => {
    await open([serverCard('time', { builtIn: true })])
    await press('More about time')
    await expect.element(page.getByRole('menuitem', { name: 'Disable' })).toBeVisible()
    expect(page.getByRole('menuitem', { name: 'Remove…' }).elements()).toHaveLength(0)
  })

  it('it is removed after a yes that shows what goes, and not after a no', async () => {
    await open([serverCard('files')])
    answers({ 'servers.remove': () => ({}) })
    await press('More about files')
    await press('Remove…', 'menuitem')
    const dialog = page.getByRole('dialog')
    await expect.element(dialog.getByText('node files.mjs')).toBeVisible()
    expect(words()).toContain('/home/me/portico.json')
    await click(dialog.getByRole('button', { name: 'Cancel' }))
    await expect.poll(() => dialog.elements().length).toBe(0)
    expect(askedOf('servers.remove')).toEqual([])
    await press('More about files')
    await press('Remove…', 'menuitem')
    await click(dialog.getByRole('button', { name: 'Remove', exact: true }))
    await expect.poll(() => askedOf('servers.remove')).toEqual([{ server: 'files' }])
  })
})

describe('the screen', () => {
  it('with no server says what one is for, and leads to adding', async () => {
    await open([])
    await expect.element(page.getByText('No servers yet')).toBeVisible()
    answers({ 'servers.importable': () => ({ programs: [] }) })
    await press('Import from other programs')
    await expect.poll(hash).toBe('#/servers?add=import')
  })

  it('that cannot be loaded says why, and is tried again', async () => {
    answers({
      'servers.list': () => {
        throw refusal('The disk is full', 'Make room.')
      },
      'inbox.list': () => ({ questions: [] }),
    })
    await loadServers()
    show(<ServersScreen />)
    await expect.element(page.getByText('The disk is full')).toBeVisible()
    answers({ 'servers.list': () => ({ servers: [serverCard('back')], problems: [] }) })
    await press('Retry')
    await expect.poll(names).toEqual(['back'])
  })

  it('problems of the files are told with their place and remedy, two at first', async () => {
    await open([serverCard('files')])
    const problem = (at: number) => ({
      severity: 'error' as const,
      place: { file: '/p.json', path: `servers.s${at}`, line: at },
      message: `Problem ${at}`,
      remedy: `Remedy ${at}`,
    })
    tell({ type: 'problems', problems: [problem(1), problem(2), problem(3)] })
    await expect.element(page.getByText('Problem 2')).toBeVisible()
    expect(words()).toContain('/p.json:2 · servers.s2')
    expect(words()).not.toContain('Problem 3')
    await press('Show all 3 problems')
    await expect.element(page.getByText('Remedy 3')).toBeVisible()
  })

  it('a project file that wants to add servers can be refused here, and is reviewed in the inbox', async () => {
    const trust: Question = {
      id: 't',
      server: 'p',
      session: 's',
      createdAt: 1,
      body: { kind: 'trust', file: '/project/.mcp.json', servers: ['a', 'b'] },
    }
    await open([serverCard('files')], { questions: [trust] })
    answers({ 'inbox.answer': () => ({}) })
    await expect.element(page.getByText('A project file wants to add 2 servers: a, b')).toBeVisible()
    await press('Deny')
    await expect.poll(() => askedOf('inbox.answer')).toEqual([{ id: 't', answer: { action: 'deny', by: 'workbench' } }])
    await expect.poll(words).not.toContain('A project file')
  })

  it.each(Object.entries(HOSTILE))('words of a stranger (sec-125): %s is shown as characters', async (_what, text) => {
    await open([
      serverCard(text, {
        shown: text,
        warnings: [text],
        serverInfo: { name: text, version: text },
        state: { state: 'failed', reason: text, remedy: text },
      }),
    ])
    await expect.poll(() => names().length).toBe(1)
    expectInert()
    await expectInside()
  })
})
