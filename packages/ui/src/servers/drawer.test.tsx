import type { ApiResult, ServerCard } from 'portico/web-api'
import { beforeEach, describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import {
  answers,
  askedOf,
  choose,
  click,
  enter,
  expectInert,
  expectInside,
  HOSTILE,
  press,
  refusal,
  setStream,
  show,
  tell,
  words,
} from '../../test/page.tsx'
import { serverCard } from '../../test/server-card.ts'
import { ServerDrawer } from './server-drawer.tsx'

type Item = ApiResult<'items.list'>['items'][number]

const open = (server: ServerCard, tab: string) => show(<ServerDrawer server={server} tab={tab} />)
const text = () => document.querySelector('[role="dialog"]')?.textContent ?? ''

beforeEach(() => setStream('open'))

describe('the overview', () => {
  it('has the whole command, where it is configured, and the last lines of its output', async () => {
    open(
      serverCard('files', {
        stderrTail: Array.from({ length: 30 }, (_, at) => `line ${at}.`).join('\n'),
        instructions: 'Use it gently.',
        pid: 4711,
        state: { state: 'failed', reason: 'It ended with code 1', remedy: 'Look at its output.' },
      }),
      'overview',
    )
    await expect.element(page.getByRole('dialog').getByText('node files.mjs')).toBeVisible()
    for (const part of ['It ended with code 1', 'Look at its output.', '/home/me/portico.json:3', '4711', 'line 29.'])
      expect(text()).toContain(part)
  })

  it('other folders are offered to the server once they are saved, and those of the file after a reset', async () => {
    answers({ 'servers.tune': () => ({}) })
    open(serverCard('files'), 'overview')
    const field = page.getByLabelText('Folders it may work in').first()
    await enter(field, '/home/me/docs')
    await press('Save folders')
    await expect.poll(() => askedOf('servers.tune')).toEqual([{ server: 'files', roots: ['/home/me/docs'] }])
    await enter(field, '/other')
    await press('Reset to configuration')
    await expect.poll(() => askedOf('servers.tune')[1]).toEqual({ server: 'files', roots: null })
  })
})

describe('the doctor', () => {
  const check = (status: 'ok' | 'failed') => ({ name: 'Program', status, detail: 'node 20', remedy: 'Install it.' })

  it.each<['ok' | 'failed', string, string]>([
    ['ok', 'No problems found.', 'OK'],
    ['failed', 'Problems found:', 'Failed'],
  ])('a check that is %s is told in words', async (status, sentence, word) => {
    answers({ 'servers.doctor': () => ({ checks: [check(status)] }) })
    open(serverCard('files'), 'doctor')
    await expect.element(page.getByText(sentence)).toBeVisible()
    await expect.element(page.getByRole('listitem').getByText(word, { exact: true })).toBeVisible()
    expect(text()).toContain('Install it.')
  })

  it('checks again on request', async () => {
    answers({ 'servers.doctor': () => ({ checks: [check('failed')] }) })
    open(serverCard('files'), 'doctor')
    await expect.element(page.getByText('Problems found:')).toBeVisible()
    answers({ 'servers.doctor': () => ({ checks: [check('ok')] }) })
    await press('Check again')
    await expect.element(page.getByText('No problems found.')).toBeVisible()
  })
})

describe('the output', () => {
  it('shows the end of what was written, and reads it again', async () => {
    let lines = Array.from({ length: 2_500 }, (_, at) => `line ${at}.`)
    answers({ 'servers.logs': () => ({ lines }) })
    open(serverCard('files'), 'logs')
    await expect.element(page.getByText('2,500 lines')).toBeVisible()
    const log = page.getByRole('log')
    expect(log.element().textContent).toContain('line 2499.')
    expect(log.element().textContent).not.toContain('line 499.')
    await expect.poll(() => log.element().scrollTop).toBeGreaterThan(0)
    lines = ['new']
    await press('Read again')
    await expect.element(page.getByText('1 line', { exact: true })).toBeVisible()
  })

  it('another level of log messages is asked for at once', async () => {
    answers({ 'servers.logs': () => ({ lines: [] }), 'servers.tune': () => ({}) })
    open(serverCard('files'), 'logs')
    await expect.element(page.getByText('No output. That is normal.')).toBeVisible()
    await choose('Log level', 'Log level: debug')
    await expect.poll(() => askedOf('servers.tune')).toEqual([{ server: 'files', logLevel: 'debug' }])
  })
})

describe('definitions that changed', () => {
  const changed = (name: string) =>
    ({
      kind: 'tool',
      name: `files_${name}`,
      ownName: name,
      server: 'files',
      definition: { name, inputSchema: { type: 'object' } },
      quarantine: { since: 1, difference: [{ part: 'description', before: 'Reads', after: `Deletes ${name}` }] },
    }) as unknown as Item
  const list = (...items: readonly Item[]) =>
    answers({ 'items.list': () => ({ items, total: items.length, missing: [] }) as never, 'items.approve': () => ({}) })

  it('are shown before and after, and can be used again once they are allowed', async () => {
    list(changed('read'))
    open(serverCard('files'), 'changes')
    const change = page.getByRole('region', { name: 'Change of read' })
    await expect.element(change).toBeVisible()
    expect(text()).toContain('Deletes read')
    await click(change.getByRole('button', { name: 'Allow this change' }))
    await expect.poll(() => askedOf('items.approve')).toEqual([{ server: 'files', item: 'read', kind: 'tool' }])
    await expect.element(page.getByRole('alert').getByText('Allowed')).toBeVisible()
  })

  it('all at once, up to the one that is refused, and then it is not said to be done', async () => {
    list(changed('a'), changed('b'), changed('c'))
    answers({
      'items.approve': ({ item }) => {
        if (item === 'b') throw refusal('It changed again')
        return {}
      },
    })
    open(serverCard('files'), 'changes')
    await press('Allow all 3')
    await expect.element(page.getByText('It changed again')).toBeVisible()
    expect(askedOf('items.approve').map(({ item }) => item)).toEqual(['a', 'b'])
    expect(words()).not.toContain('All allowed')
  })

  it('are looked for on every page of the list, and again when the program tells of a change', async () => {
    answers({
      'items.list': ({ cursor }) =>
        (cursor === undefined
          ? { items: [], total: 1, missing: [], next: 'more' }
          : { items: [changed('late')], total: 1, missing: [] }) as never,
    })
    open(serverCard('files'), 'changes')
    await expect.element(page.getByRole('region', { name: 'Change of late' })).toBeVisible()
    list()
    tell({ type: 'items-changed' })
    await expect.element(page.getByText('Nothing changed')).toBeVisible()
  })
})

describe('signing in', () => {
  const far = (state: ServerCard['state']['state']) =>
    serverCard('far', { url: 'https://far.test/mcp', state: { state } })
  const step = (status: 'ok' | 'waiting' | 'failed', at: number) => ({ at, step: `Step ${at}`, status, detail: 'd' })

  it('is told step by step; what was waited for has come once another step follows', async () => {
    answers({ 'servers.oauth': () => ({ steps: [step('waiting', 1), step('failed', 2)] }) })
    open(far('needs-sign-in'), 'sign-in')
    await expect
      .poll(() =>
        page
          .getByRole('listitem')
          .elements()
          .map((one) => one.textContent),
      )
      .toHaveLength(2)
    const [first, second] = page.getByRole('listitem').elements()
    expect(first?.textContent).toContain('Done')
    expect(second?.textContent).toContain('Failed')
  })

  it('begins on request, and its page can be opened from here when it is told of', async () => {
    answers({ 'servers.oauth': () => ({ steps: [] }), 'servers.set': () => ({}) })
    open(far('needs-sign-in'), 'sign-in')
    await expect.element(page.getByText('Nobody has signed in yet.')).toBeVisible()
    await press('Sign in')
    await expect.poll(() => askedOf('servers.set')).toEqual([{ server: 'far', action: 'sign-in' }])
    answers({ 'servers.oauth': () => ({ steps: [], page: 'https://id.test/authorize?x=1' }) })
    tell({ type: 'sign-in', server: 'far' })
    const link = page.getByRole('link', { name: 'Open the page' })
    await expect.element(link).toBeVisible()
    expect(link.element().getAttribute('href')).toBe('https://id.test/authorize?x=1')
    expect(link.element().getAttribute('rel')).toContain('noopener')
  })

  it('a page that is no web address cannot be opened', async () => {
    answers({ 'servers.oauth': () => ({ steps: [], page: 'javascript:alert(1)' }) })
    open(far('needs-sign-in'), 'sign-in')
    await expect.element(page.getByText('Nobody has signed in yet.')).toBeVisible()
    expect(page.getByRole('link').elements()).toHaveLength(0)
  })

  it('is not offered for a program', async () => {
    open(serverCard('files'), 'overview')
    await expect.element(page.getByRole('tab', { name: 'Overview' })).toBeVisible()
    expect(page.getByRole('tab', { name: 'Sign-in' }).elements()).toHaveLength(0)
  })
})

it.each(Object.entries(HOSTILE))('words of a stranger (sec-125): %s is shown as characters', async (_what, hostile) => {
  const state = { state: 'failed', reason: hostile, remedy: hostile } as const
  open(serverCard('files', { stderrTail: hostile, instructions: hostile, shown: hostile, state }), 'overview')
  await expect.element(page.getByRole('dialog')).toBeVisible()
  expectInert()
  await expectInside()
})
