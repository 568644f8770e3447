import { notifications } from '@mantine/notifications'
import { beforeEach, describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import {
  answers,
  askedOf,
  click,
  expectInside,
  fill,
  press,
  refusal,
  setStream,
  show,
  tell,
  type,
  words,
} from '../../test/page.tsx'
import { serverCard } from '../../test/server-card.ts'
import { loadQuestions, type Question } from '../app/data/question-store.ts'
import { loadServers } from '../app/data/server-store.ts'
import { showDone } from '../app/data/use-api.ts'
import { SCREENS } from './screens.tsx'
import { Shell } from './shell.tsx'

interface Situation {
  readonly questions?: readonly Question[]
  readonly path?: string
}

/** The whole page, on the screen with this address. */
async function open({ questions = [], path = '/inbox' }: Situation = {}): Promise<void> {
  answers({
    'app.info': () => ({ version: '1.2.3', node: '22', stateDir: '/s', configFile: '/c' }),
    'servers.list': () => ({ servers: [serverCard('files', HELD)], problems: [] }),
    'inbox.list': () => ({ questions }),
    'inbox.answer': () => ({}),
    'items.list': () => ({ items: [], total: 0, missing: [] }) as never,
    'chat.list': () => ({ chats: [] }),
    'chat.models': () => ({ models: [], hint: '' }),
    'chat.projects': () => ({ projects: [] }),
    'timeline.query': () => ({ rows: [], total: 0 }),
    'timeline.recordings': () => ({ recordings: [] }),
    'policy.get': () => ({ rules: [], findings: [] }) as never,
    'audit.search': () => ({ records: [] }),
  })
  setStream('open')
  await Promise.all([loadServers(), loadQuestions()])
  window.location.hash = path
  show(<Shell />)
  await expect.element(page.getByRole('heading', { level: 1 })).toBeVisible()
}

const HELD = { state: { state: 'starting', awaits: 'permission' } } as const

const question = (id: string, more: Partial<Question> = {}): Question => ({
  id,
  server: 'files',
  session: 's',
  createdAt: 1_000,
  body: {
    kind: 'approval',
    effect: { kind: 'read', server: 'files', uri: `file:///${id}` },
    reason: 'why',
    warnings: [],
  },
  ...more,
})

const title = () => document.querySelector('h1')?.textContent ?? ''
const current = () =>
  [...document.querySelectorAll('[aria-current="page"]')].map((one) => one.getAttribute('href')).filter(Boolean)
const visible = (element: Element) => element.getBoundingClientRect().height > 0
const notices = () => [...document.querySelectorAll('.mantine-Notification-root')].filter(visible)

/** One right after the other, as a hand does; through the browser they may come seconds apart on a busy machine. */
function keys(...pressed: readonly string[]): void {
  const at = document.activeElement ?? document.body
  for (const key of pressed) at.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
}

beforeEach(() => localStorage.setItem('portico-tour-offered', 'yes'))

describe('the ways around', () => {
  it.each(SCREENS.map(({ path, title: name, key }) => [name, path, key] as const))(
    '%s is reached by its address and by its keys, and says that it is the one',
    async (name, path, key) => {
      await open({ path: path === '/inbox' ? '/servers' : '/inbox' })
      keys('g', key)
      await expect.poll(() => window.location.hash).toBe(`#${path}`)
      await expect.poll(title).toMatch(new RegExp(`^${name}`))
      expect(new Set(current())).toEqual(new Set([`#${path}`]))
      expect(document.title).toBe(`${name} · Portico`)
    },
  )

  it('an address that leads nowhere leads to the servers', async () => {
    await open({ path: '/nowhere' })
    await expect.poll(title).toBe('Servers')
  })

  it('keys are letters while something is typed, and with Control they belong to the browser', async () => {
    await open({ path: '/servers?add=paste' })
    await click(page.getByLabelText('Command, address or configuration'))
    await type('gt')
    expect(window.location.hash).toBe('#/servers?add=paste')
    await expect.element(page.getByLabelText('Command, address or configuration')).toHaveValue('gt')
    await type('{Escape}')
    await expect.poll(() => window.location.hash).toBe('#/servers')
    await type('{Control>}g{/Control}t')
    expect(window.location.hash).toBe('#/servers')
  })

  it('a letter that comes after another one goes nowhere', async () => {
    await open()
    keys('g', 'x', 't')
    expect(window.location.hash).toBe('#/inbox')
  })

  it('? tells all keys, and Escape closes them', async () => {
    await open()
    keys('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await expect.element(dialog).toBeVisible()
    for (const { title: name } of SCREENS) expect(dialog.element().textContent).toContain(name)
    await type('{Escape}')
    await expect.poll(() => dialog.elements()).toHaveLength(0)
  })

  it('the keyboard can skip to the content', async () => {
    await open()
    await press('Skip to content')
    expect(document.activeElement?.id).toBe('main')
  })

  it('a telephone has the screens under the thumb and the others in a drawer that closes', async () => {
    await open()
    await expectInside(390)
    const bar = page.getByRole('navigation', { name: 'Screens' }).elements().filter(visible)
    expect(bar).toHaveLength(1)
    const links = [...(bar[0]?.querySelectorAll('a') ?? [])].map((one) => one.getAttribute('href'))
    expect(links).toEqual(['#/servers', '#/tools', '#/chat', '#/inbox'])
    await press('More')
    await click(page.getByRole('dialog').getByRole('link', { name: 'Timeline' }))
    await expect.poll(title).toBe('Timeline')
    await expect.poll(() => page.getByRole('dialog').elements()).toHaveLength(0)
  })
})

describe('finding anything', () => {
  const field = () => page.getByPlaceholder(/Find a screen/)

  it('opens by its keys, finds a screen and goes there', async () => {
    await open()
    await type('{Control>}k{/Control}')
    await fill(field(), 'timel')
    await click(page.getByRole('button', { name: /Timeline/ }).first())
    await expect.poll(() => window.location.hash).toBe('#/timeline')
  })

  it('finds a server, and says how it is in the same words as its card (first hour M6)', async () => {
    await open()
    await click(page.getByRole('button', { name: /^Find anything/ }).first())
    await fill(field(), 'files')
    await expect.element(page.getByText('Needs permission · node files.mjs')).toBeVisible()
    await click(page.getByText('Needs permission · node files.mjs'))
    await expect.poll(() => window.location.hash).toBe('#/servers?open=files')
  })

  it('finds what servers offer by asking the program, once there is something to look for', async () => {
    await open()
    const item = { kind: 'tool', name: 'files_read', ownName: 'read', server: 'files', definition: { name: 'read' } }
    answers({ 'items.list': () => ({ items: [item], total: 1, missing: [] }) as never })
    await click(page.getByRole('button', { name: /^Find anything/ }).first())
    await fill(field(), 'r')
    await fill(field(), 'read')
    await click(page.getByText('files_read'))
    await expect.poll(() => window.location.hash).toBe('#/tools?name=files_read&server=files')
    expect(askedOf('items.list').map(({ query }) => query)).not.toContain('r')
  })
})

describe('the program behind the page', () => {
  const away = () => page.getByText('The program behind this page does not answer')

  it('that is away is told of, with what to do; and no longer once it is back', async () => {
    await open()
    expect(words()).toContain('Connected')
    setStream('lost')
    await expect.element(away()).toBeVisible()
    expect(words()).toContain('npx portico')
    expect(words()).toContain('Not connected')
    setStream('open')
    await expect.poll(() => away().elements()).toHaveLength(0)
  })

  it('what happened meanwhile is loaded when it is back', async () => {
    await open()
    setStream('lost')
    answers({ 'inbox.list': () => ({ questions: [question('meanwhile')] }) })
    setStream('open')
    await expect.element(page.getByRole('heading', { name: 'Read file:///meanwhile of files?' })).toBeVisible()
  })

  it('that does not know this browser asks for the link that it printed, in place of the screen', async () => {
    await open()
    answers({
      'app.info': () => {
        throw new Response(JSON.stringify({ code: 'no-session', message: 'No session' }), { status: 401 })
      },
    })
    setStream('refused')
    await expect.element(page.getByText('Open the link that the program printed')).toBeVisible()
    expect(away().elements()).toHaveLength(0)
    answers({ 'app.info': () => ({ version: '1.2.3', node: '22', stateDir: '/s', configFile: '/c' }) })
    setStream('open')
    await expect.poll(() => page.getByText('Open the link that the program printed').elements()).toHaveLength(0)
  })
})

describe('questions that wait', () => {
  it('are counted in the title and at the inbox', async () => {
    await open({ path: '/timeline', questions: [question('a'), question('b')] })
    await expect.poll(() => document.title).toBe('(2) Timeline · Portico')
    await expect.element(page.getByRole('link', { name: 'Inbox 2 waiting' }).first()).toBeInTheDocument()
  })

  it('speak up when they are new, and go with their answer', async () => {
    await open({ path: '/timeline', questions: [question('old')] })
    expect(notices()).toHaveLength(0)
    tell({ type: 'question', question: question('new') })
    await expect
      .poll(() => notices().map((one) => one.textContent))
      .toEqual([expect.stringContaining('Read file:///new of files?')])
    await click(page.getByRole('alert').getByRole('button', { name: 'Allow' }))
    await expect
      .poll(() => askedOf('inbox.answer'))
      .toEqual([{ id: 'new', answer: { action: 'allow', remember: 'once', by: 'workbench' } }])
    await expect.poll(() => notices().length).toBe(0)
  })

  it('that were answered elsewhere take their notice with them', async () => {
    await open({ path: '/timeline' })
    tell({ type: 'question', question: question('short') })
    await expect.poll(() => notices().length).toBe(1)
    tell({ type: 'question-gone', id: 'short' })
    await expect.poll(() => notices().length).toBe(0)
  })

  it('cannot be allowed in a corner where something has to be looked at first', async () => {
    await open({ path: '/timeline' })
    const effect = { kind: 'connect', server: 'files', shown: 'rm -rf /', fingerprint: 'f' } as const
    const body = { kind: 'approval', effect, reason: 'why', warnings: [] } as const
    tell({ type: 'question', question: question('danger', { body }) })
    await expect.poll(() => notices().length).toBe(1)
    expect(page.getByRole('alert').getByRole('button', { name: 'Allow' }).elements()).toHaveLength(0)
    await click(page.getByRole('alert').getByRole('button', { name: 'Review' }))
    await expect.poll(() => window.location.hash).toBe('#/inbox?id=danger')
  })

  it('do not speak up while the inbox itself is open', async () => {
    await open()
    tell({ type: 'question', question: question('seen') })
    await expect.element(page.getByRole('heading', { name: 'Read file:///seen of files?' })).toBeVisible()
    expect(notices()).toHaveLength(0)
  })
})

describe('short notices', () => {
  it.each([390, 768, 1_280])('do not cover the ways around at %i px (first hour M7)', async (width) => {
    await open({ path: '/timeline' })
    await page.viewport(width, 800)
    for (const word of ['one', 'two', 'three']) showDone(word, 'A sentence that is long enough to need a second line.')
    await expect.poll(() => notices().length).toBe(3)
    const settled = () => notices().map((one) => getComputedStyle(one).opacity)
    await expect.poll(settled).toEqual(['1', '1', '1'])
    const bars = page.getByRole('navigation', { name: 'Screens' }).elements().filter(visible)
    expect(bars.length).toBeGreaterThan(0)
    for (const bar of bars) {
      for (const notice of notices()) expect(overlap(bar, notice), notice.textContent ?? '').toBe(0)
    }
    notifications.clean()
  })
})

/** How many square pixels two parts share. */
function overlap(one: Element, other: Element): number {
  const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()]
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left)
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)
  return Math.max(0, width) * Math.max(0, height)
}

describe('the theme', () => {
  it('is switched by its button, which then offers the other one', async () => {
    await open()
    const scheme = () => document.documentElement.dataset.mantineColorScheme
    const before = scheme() ?? 'light'
    const other = before === 'dark' ? 'light' : 'dark'
    await click(page.getByRole('button', { name: `Use the ${other} theme` }).last())
    await expect.poll(scheme).toBe(other)
    await click(page.getByRole('button', { name: `Use the ${before} theme` }).last())
    await expect.poll(scheme).toBe(before)
  })
})

describe('a screen that fails', () => {
  it('says so in its place, and the others go on', async () => {
    await open({ path: '/policy' })
    answers({
      'inbox.list': () => {
        throw refusal('The inbox cannot be read', 'Look at the disk.')
      },
    })
    await loadQuestions()
    window.location.hash = '/inbox'
    await expect.element(page.getByText('The inbox cannot be read')).toBeVisible()
    window.location.hash = '/servers'
    await expect.poll(title).toBe('Servers')
  })
})
