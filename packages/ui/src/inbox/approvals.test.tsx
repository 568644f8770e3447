import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import {
  answers,
  askedOf,
  choose,
  click,
  expectInert,
  expectInside,
  fill,
  HOSTILE,
  pick,
  press,
  refusal,
  show,
  textbox,
  words,
} from '../../test/page.tsx'
import type { Question } from '../app/data/question-store.ts'
import { PAGE_SIZE } from '../parts/pages.ts'
import { QuestionCard, QuestionInPlace } from './question-card.tsx'

type Body = Question['body']
type Effect = Extract<Body, { readonly kind: 'approval' }>['effect']

let made = 0

function ask(body: Body, more: Partial<Question> = {}): Question {
  const question = { id: `q${++made}`, server: 'files', session: 's', createdAt: Date.now(), body, ...more }
  answers({ 'inbox.answer': () => ({}), 'inbox.list': () => ({ questions: [] }) })
  show(<QuestionCard key={question.id} question={question} />)
  return question
}

const CALL: Effect = { kind: 'call', server: 'files', tool: 'write', arguments: { path: '/a', n: 1 }, trusted: false }

function approval(effect: Effect = CALL, more: Partial<Extract<Body, { readonly kind: 'approval' }>> = {}): Body {
  return { kind: 'approval', effect, reason: 'No rule says yes', warnings: [], ...more }
}

/** The answers that the program got, without who they are from. */
const given = () => askedOf('inbox.answer').map(({ answer: { by: _by, ...answer } }) => answer)
const expectGiven = (...all: readonly object[]) => expect.poll(given).toEqual(all)

describe('every kind of question can be allowed and denied, and says what it is', () => {
  const KINDS: readonly [string, Body, string, object, object][] = [
    [
      'a call',
      approval(),
      'Call write of files?',
      { action: 'allow', remember: 'once' },
      { action: 'deny', remember: 'once' },
    ],
    [
      'a reading',
      approval({ kind: 'read', server: 'files', uri: 'file:///etc/passwd' }),
      'file:///etc/passwd',
      { action: 'allow', remember: 'once' },
      { action: 'deny', remember: 'once' },
    ],
    [
      'a start',
      approval({ kind: 'connect', server: 'files', shown: 'npx -y files --all', fingerprint: 'f' }),
      'npx -y files --all',
      { action: 'allow', remember: 'once' },
      { action: 'deny', remember: 'once' },
    ],
    [
      'a flow',
      approval({ kind: 'flow', server: 'mail', from: ['files', 'git'], tool: 'send', arguments: { to: 'eve' } }),
      'Send data of files, git to mail?',
      { action: 'allow', remember: 'once' },
      { action: 'deny', remember: 'once' },
    ],
    [
      'a result',
      { kind: 'result', effect: CALL, result: { content: [{ type: 'text', text: 'top secret' }] } },
      'top secret',
      { action: 'allow' },
      { action: 'deny' },
    ],
    [
      'a request to the model',
      {
        kind: 'sampling',
        request: { messages: [{ role: 'user', content: { type: 'text', text: 'Sum up' } }] },
        models: ['a', 'b'],
      },
      'files wants to use your model',
      { action: 'allow', model: 'a' },
      { action: 'deny' },
    ],
    [
      'an answer of the model',
      {
        kind: 'sampling-answer',
        request: { messages: [] },
        answer: { content: { type: 'text', text: 'It is 4' }, model: 'm' },
      },
      'May files see what the model wrote?',
      { action: 'allow' },
      { action: 'deny' },
    ],
    [
      'a changed definition',
      {
        kind: 'definition',
        item: 'write',
        difference: [{ part: 'description', before: '[-old-] words', after: '{+new+} words' }],
      },
      'files changed write',
      { action: 'allow' },
      { action: 'deny' },
    ],
    [
      'a project file',
      { kind: 'trust', file: '/p/.mcp.json', servers: ['one', 'two'] },
      '/p/.mcp.json',
      { action: 'allow' },
      { action: 'deny' },
    ],
  ]

  it.each(KINDS)('%s: what it is about', async (_what, body, about) => {
    ask(body)
    await expect.poll(words).toContain(about)
  })

  it.each(KINDS)('%s: Allow', async (_what, body, _about, allow) => {
    const { id } = ask(body)
    await press('Allow')
    await expectGiven(allow)
    expect(askedOf('inbox.answer')[0]).toMatchObject({ id, answer: { by: 'workbench' } })
  })

  it.each(KINDS)('%s: Deny', async (_what, body, _about, _allow, deny) => {
    ask(body)
    await press('Deny')
    await expectGiven(deny)
  })
})

