import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import {
  answers,
  askedOf,
  click,
  expectInert,
  expectInside,
  Frame,
  fill,
  HOSTILE,
  pick,
  press,
  refusal,
  show,
  tell,
  textbox,
  type,
  words,
} from '../../test/page.tsx'
import { type Item, type ItemOf, keyOf, setDraft } from './item-store.ts'
import { PromptsScreen, ResourcesScreen, ToolsScreen } from './screens.tsx'

let made = 0

function tool(name: string, more: Partial<ItemOf<'tool'>> = {}): ItemOf<'tool'> {
  const definition = { name, description: `Does ${name}`, inputSchema: { type: 'object' } } as const
  return {
    kind: 'tool',
    server: 'files',
    name: `files_${name}`,
    ownName: name,
    fingerprint: 'f',
    findings: [],
    definition,
    ...more,
  }
}

/** A tool that no test before has typed or run anything for. */
function fresh(schema: object, more: Partial<ItemOf<'tool'>['definition']> = {}): ItemOf<'tool'> {
  const name = `tool${++made}`
  return tool(name, { definition: { name, inputSchema: { type: 'object', ...schema }, ...more } })
}

const PAGE = 100

/** A screen over a program whose servers offer these. */
async function open(
  Screen: () => React.ReactNode,
  items: readonly Item[],
  hash: string,
  missing: { server: string; reason: string }[] = [],
) {
  answers({
    'items.list': ({ query = '', kind, server, cursor = '0' }) => {
      const fits = (item: Item) =>
        item.kind === kind && item.name.includes(query) && (server === undefined || item.server === server)
      const found = items.filter(fits)
      const end = Number(cursor) + PAGE
      return {
        items: found.slice(Number(cursor), end),
        total: found.length,
        missing,
        ...(end < found.length && { next: String(end) }),
      }
    },
    'history.list': () => ({ entries: [] }),
  })
  window.location.hash = hash
  await expect.poll(() => window.location.hash).toBe(`#${hash}`)
  show(
    <Frame height={700}>
      <Screen />
    </Frame>,
  )
}

const opened = (item: Item) => `/tools?${new URLSearchParams({ name: item.name, server: item.server }).toString()}`
const openTool = (item: ItemOf<'tool'>) => open(ToolsScreen, [item], opened(item))
const options = () => page.getByRole('listbox', { name: 'Tools' }).getByRole('option').elements()
const ran = () => askedOf('tools.call').map(({ name, arguments: args }) => [name, args])
const text = (words: string) => ({ result: { content: [{ type: 'text', text: words }] }, durationMs: 5 }) as never

