import type { ApiResult } from 'portico/web-api'
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
  pick,
  press,
  refusal,
  setStream,
  show,
  textbox,
  type,
  words,
} from '../../test/page.tsx'
import { serverCard } from '../../test/server-card.ts'
import { loadServers } from '../app/data/server-store.ts'
import { AddServer } from './add/add-server.tsx'

type Preview = ApiResult<'servers.preview'>

/** The dialog, opened at a tab, over a program that reads every text as this. */
async function open(tab: string, preview?: Preview): Promise<void> {
  answers({
    'servers.list': () => ({ servers: [serverCard('taken')], problems: [] }),
    'servers.importable': () => ({ programs: [] }),
    'servers.add': ({ name }) => ({ added: [name ?? 'pasted'], problems: [] }),
    ...(preview !== undefined && { 'servers.preview': () => preview }),
  })
  await loadServers()
  show(<AddServer tab={tab} />)
}

const line = (name: string, shown: string, entry: object, named = false): Preview => ({
  servers: [{ name, shown, warnings: [], entry: entry as never, named }],
  problems: [],
})
const FIELD = 'Command, address or configuration'
const CRASH = line('crash', 'node crash.mjs (in /home/me/project)', { command: 'node', args: ['crash.mjs'] })

beforeEach(() => {
  window.location.hash = '/servers?add=paste'
  setStream('open')
})

describe('a line that is pasted', () => {
  it('is shown as it would run, with its folder, and added under the name that is chosen', async () => {
    await open('paste', CRASH)
    await fill(FIELD, 'node crash.mjs')
    await press('Review')
    await expect.element(page.getByText('node crash.mjs (in /home/me/project)')).toBeVisible()
    expect(askedOf('servers.preview')).toEqual([{ text: 'node crash.mjs' }])
    expect(askedOf('servers.add')).toEqual([])
    await fill(textbox('Name'), 'mine')
    await press('Add server')
    const entry = { command: 'node', args: ['crash.mjs'] }
    await expect.poll(() => askedOf('servers.add')).toEqual([{ name: 'mine', entry }])
    await expect.poll(() => window.location.hash).toBe('#/servers')
    await expect.element(page.getByText('Server added')).toBeVisible()
  })

  it('is reviewed by Ctrl Enter as well, and not while it is empty', async () => {
    await open('paste', CRASH)
    await expect.element(page.getByRole('button', { name: 'Review' })).toBeDisabled()
    await fill(FIELD, 'node crash.mjs')
    await type('{Control>}{Enter}{/Control}')
    await expect.element(page.getByText('Review before adding')).toBeVisible()
  })

  it.each<[string, Preview, string]>([
    ['a free name is proposed', line('taken', 'node x', { command: 'node' }), 'taken-2'],
    ['the name that the line says is kept, and said to be taken', line('taken', 'node x', {}, true), 'taken'],
  ])('%s', async (_what, preview, name) => {
    await open('paste', preview)
    await fill(FIELD, 'x')
    await press('Review')
    await expect.element(textbox('Name')).toHaveValue(name)
    const add = page.getByRole('button', { name: 'Add server' })
    if (name === 'taken') {
      await expect.element(page.getByText('There is a server of that name already')).toBeVisible()
      await expect.element(add).toBeDisabled()
    } else await expect.element(add).toBeEnabled()
  })

  it.each(['', 'a b', '../x', 'ü'])('cannot be added under the name %j', async (name) => {
    await open('paste', CRASH)
    await fill(FIELD, 'x')
    await press('Review')
    await fill(textbox('Name'), name)
    await expect.element(page.getByRole('button', { name: 'Add server' })).toBeDisabled()
  })

  it('going back loses nothing of what was typed', async () => {
    await open('paste', CRASH)
    await fill(FIELD, 'node crash.mjs')
    await press('Review')
    await press('Back')
    await expect.element(page.getByLabelText(FIELD)).toHaveValue('node crash.mjs')
  })
})

describe('what else is pasted', () => {
  it('several servers of a file are shown each, and added as they are written', async () => {
    const servers = ['a', 'b'].map((name) => ({ name, shown: `node ${name}`, warnings: [`look at ${name}`] }))
    await open('paste', { servers, problems: [] })
    await fill(FIELD, '{"mcpServers":{}}')
    await press('Review')
    for (const { shown } of servers) await expect.element(page.getByText(shown, { exact: true })).toBeVisible()
    expect(words()).toContain('look at b')
    await press('Add 2 servers')
    await expect.poll(() => askedOf('servers.add')).toEqual([{ text: '{"mcpServers":{}}' }])
  })

  it('text that is no server says what is wrong with it, and goes no further', async () => {
    const place = { file: '(pasted)', path: '' }
    const problem = {
      severity: 'error',
      place,
      message: 'Nothing in it is a server',
      remedy: 'Give a command.',
    } as const
    await open('paste', { servers: [], problems: [problem] })
    await fill(FIELD, 'hm?')
    await press('Review')
    await expect.element(page.getByText('Nothing in it is a server')).toBeVisible()
    expect(words()).toContain('Give a command.')
    expect(words()).not.toContain('Review before adding')
  })

  it.each<[string, string, string]>([
    ['a program', 'node x', 'This runs programs on your computer, with your rights'],
    ['an address', 'https://mcp.test/mcp', 'This sends what your model writes to another machine'],
  ])('the review of %s says what that means', async (_what, shown, title) => {
    await open('paste', line('x', shown, {}))
    await fill(FIELD, 'x')
    await press('Review')
    await expect.element(page.getByText(title)).toBeVisible()
  })

  it('a refusal when it is added stays in the dialog, with what to do', async () => {
    await open('paste', CRASH)
    answers({
      'servers.add': () => {
        throw refusal('There is a server "crash" already', 'Give it another name.')
      },
    })
    await fill(FIELD, 'node crash.mjs')
    await press('Review')
    await press('Add server')
    await expect.element(page.getByText('There is a server "crash" already')).toBeVisible()
    expect(words()).toContain('Give it another name.')
    expect(window.location.hash).toBe('#/servers?add=paste')
  })
})