describe('an answer is given once', () => {
  it.each<[string, Body, string]>([
    ['an approval', approval(), 'Allow'],
    ['a denial', approval(), 'Deny'],
    ['a form', { kind: 'form', message: 'm', schema: { properties: {} } }, 'Send'],
    ['a form that is declined', { kind: 'form', message: 'm', schema: {} }, 'Deny'],
    ['a form that is closed', { kind: 'form', message: 'm', schema: {} }, 'Cancel'],
    [
      'a link that is declined',
      { kind: 'url', message: 'm', url: 'https://a.example/', host: 'a.example', warnings: [] },
      'Deny',
    ],
  ])('%s, however often it is pressed (page inbox)', async (_what, body, name) => {
    ask(body)
    await expect.element(page.getByRole('button', { name, exact: true })).toBeVisible()
    const button = page.getByRole('button', { name, exact: true }).element() as HTMLElement
    for (let times = 0; times < 3; times++) button.click()
    await expect.poll(() => given().length).toBe(1)
    await new Promise((resolve) => requestAnimationFrame(resolve))
    expect(given()).toHaveLength(1)
  })

  it('one that was refused can be given again, and the reason is shown', async () => {
    ask(approval())
    answers({
      'inbox.answer': () => {
        throw refusal('Somebody else has answered', 'Look again')
      },
    })
    await press('Allow')
    await expect.element(page.getByText('Somebody else has answered')).toBeVisible()
    answers({ 'inbox.answer': () => ({}) })
    await press('Deny')
    await expect.poll(() => given().map(({ action }) => action)).toEqual(['allow', 'deny'])
  })
})

describe('for how long and for what', () => {
  it.each<[string, readonly string[], string | undefined, object]>([
    ['once unless somebody chooses more', [], undefined, { action: 'allow', remember: 'once' }],
    ['this session, this tool', ['Session'], undefined, { action: 'allow', remember: 'session', breadth: 'item' }],
    [
      'always, every tool',
      ['Always'],
      'every tool of files',
      { action: 'allow', remember: 'always', breadth: 'server' },
    ],
    [
      'the workspace, with these arguments',
      ['Workspace'],
      'this tool with exactly these arguments',
      { action: 'allow', remember: 'workspace', breadth: 'arguments' },
    ],
    ['more, and then once after all', ['Always', 'Once'], undefined, { action: 'allow', remember: 'once' }],
  ])('%s', async (_what, times, breadth, answer) => {
    ask(approval(), { workspace: '/home/me/project' })
    for (const time of times) await pick(time)
    if (breadth !== undefined) await choose('The answer applies to', breadth)
    await press('Allow')
    await expectGiven(answer)
  })

  it('no workspace is offered where there is none, and no breadth for a command', async () => {
    ask(approval({ kind: 'connect', server: 'files', shown: 'npx x', fingerprint: 'f' }))
    await pick('Always')
    expect(words()).not.toContain('Workspace')
    await click(page.getByRole('combobox', { name: 'The answer applies to' }))
    await expect
      .poll(() =>
        page
          .getByRole('option')
          .elements()
          .map((one) => one.textContent),
      )
      .toEqual(['exactly this command'])
  })

  it('the question says what each of them holds for, in the words of the program (first hour H1)', async () => {
    const memory = {
      once: 'until it is stopped',
      session: 'until this session ends',
      workspace: 'while you work in this folder: /home/me',
      always: 'in this folder: /home/me/a-very-long-name, for exactly this command',
    }
    const effect: Effect = { kind: 'connect', server: 'files', shown: 'npx x', fingerprint: 'f' }
    ask(approval(effect), { workspace: '/home/me', memory })
    for (const [time, says] of [
      ['Once', memory.once],
      ['Always', memory.always],
      ['Workspace', memory.workspace],
    ] as const) {
      await pick(time)
      await expect.element(page.getByRole('status')).toHaveTextContent(`Holds ${says}.`)
    }
    await expectInside()
  })

  it('a denial is remembered as well', async () => {
    ask(approval())
    await pick('Always')
    await press('Deny')
    await expectGiven({ action: 'deny', remember: 'always', breadth: 'item' })
  })
})