describe('the list of items', () => {
  const MANY = Array.from({ length: 300 }, (_, at) => tool(`t${String(at).padStart(3, '0')}`))

  it('of hundreds draws few, loads more on the way, and reaches the last', async () => {
    await open(ToolsScreen, MANY, '/tools')
    await expect.poll(words).toContain('300 items, 100 loaded')
    expect(options().length).toBeLessThan(60)
    const list = page.getByRole('listbox', { name: 'Tools' }).element()
    const scrollOn = () => {
      list.scrollTop = list.scrollHeight
      return words()
    }
    await expect.poll(scrollOn).not.toContain('loaded')
    list.scrollTop = list.scrollHeight
    await expect.element(page.getByText('t299', { exact: true })).toBeVisible()
    expect(options().length).toBeLessThan(60)
  })

  it('is searched by the program, and the keyboard goes on to the first that was found', async () => {
    await open(ToolsScreen, MANY, '/tools')
    await fill(textbox('Search tools'), 't12')
    await expect.poll(words).toContain('10 items')
    await type('{Enter}')
    await expect.poll(() => window.location.hash).toBe('#/tools?name=files_t120&server=files')
    expect(document.activeElement?.getAttribute('role')).toBe('listbox')
    await type('{ArrowDown}')
    await expect.poll(() => window.location.hash).toBe('#/tools?name=files_t121&server=files')
  })

  it.each<[string, string, string]>([
    ['nothing at all', '', 'No tools yet'],
    ['nothing that fits', 'zzz', 'No match'],
  ])('says so where there is %s', async (_what, query, said) => {
    await open(ToolsScreen, [], '/tools')
    if (query !== '') await fill(textbox('Search tools'), query)
    await expect.element(page.getByText(said)).toBeVisible()
  })

  it('says which servers are not there, until that is put away', async () => {
    const missing = [
      { server: 'mail', reason: 'It did not start.' },
      { server: 'chess', reason: 'It waits for your answer.' },
    ]
    await open(ToolsScreen, [tool('a')], '/tools', missing)
    for (const { server, reason } of missing) await expect.poll(words).toContain(`${server}: ${reason}`)
    await press('Hide this')
    await expect.poll(words).not.toContain('mail')
  })

  it.each([390, 1_280])(
    'the foot of the list is whole at %i px, however long a reason is (first hour, low)',
    async (width) => {
      const reason = 'It waits for your answer in the inbox: whether it may be connected. '.repeat(3)
      const many = Array.from({ length: 60 }, (_, at) => tool(`t${at}`))
      await open(ToolsScreen, many, '/tools', [{ server: 'mail', reason }])
      await page.viewport(width, 800)
      const note = page.getByRole('list', { name: 'Not connected' }).getByRole('listitem')
      await expect.element(note).toBeVisible()
      const line = note.element()
      expect(line.scrollWidth).toBeLessThanOrEqual(line.clientWidth)
      const foot = line.closest('footer')?.getBoundingClientRect()
      const list = page.getByRole('region', { name: 'Tools: list' }).element().getBoundingClientRect()
      expect(foot?.height).toBeGreaterThan(30)
      expect(foot?.bottom).toBeLessThanOrEqual(list.bottom + 1)
    },
  )

  it('an item that is named in the address and not listed is asked for, or said to be missing', async () => {
    await open(ToolsScreen, [], '/tools?name=files_gone&server=files')
    await expect.poll(words).toContain('files_gone is not offered now')
  })

  it('says why it cannot be loaded, and tries again', async () => {
    await open(ToolsScreen, [], '/tools')
    answers({
      'items.list': () => {
        throw refusal('Too many at once')
      },
    })
    tell({ type: 'items-changed' })
    await expect.element(page.getByText('Too many at once')).toBeVisible()
    answers({ 'items.list': () => ({ items: [tool('back')], total: 1, missing: [] }) })
    await press('Retry')
    await expect.element(page.getByText('Does back')).toBeVisible()
  })

  it.each<[string, Partial<ItemOf<'tool'>>, string]>([
    ['that changed', { quarantine: { since: 1, approvedFingerprint: '', difference: [] } }, 'Changed'],
    ['with hidden text', { findings: [{ part: 'description', what: 'invisible', codes: ['U+200B'] }] }, 'Hidden text'],
    [
      'with letters of another alphabet',
      { findings: [{ part: 'name', what: 'mixed-scripts', codes: [] }] },
      'Odd letters',
    ],
  ])('marks one %s', async (_what, more, mark) => {
    await open(ToolsScreen, [tool('a', more)], '/tools')
    await expect.element(page.getByText(mark, { exact: true })).toBeVisible()
  })
})