describe('the form', () => {
  it('is reviewed as the program would add it, with the folder it is started in (first hour, low)', async () => {
    await open('form', CRASH)
    await fill(textbox('Name'), 'crash')
    await fill(textbox('Command'), 'node')
    await fill(textbox('Arguments'), 'crash.mjs')
    await fill(textbox('Environment'), 'LEVEL=1')
    await press('Review')
    await expect.element(page.getByText('node crash.mjs (in /home/me/project)')).toBeVisible()
    const entry = { command: 'node', args: ['crash.mjs'], env: { LEVEL: '1' } }
    expect(JSON.parse(askedOf('servers.preview')[0]?.text ?? '')).toEqual({ mcpServers: { crash: entry } })
    await press('Add server')
    await expect.poll(() => askedOf('servers.add')).toEqual([{ name: 'crash', entry }])
  })

  it('a whole line in the field of the command is split as a shell would', async () => {
    await open('form', line('files', 'npx -y server-files', { command: 'npx', args: ['-y', 'server-files'] }))
    await fill(textbox('Name'), 'files')
    await fill(textbox('Command'), 'npx -y server-files')
    await press('Review')
    await press('Add server')
    const entry = { command: 'npx', args: ['-y', 'server-files'] }
    await expect.poll(() => askedOf('servers.add')).toEqual([{ name: 'files', entry }])
  })

  it('is reviewed as it was typed where the program does not answer', async () => {
    await open('form')
    await fill(textbox('Name'), 'far')
    await pick('A web address')
    await fill(textbox('Address'), 'https://mcp.test/mcp')
    await press('Review')
    await expect.element(page.getByText('https://mcp.test/mcp', { exact: true })).toBeVisible()
  })

  it('says which fields are missing, and proposes nothing', async () => {
    await open('form', CRASH)
    await press('Review')
    await expect.poll(() => document.querySelectorAll('[aria-invalid="true"]').length).toBe(2)
    expect(askedOf('servers.preview')).toEqual([])
  })
})

describe('servers of other programs', () => {
  const program = {
    program: 'Claude Desktop',
    file: '/home/me/claude.json',
    servers: [
      { name: 'a', shown: 'node a', present: false, warnings: [] },
      { name: 'b', shown: 'node b', present: false, warnings: ['odd'] },
      { name: 'taken', shown: 'node c', present: true, warnings: [] },
    ],
    problems: [],
  }

  it('those that are chosen are reviewed and taken over; what is here already cannot be', async () => {
    await open('import')
    answers({
      'servers.importable': () => ({ programs: [program] }),
      'servers.import': ({ servers }) => ({ added: servers, problems: [] }),
    })
    show(<AddServer key="again" tab="import" />)
    await expect.element(page.getByRole('checkbox', { name: 'taken' })).toBeDisabled()
    expect(words()).toContain('node b — 1 to look at')
    await click(page.getByRole('checkbox', { name: 'a', exact: true }))
    await press('Review the one chosen')
    await press('Add server')
    await expect.poll(() => askedOf('servers.import')).toEqual([{ file: '/home/me/claude.json', servers: ['b'] }])
  })

  it('says so when there are none', async () => {
    await open('import')
    await expect.element(page.getByText('No other program has servers')).toBeVisible()
  })
})

describe('the registry', () => {
  it('is searched while typing, and an entry is reviewed before it is added', async () => {
    await open('registry')
    const ways = [{ label: 'npm', entry: { command: 'npx', args: ['w@1'] }, shown: 'npx w@1' }]
    answers({
      'servers.registry': ({ query }) => ({
        entries: query === 'weather' ? [{ name: 'io.test/weather', description: 'Rain', version: '1.0', ways }] : [],
        source: 'registry.test',
      }),
    })
    await fill('Search the registry', 'weather')
    await press('Review npm')
    await expect.element(textbox('Name')).toHaveValue('weather')
    await press('Add server')
    await expect.poll(() => askedOf('servers.add')).toEqual([{ name: 'weather', entry: ways[0]?.entry }])
  })

  it('says that nothing was found, and why it cannot be searched', async () => {
    await open('registry')
    answers({ 'servers.registry': () => ({ entries: [], source: 'registry.test' }) })
    await fill('Search the registry', 'nothing')
    await expect.element(page.getByText('No server found for “nothing”')).toBeVisible()
    answers({
      'servers.registry': () => {
        throw refusal('The registry does not answer', 'Try again later.')
      },
    })
    await fill('Search the registry', 'other')
    await expect.element(page.getByText('The registry does not answer')).toBeVisible()
  })
})

it.each(Object.entries(HOSTILE))('words of a stranger (sec-125): %s is shown as characters', async (_what, text) => {
  await open('paste', { servers: [{ name: text, shown: text, warnings: [text] }], problems: [] })
  await fill(FIELD, 'x')
  await press('Review')
  await expect.element(page.getByText('Review before adding')).toBeVisible()
  expectInert()
  await expectInside()
})