describe('arguments can be changed before they are allowed', () => {
  it('what was changed is what is sent, and the button says so', async () => {
    ask(approval())
    await press('Edit arguments')
    await fill(textbox('Arguments'), '{"path":"/tmp/safe"}')
    await press('Allow with changes')
    await expectGiven({ action: 'allow', remember: 'once', content: { path: '/tmp/safe' } })
  })

  it('they are sent as they were once the change is undone', async () => {
    ask(approval())
    await press('Edit arguments')
    await fill(textbox('Arguments'), '{}')
    await press('Undo the changes of arguments')
    await press('Allow')
    await expectGiven({ action: 'allow', remember: 'once' })
  })

  it.each(['{"path":', '[]', 'null', '"text"', ''])(
    'nothing can be allowed while they are no object: %j',
    async (text) => {
      ask(approval())
      await press('Edit arguments')
      await fill(textbox('Arguments'), text)
      await expect.element(page.getByRole('button', { name: /^Allow/ })).toBeDisabled()
      await press('Deny')
      await expectGiven({ action: 'deny', remember: 'once' })
    },
  )

  it('a result is changed before the model sees it', async () => {
    ask({ kind: 'result', effect: CALL, result: { content: [] } })
    await press('Edit result')
    await fill(textbox('Result'), '{"content":[{"type":"text","text":"kept back"}]}')
    await press('Allow with changes')
    await expectGiven({ action: 'allow', content: { content: [{ type: 'text', text: 'kept back' }] } })
  })

  it('a prompt, its instructions and the model are changed before it is sent (sec-115)', async () => {
    const messages = [
      { role: 'user', content: { type: 'text', text: 'Sum up' } },
      { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
    ]
    ask({
      kind: 'sampling',
      request: { systemPrompt: 'Be brief', messages, maxTokens: 9, tools: [{ name: 'rm' }] },
      models: ['a', 'b'],
    })
    await expect.poll(words).toContain('user: image, sent as it is')
    expect(words()).toContain('"rm"')
    await fill('Prompt', 'Sum up kindly')
    await fill('Instructions to the model', 'Be kind')
    await choose('Answered by', 'b')
    await press('Allow with changes')
    await expectGiven({
      action: 'allow',
      model: 'b',
      content: {
        systemPrompt: 'Be kind',
        messages: [{ role: 'user', content: { type: 'text', text: 'Sum up kindly' } }, messages[1]],
      },
    })
  })

  it('words of the model are changed before the server sees them', async () => {
    ask({
      kind: 'sampling-answer',
      request: {},
      answer: { content: { type: 'text', text: 'my key is x' }, model: 'm' },
    })
    await fill('Answer of m', 'no key')
    await press('Allow with changes')
    await expectGiven({ action: 'allow', content: { text: 'no key' } })
  })

  it.each<[string, string, string]>([
    ['allServers', 'Including what other servers said.', 'It also asks for parts of your conversation'],
    ['thisServer', 'Only what this server said.', 'It also asks for parts of your conversation'],
  ])('a request for the conversation is pointed out: %s', async (includeContext, detail, title) => {
    ask({ kind: 'sampling', request: { messages: [], includeContext }, models: [] })
    await expect.element(page.getByText(title)).toBeVisible()
    expect(words()).toContain(detail)
  })
})

describe('what is shown is whole (sec-93)', () => {
  const long = Array.from({ length: 500 }, (_, line) => `line ${line}`).join('\n')

  /** Opens every page and gathers what they hold. */
  async function readAll(label: string): Promise<string> {
    const pages: string[] = []
    for (let at = 0; at < 100; at++) {
      await expect.poll(() => page.getByRole('group', { name: label, exact: true }).elements().length).toBe(1)
      pages.push(page.getByRole('group', { name: label, exact: true }).element().textContent ?? '')
      const next = page.getByRole('button', { name: `Next page of ${label.toLowerCase()}` })
      if (next.elements().length === 0 || next.element().matches(':disabled')) return pages.join('')
      await click(next)
    }
    throw new Error('more pages than there can be')
  }

  it.each<[string, Body, string, string]>([
    ['arguments of many lines', approval({ ...CALL, arguments: { code: long } }), 'Arguments: code', long],
    [
      'a command of many words',
      approval({ kind: 'connect', server: 'x', shown: `npx ${'a '.repeat(6_000)}; rm -rf /`, fingerprint: '' }),
      'What would run',
      `npx ${'a '.repeat(6_000)}; rm -rf /`,
    ],
    ['a message', { kind: 'form', message: long, schema: {} }, 'Message', long],
    ['a result', { kind: 'result', effect: CALL, result: { text: long } }, 'Result: text', long],
    [
      'a list of tools for the model',
      { kind: 'sampling', request: { messages: [], tools: [{ name: long }] }, models: [] },
      'Other parameters',
      JSON.stringify({ tools: [{ name: long }] }, undefined, 2),
    ],
  ])('%s', async (_what, body, label, text) => {
    ask(body)
    expect(await readAll(label)).toBe(text)
  })

  it('what nobody has opened yet is counted, until it was', async () => {
    ask(approval({ ...CALL, arguments: { code: `${'x'.repeat(PAGE_SIZE.characters + 10)}\nend` } }))
    await expect.element(page.getByText('Not everything has been shown yet')).toBeVisible()
    expect(words()).toMatch(/Still on other pages: \d+ characters of arguments: code/)
    await press('Next page of arguments: code')
    await expect.element(page.getByText('Not everything has been shown yet')).not.toBeInTheDocument()
    await press('Allow')
    await expectGiven({ action: 'allow', remember: 'once' })
  })

  it('a change of many parts has pages of them', async () => {
    const difference = Array.from({ length: 45 }, (_, at) => ({ part: `part ${at}`, before: 'a', after: 'b' }))
    ask({ kind: 'definition', item: 'x', difference })
    await expect.element(page.getByText('Page 1 of 3')).toBeVisible()
    expect(words()).not.toContain('part 44')
    await press('Next page of differences')
    await press('Next page of differences')
    await expect.poll(words).toContain('part 44')
  })
})

describe('what speaks against it', () => {
  it.each<[string, Body]>([
    ['an approval', approval(CALL, { warnings: ['First of it', 'Second of it'] })],
    ['a form', { kind: 'form', message: 'm', schema: {}, warnings: ['First of it', 'Second of it'] }],
    [
      'a link',
      {
        kind: 'url',
        message: 'm',
        url: 'https://a.example',
        host: 'a.example',
        warnings: ['First of it', 'Second of it'],
      },
    ],
    [
      'a request to the model',
      { kind: 'sampling', request: { messages: [] }, models: [], warnings: ['First of it', 'Second of it'] },
    ],
  ])('comes before the thing itself: %s', async (_what, body) => {
    ask(body)
    await expect.poll(words).toContain('Second of it')
    const read = words()
    expect(read.indexOf('First of it')).toBeLessThan(read.search(/Allow|Send|Open a\.example|Deny/))
  })

  it('says what the server claims of a tool, and that nobody believes it', async () => {
    ask(approval({ ...CALL, annotations: { readOnlyHint: false, destructiveHint: true } }))
    await expect.element(page.getByText('destructive', { exact: true })).toBeVisible()
    expect(words()).toContain('this server is not trusted, so rules ignore it')
    expect(words()).not.toContain('read-only')
  })
})

describe('a link is text until it is opened (sec-96, sec-103, sec-106)', () => {
  const link = (url: string, host: string): Body => ({ kind: 'url', message: 'Sign in', url, host, warnings: [] })

  it('shows the whole address, its host marked', async () => {
    ask(link('https://auth.example/start?x=1', 'auth.example'))
    await expect.poll(() => document.querySelector('mark')?.textContent).toBe('auth.example')
    expect(words()).toContain('https://auth.example/start?x=1')
  })

  it('opens in a tab of its own that cannot look back', async () => {
    ask(link('https://auth.example/', 'auth.example'))
    const open = page.getByRole('link', { name: 'Open auth.example' })
    await expect.element(open).toHaveAttribute('rel', 'noreferrer noopener')
    await expect.element(open).toHaveAttribute('target', '_blank')
    open.element().addEventListener('click', (event) => event.preventDefault())
    await click(open)
    await expectGiven({ action: 'allow' })
  })

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'no address'])(
    '%s cannot be opened',
    async (url) => {
      ask(link(url, ''))
      await expect.element(page.getByText('This is no web address')).toBeVisible()
      expect(page.getByRole('link').elements()).toHaveLength(0)
      await press('Deny')
      await expectGiven({ action: 'deny' })
    },
  )

  it('can be closed without an answer', async () => {
    ask(link('https://auth.example/', 'auth.example'))
    await press('Cancel')
    await expectGiven({ action: 'cancel' })
  })
})