describe('running a tool', () => {
  it('sends the arguments once, and shows the answer', async () => {
    const item = fresh({ properties: { path: { type: 'string' } } })
    await openTool(item)
    answers({ 'tools.call': () => text('it is done') })
    await fill(textbox('path'), '/a')
    await press('Run')
    await expect.poll(words).toContain('it is done')
    expect(ran()).toEqual([[item.name, { path: '/a' }]])
    await expect.element(page.getByText('Done', { exact: true })).toBeVisible()
  })

  it('is not done while a field is wrong; the field gets the focus', async () => {
    await openTool(fresh({ properties: { n: { type: 'integer', minimum: 5 } }, required: ['n'] }))
    await press('Run')
    await expect.poll(words).toContain('1 field needs attention: n')
    await expect
      .poll(() => (document.activeElement as HTMLInputElement | null)?.getAttribute('aria-invalid'))
      .toBe('true')
    await fill(textbox(/^n/), '4')
    await press('Run')
    expect(ran()).toEqual([])
  })

  it('is not done while JSON is broken', async () => {
    await openTool(fresh({ properties: { any: {} } }))
    await fill(textbox('any'), '{"a":')
    await expect.element(page.getByRole('button', { name: /^Run/ })).toBeDisabled()
  })

  it('asks first where the server says that it destroys', async () => {
    const item = fresh({}, { annotations: { destructiveHint: true } })
    await openTool(item)
    answers({ 'tools.call': () => text('gone') })
    await press('Run')
    await expect.poll(words).toContain('this tool may destroy something')
    expect(ran()).toEqual([])
    await press('Run it')
    await expect.poll(ran).toEqual([[item.name, {}]])
  })

  it('cannot be done with a tool that changed, until the change is allowed', async () => {
    const quarantine = {
      since: 1,
      approvedFingerprint: '',
      difference: [{ part: 'description', before: '[-a-]', after: '{+b+}' }],
    }
    const item = tool('changed', { quarantine })
    await openTool(item)
    answers({ 'items.approve': () => ({}) })
    await expect.element(page.getByRole('button', { name: /^Run/ })).toBeDisabled()
    await press('Allow the change')
    await expect.poll(() => askedOf('items.approve')).toEqual([{ server: 'files', item: 'changed', kind: 'tool' }])
  })

  it.each<[string, object, string]>([
    [
      'an error of the tool',
      { content: [{ type: 'text', text: 'no such file' }], isError: true },
      'The tool says that it failed',
    ],
    ['no content', { content: [] }, 'The answer holds no content'],
    [
      'a table',
      {
        content: [],
        structuredContent: {
          rows: [
            { city: 'Lisbon', n: 1 },
            { city: 'Porto', n: 2 },
          ],
        },
      },
      'Lisbon',
    ],
    ['data', { content: [], structuredContent: { celsius: 21 } }, 'Data'],
    [
      'a picture that is none',
      { content: [{ type: 'image', data: 'PGh0bWw+', mimeType: 'image/png' }] },
      'This kind is not shown here',
    ],
    ['a link', { content: [{ type: 'resource_link', uri: 'file:///a', name: 'the file' }] }, 'Read it'],
    ['a kind that nobody knows', { content: [{ type: 'hologram', depth: 3 }] }, 'hologram'],
  ])('shows %s', async (_what, result, said) => {
    await openTool(fresh({}))
    answers({ 'tools.call': () => ({ result, durationMs: 1 }) as never })
    await press('Run')
    await expect.poll(words).toContain(said)
  })

  it('says why the program refused, and what to do', async () => {
    await openTool(fresh({}))
    answers({
      'tools.call': () => {
        throw refusal('The server is gone', 'Start it again')
      },
    })
    await press('Run')
    await expect.poll(words).toContain('Start it again')
    await expect.element(page.getByText('Failed', { exact: true })).toBeVisible()
  })

  it('shows progress and logs while it goes on, and can be cancelled', async () => {
    await openTool(fresh({}))
    let end = (_: Response) => {}
    answers({
      'tools.call': () => new Promise<never>((_resolve, reject) => (end = reject)),
      'runs.cancel': () => ({}),
    })
    await press('Run')
    await expect.poll(() => askedOf('tools.call').length).toBe(1)
    const run = askedOf('tools.call')[0]?.run ?? ''
    tell({ type: 'progress', run, progress: 2, total: 4, message: 'half way' })
    tell({ type: 'log', run, server: 'files', level: 'info', text: 'a line' })
    await expect.poll(words).toContain('half way')
    expect(words()).toContain('2 of 4')
    expect(words()).toContain('1 log line')
    await press('Cancel')
    await expect.poll(() => askedOf('runs.cancel')).toEqual([{ run }])
    end(refusal('Cancelled'))
    await expect.poll(words).toContain('It was cancelled; the server has been told.')
  })

  it('keeps what was typed while another tool is looked at, and forgets it on Reset', async () => {
    const item = fresh({ properties: { path: { type: 'string', default: '/home' } } })
    await openTool(item)
    await fill(textbox('path'), '/typed')
    await open(ToolsScreen, [item], '/tools')
    await openTool(item)
    await expect.element(textbox('path')).toHaveValue('/typed')
    await press('Reset')
    await expect.element(textbox('path')).toHaveValue('/home')
    setDraft(keyOf(item), undefined)
  })
})

describe('resources and prompts', () => {
  const RESOURCE: Item = {
    kind: 'resource',
    server: 'files',
    name: 'file:///a',
    ownName: 'file:///a',
    fingerprint: '',
    findings: [],
    definition: { uri: 'file:///a', name: 'a', mimeType: 'text/plain' },
  }
  const PROMPT: Item = {
    kind: 'prompt',
    server: 'files',
    name: 'files_greet',
    ownName: 'greet',
    fingerprint: '',
    findings: [],
    definition: { name: 'greet', arguments: [{ name: 'who', required: true }, { name: 'tone' }] },
  }

  it('a resource is read', async () => {
    await open(ResourcesScreen, [RESOURCE], '/resources?name=file%3A%2F%2F%2Fa&server=files')
    answers({
      'resources.read': () =>
        ({ result: { contents: [{ uri: 'file:///a', text: 'its words' }] }, durationMs: 1 }) as never,
    })
    await click(page.getByRole('button', { name: /^Read/ }))
    await expect.poll(words).toContain('its words')
    expect(askedOf('resources.read')[0]).toMatchObject({ uri: 'file:///a', server: 'files' })
  })

  it('a prompt asks for what it needs and is made of it', async () => {
    await open(PromptsScreen, [PROMPT], '/prompts?name=files_greet&server=files')
    answers({
      complete: () => ({ completion: { values: ['ada', 'adam'] } }),
      'prompts.get': () =>
        ({
          result: { messages: [{ role: 'user', content: { type: 'text', text: 'Hello, ada!' } }] },
          durationMs: 1,
        }) as never,
    })
    await press('Get the prompt')
    await expect.element(page.getByText('Required')).toBeVisible()
    await fill(page.getByRole('combobox', { name: /^who/ }), 'ad')
    await click(page.getByRole('option', { name: 'ada', exact: true }))
    await press('Get the prompt')
    await expect.poll(words).toContain('Hello, ada!')
    expect(askedOf('prompts.get').map(({ arguments: args }) => args)).toEqual([{ who: 'ada' }])
  })

  it('a proposal that hides something is not offered', async () => {
    await open(PromptsScreen, [{ ...PROMPT, name: 'files_hide' }], '/prompts?name=files_hide&server=files')
    answers({ complete: () => ({ completion: { values: [HOSTILE.bidi, 'plain'] } }) })
    await fill(page.getByRole('combobox', { name: /^who/ }), 'p')
    await expect.element(page.getByRole('option', { name: 'plain' })).toBeVisible()
    expect(
      page
        .getByRole('option')
        .elements()
        .map((one) => one.textContent),
    ).not.toContain(HOSTILE.bidi)
  })
})

describe('words of a stranger (sec-125)', () => {
  it.each(Object.entries(HOSTILE))('%s is shown as characters, inside the window', async (_what, words) => {
    const definition = {
      name: words,
      title: words,
      description: words,
      inputSchema: { type: 'object', properties: { [words]: { description: words } } },
    } as const
    const item = tool('hostile', {
      server: words,
      ownName: words,
      definition,
      findings: [{ part: words, what: 'invisible', codes: [] }],
    })
    await open(ToolsScreen, [item], opened(item), [{ server: words, reason: words }])
    answers({
      'tools.call': () =>
        ({
          result: {
            content: [
              { type: 'text', text: words },
              { type: 'resource_link', uri: `https://a.example/${words}`, name: words, description: words },
            ],
          },
          durationMs: 1,
        }) as never,
    })
    await press('Run')
    await expect.element(page.getByText('Done', { exact: true })).toBeVisible()
    expectInert()
    await expectInside()
    await pick('All tools')
    expectInert()
    await expectInside()
  })
})