describe('folders', () => {
  it('are told only where they were chosen', async () => {
    ask({ kind: 'roots', offered: ['/home/a', '/home/b', '/home/c'] })
    await expect.element(page.getByRole('button', { name: 'Allow' })).toBeDisabled()
    await click(page.getByRole('checkbox', { name: '/home/b' }))
    await press('Allow')
    await expectGiven({ action: 'allow', content: { roots: ['/home/b'] } })
  })
})

describe('words of a stranger (sec-125)', () => {
  it.each(Object.entries(HOSTILE))('%s is shown as characters, inside the window', async (_what, text) => {
    const all: readonly Body[] = [
      approval(
        { kind: 'call', server: text, tool: text, arguments: { [text]: text }, trusted: false },
        { reason: text, warnings: [text] },
      ),
      approval({ kind: 'connect', server: text, shown: text, fingerprint: '' }),
      approval({ kind: 'flow', server: text, from: [text], tool: text, arguments: {} }),
      { kind: 'result', effect: CALL, result: { text } },
      {
        kind: 'sampling',
        request: { systemPrompt: text, messages: [{ role: text, content: { type: 'text', text } }], [text]: text },
        models: [text],
      },
      { kind: 'form', message: text, schema: { properties: { [text]: { title: text, description: text } } } },
      { kind: 'url', message: text, url: `https://a.example/${text}`, host: 'a.example', warnings: [text] },
      { kind: 'roots', offered: [text] },
      { kind: 'definition', item: text, difference: [{ part: text, before: text, after: text }] },
      { kind: 'trust', file: text, servers: [text] },
    ]
    const questions = all.map((body, at) => ({
      id: `h${at}`,
      server: text,
      session: 's',
      createdAt: 0,
      workspace: text,
      body,
    }))
    show(questions.map((question) => <QuestionCard key={question.id} question={question} />))
    await expect.poll(() => document.querySelectorAll('article').length).toBe(all.length)
    expectInert()
    await expectInside()
  })
})

it('a question beside a run is in sight in a narrow window, however long the form above it is (newcomer 10)', async () => {
  await page.viewport(390, 700)
  const question = { id: `q${++made}`, server: 'files', session: 's', createdAt: Date.now(), body: approval() }
  show(
    <>
      <div style={{ height: 3_000 }}>The form of a tool</div>
      <QuestionInPlace question={question} />
    </>,
  )
  const allow = page.getByRole('button', { name: 'Allow', exact: true })
  await expect.element(allow).toBeInViewport({ ratio: 1 })
  await page.viewport(1_000, 800)
})
