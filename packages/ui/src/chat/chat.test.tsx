import type { ApiEvent, Chat, ChatEvent, ChatPart, ModelChoice } from 'portico/web-api'
import { beforeEach, describe, expect, it } from 'vitest'
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
  press,
  refusal,
  setStream,
  show,
  tell,
  textbox,
  type,
  words,
} from '../../test/page.tsx'
import { loadChats, openChat } from '../app/data/chat-store.ts'
import { loadQuestions, type Question, watchQuestions } from '../app/data/question-store.ts'
import { ChatScreen } from './screen.tsx'

answers({ 'inbox.list': () => ({ questions: [] }) })
watchQuestions()

const MODEL: ModelChoice = { id: 'm', label: 'Model M', provider: 'p', source: 'Configured', usable: true }
const OTHER: ModelChoice = { ...MODEL, id: 'o', label: 'Model O' }
const DOWN: ModelChoice = { ...MODEL, id: 'd', label: 'Model D', usable: false, remedy: 'Nothing answers at there.' }

let made = 0

function chat(more: Partial<Chat> = {}): Chat {
  return {
    id: `c${++made}`,
    title: 'A talk',
    at: Date.now(),
    tour: false,
    model: 'm',
    parts: [],
    usage: { inputTokens: 0, outputTokens: 0, steps: 0 },
    busy: false,
    pins: [],
    ...more,
  }
}

interface Situation {
  /** The list of models comes no sooner. */
  readonly modelsAfter?: Promise<void>
  readonly chats?: readonly Chat[]
  readonly models?: readonly ModelChoice[]
  readonly questions?: readonly Question[]
  /** What the address holds besides. */
  readonly query?: string
}

/** The chat with the first of these conversations open. */
async function open(opened: Chat | undefined, situation: Situation = {}): Promise<void> {
  const { chats = [], models = [MODEL, OTHER], questions = [], query = '' } = situation
  const all = [...(opened === undefined ? [] : [opened]), ...chats]
  answers({
    'chat.models': async () => {
      await situation.modelsAfter
      return { models, hint: 'Set a key.' }
    },
    'chat.list': () => ({ chats: all }),
    'chat.open': ({ id }) => all.find((one) => one.id === id) ?? chat({ id }),
    'chat.projects': () => ({ projects: [] }),
    'chat.send': () => ({}),
    'chat.cancel': () => ({}),
    'inbox.list': () => ({ questions }),
    'inbox.answer': () => ({}),
    'items.list': () => ({ items: [], total: 0, missing: [] }) as never,
  })
  await Promise.all([loadChats(), loadQuestions(), opened && openChat(opened.id)])
  const hash = opened === undefined ? `/chat${query}` : `/chat?id=${opened.id}${query}`
  window.location.hash = hash
  await expect.poll(() => window.location.hash).toBe(`#${hash}`)
  show(
    <Frame height={760}>
      <ChatScreen />
    </Frame>,
  )
  if (opened !== undefined) await expect.element(message()).toBeVisible()
}

const message = () => textbox('Message')
const log = () => page.getByRole('log', { name: 'Conversation' })
const said = () => log().element().textContent ?? ''
const told = ({ id }: Chat, event: ChatEvent) => tell({ type: 'chat', chat: id, event } satisfies ApiEvent)
const tool = (more: Partial<Extract<ChatPart, { kind: 'tool' }>> = {}): ChatPart => ({
  id: 't1',
  kind: 'tool',
  name: 'read',
  server: 'files',
  arguments: { path: '/tmp/a' },
  status: 'ok',
  ...more,
})
const toolCard = () => page.getByRole('article', { name: 'Tool call: read of files' })

beforeEach(() => setStream('open'))

describe('writing a message', () => {
  it('Enter sends it with the model that is chosen, and empties the field', async () => {
    const talk = chat()
    await open(talk)
    await click(page.getByRole('combobox', { name: 'Model' }))
    await click(page.getByRole('option', { name: /^Model O/ }))
    await click(message())
    await type('Hello there{Enter}')
    await expect.poll(() => askedOf('chat.send')).toEqual([{ id: talk.id, text: 'Hello there', model: 'o' }])
    await expect.element(message()).toHaveValue('')
  })

  it('Shift Enter begins a line', async () => {
    await open(chat())
    await click(message())
    await type('one{Shift>}{Enter}{/Shift}two')
    await expect.element(message()).toHaveValue('one\ntwo')
    expect(askedOf('chat.send')).toEqual([])
  })

  it('what could not be sent stays where it was typed, and the reason is shown', async () => {
    await open(chat())
    answers({
      'chat.send': () => {
        throw refusal('The model is gone', 'Choose another one.')
      },
    })
    await fill(message(), 'precious words')
    await press('Send')
    await expect.element(page.getByText('The model is gone')).toBeVisible()
    await expect.element(message()).toHaveValue('precious words')
  })

  it.each<[string, string, readonly ModelChoice[], string | undefined]>([
    ['nothing', '   ', [MODEL], undefined],
    ['anything without a usable model', 'hi', [DOWN], 'Choose a model that can be used.'],
  ])('%s cannot be sent', async (_what, text, models, says) => {
    await open(chat({ model: models[0]?.id ?? '' }), { models })
    await fill(message(), text)
    await expect.element(page.getByRole('button', { name: 'Send' })).toBeDisabled()
    if (says !== undefined) expect(words()).toContain(says)
  })

  it('a model that was removed is no longer offered, as soon as the files are read again (first hour M1)', async () => {
    await open(chat({ model: 'o' }))
    await expect.element(page.getByRole('combobox', { name: 'Model' })).toHaveValue('Model O')
    answers({ 'chat.models': () => ({ models: [MODEL], hint: '' }) })
    tell({ type: 'problems', problems: [] })
    await expect.element(page.getByText('Choose a model that can be used.')).toBeVisible()
    await click(page.getByRole('combobox', { name: 'Model' }))
    await expect.element(page.getByRole('option', { name: 'Model M' })).toBeVisible()
    expect(page.getByRole('option').elements()).toHaveLength(1)
  })

  it('a model that nothing answers for cannot be chosen, says why, and is tried again when the list is opened', async () => {
    await open(chat(), { models: [MODEL, DOWN] })
    const before = askedOf('chat.models').length
    await click(page.getByRole('combobox', { name: 'Model' }))
    const option = page.getByRole('option', { name: 'Model D' })
    await expect.element(option).toHaveTextContent('Nothing answers at there.')
    expect(option.element().getAttribute('data-combobox-disabled')).toBe('true')
    await expect.poll(() => askedOf('chat.models').length).toBe(before + 1)
  })
})

describe('an answer', () => {
  it('streams in, piece by piece, and Stop is offered while it does', async () => {
    const talk = chat()
    await open(talk)
    told(talk, { type: 'busy', busy: true })
    await expect.element(page.getByRole('status').getByText('Working')).toBeInTheDocument()
    told(talk, { type: 'part', part: { id: 'a', kind: 'assistant', text: 'It is ', streaming: true } })
    told(talk, { type: 'delta', part: 'a', text: 'raining' })
    await expect.poll(said).toContain('It is raining')
    expect(log().element().getAttribute('aria-busy')).toBe('true')
    answers({
      'chat.open': () => ({
        ...talk,
        parts: [{ id: 'a', kind: 'assistant', text: 'It is raining.', streaming: false }],
      }),
    })
    told(talk, { type: 'busy', busy: false })
    await expect.element(page.getByRole('button', { name: 'Send' })).toBeVisible()
    // What is kept counts in the end, whatever pieces came twice.
    await expect.poll(said).toBe('It is raining.')
  })

  it.each<[string, () => Promise<void>]>([
    ['Stop', () => press('Stop the answer')],
    [
      'Escape',
      async () => {
        await click(message())
        await type('{Escape}')
      },
    ],
  ])('%s ends it, and nothing can be sent meanwhile', async (_how, stop) => {
    const talk = chat({ busy: true })
    await open(talk)
    expect(page.getByRole('button', { name: 'Send' }).elements()).toHaveLength(0)
    await click(message())
    await type('next{Enter}')
    expect(askedOf('chat.send')).toEqual([])
    await stop()
    await expect.poll(() => askedOf('chat.cancel')).toEqual([{ id: talk.id }])
    await expect.element(message()).toHaveValue('next')
  })

  it('of another conversation does not get in here', async () => {
    const talk = chat()
    const away = chat({ title: 'Elsewhere' })
    await open(talk, { chats: [away] })
    told(away, { type: 'part', part: { id: 'x', kind: 'assistant', text: 'not for you', streaming: false } })
    told(talk, { type: 'part', part: { id: 'y', kind: 'assistant', text: 'for you', streaming: false } })
    await expect.poll(said).toBe('for you')
  })

  it('gives the conversation its title, here and in the list', async () => {
    const talk = chat({ title: '' })
    await open(talk)
    await expect.element(page.getByRole('heading', { name: 'New conversation' })).toBeVisible()
    told(talk, { type: 'title', title: 'Rain in Rome' })
    await expect.element(page.getByRole('heading', { name: 'Rain in Rome' })).toBeVisible()
    await expect.element(page.getByRole('link', { name: /Rain in Rome/ })).toBeVisible()
  })

  it('stays in sight while it grows, unless somebody has scrolled up to read', async () => {
    const parts: ChatPart[] = Array.from({ length: 40 }, (_, at) => ({
      id: `p${at}`,
      kind: 'assistant',
      text: `Paragraph ${at}`,
      streaming: false,
    }))
    const talk = chat({ parts })
    await open(talk)
    const box = log().element()
    const fromEnd = () => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight)
    await expect.poll(fromEnd).toBeLessThan(5)
    told(talk, { type: 'delta', part: 'p39', text: '\n\nmore\n\nand more' })
    await expect.poll(said).toContain('and more')
    await expect.poll(fromEnd).toBeLessThan(5)
    box.scrollTop = 0
    await expect.poll(fromEnd).toBeGreaterThan(100)
    told(talk, { type: 'delta', part: 'p39', text: '\n\nstill more' })
    await expect.poll(said).toContain('still more')
    expect(box.scrollTop).toBe(0)
  })

  it.each<['info' | 'warning' | 'error', string]>([
    ['info', 'status'],
    ['warning', 'alert'],
    ['error', 'alert'],
  ])('a notice (%s) is read out, with its remedy', async (level, role) => {
    const notice: ChatPart = { id: 'n', kind: 'notice', level, text: 'No model answers', remedy: 'Start it.' }
    await open(chat({ parts: [notice] }))
    const note = log().getByRole(role as 'alert')
    await expect.element(note).toHaveTextContent('No model answersStart it.')
  })

  it('what it costs is told, and how near the end of the budget is', async () => {
    const usage = { inputTokens: 1_500, outputTokens: 500, steps: 3, cost: 0.5, budget: { steps: 4, cost: 10 } }
    await open(chat({ usage }))
    await press('Usage: 2.0 k tokens · $0.50, 3 of 4 steps')
    await expect.element(page.getByText('3 of 4')).toBeVisible()
    expect(words()).toContain('$0.50 of $10.00')
  })
})

describe('a tool call', () => {
  it.each<[Extract<ChatPart, { kind: 'tool' }>['status'], string]>([
    ['running', 'Running'],
    ['ok', 'Done'],
    ['error', 'Failed'],
    ['denied', 'Denied'],
    ['cancelled', 'Cancelled'],
    ['task', 'Runs as a task'],
  ])('that is %s says so, with its arguments in a few words', async (status, word) => {
    await open(chat({ parts: [tool({ status, durationMs: 1_500 })] }))
    await expect.element(toolCard().getByText(word, { exact: true })).toBeVisible()
    await expect.element(toolCard()).toHaveTextContent(/path: \/tmp\/a.*1\.5 s/)
  })

  it('opens to all of its arguments, why it was let through, and its result', async () => {
    const result = { content: [{ type: 'text', text: 'the content of the file' }] } as const
    await open(chat({ parts: [tool({ result: result as never, reason: 'A rule allows it.' })] }))
    expect(said()).not.toContain('the content of the file')
    await click(toolCard().getByRole('button'))
    await expect.element(toolCard().getByText('the content of the file')).toBeVisible()
    expect(said()).toContain('A rule allows it.')
  })

  it('that waits is asked about in its place, and the answer is given there', async () => {
    const question: Question = {
      id: 'q1',
      server: 'files',
      session: 's',
      createdAt: 1,
      body: {
        kind: 'approval',
        effect: { kind: 'call', server: 'files', tool: 'read', arguments: { path: '/tmp/a' }, trusted: false },
        reason: 'You are asked before a tool is called',
        warnings: [],
      },
    }
    const talk = chat({ parts: [tool({ status: 'waiting', question: 'q1' })], busy: true })
    await open(talk, { questions: [question] })
    await expect.element(toolCard().getByText('Waits for you')).toBeVisible()
    await expect.element(toolCard().getByText('/tmp/a')).toBeVisible()
    await click(toolCard().getByRole('button', { name: 'Allow', exact: true }))
    await expect
      .poll(() => askedOf('inbox.answer').map(({ id, answer }) => [id, answer.action]))
      .toEqual([['q1', 'allow']])
    await expect.element(toolCard().getByText('Already answered. Waiting for the program.')).toBeVisible()
    told(talk, { type: 'part', part: tool({ status: 'ok' }) })
    await expect.element(toolCard().getByText('Done')).toBeVisible()
  })

  it.each<[string, { progress: number; total?: number; message?: string }, string | null]>([
    ['of a known length', { progress: 1, total: 4, message: 'first page' }, '25'],
    ['of an unknown length', { progress: 7 }, '100'],
    ['past its end', { progress: 9, total: 4 }, '100'],
  ])('shows how far it is, %s', async (_what, progress, value) => {
    await open(chat({ parts: [tool({ status: 'running', progress })], busy: true }))
    const bar = toolCard().getByRole('progressbar')
    await expect.element(bar).toHaveAttribute('aria-valuenow', value ?? '')
    if (progress.message !== undefined) expect(said()).toContain(progress.message)
  })
})

describe('the list of conversations', () => {
  it('has the newest first, and opens what is chosen', async () => {
    const older = chat({ title: 'Older', at: 1_000 })
    const newer = chat({ title: 'Newer', at: 2_000 })
    await open(undefined, { chats: [older, newer] })
    await expect
      .poll(() =>
        page
          .getByRole('link')
          .elements()
          .map((one) => one.textContent?.slice(0, 5)),
      )
      .toEqual(['Newer', 'Older'])
    await click(page.getByRole('link', { name: /Older/ }))
    await expect.element(page.getByRole('heading', { name: 'Older' })).toBeVisible()
  })

  it('a new one begins with the first model that can be used', async () => {
    await open(undefined, { models: [DOWN, OTHER] })
    const fresh = chat({ title: '', model: 'o' })
    answers({ 'chat.create': () => fresh, 'chat.open': () => fresh })
    await click(page.getByRole('button', { name: 'New conversation' }))
    await expect.poll(() => askedOf('chat.create')).toEqual([{ model: 'o' }])
    await expect.poll(() => window.location.hash).toBe(`#/chat?id=${fresh.id}`)
  })

  it('and so does one that is begun before the list of models has come', async () => {
    let come = (): void => {}
    const modelsAfter = new Promise<void>((resolve) => {
      come = resolve
    })
    await open(undefined, { models: [DOWN, OTHER], modelsAfter })
    const fresh = chat({ title: '', model: 'o' })
    answers({ 'chat.create': () => fresh, 'chat.open': () => fresh })
    const asked = askedOf('chat.create').length
    await click(page.getByRole('button', { name: 'New conversation' }))
    expect(askedOf('chat.create')).toHaveLength(asked)
    come()
    await expect.poll(() => askedOf('chat.create').slice(asked)).toEqual([{ model: 'o' }])
  })

  it('one is deleted after a yes, and the screen goes back to the others', async () => {
    const talk = chat({ title: 'Doomed' })
    await open(talk)
    answers({ 'chat.delete': () => ({}) })
    await press('Delete Doomed')
    expect(askedOf('chat.delete')).toEqual([])
    await click(page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }))
    await expect.poll(() => askedOf('chat.delete')).toEqual([{ id: talk.id }])
    await expect.poll(() => window.location.hash).toBe('#/chat')
    await expect.poll(() => page.getByRole('link', { name: /Doomed/ }).elements()).toHaveLength(0)
  })

  it('one that could not be deleted stays, and stays open', async () => {
    const talk = chat({ title: 'Stubborn' })
    await open(talk)
    answers({
      'chat.delete': () => {
        throw refusal('The file is locked')
      },
    })
    await press('Delete Stubborn')
    await click(page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }))
    await expect.element(page.getByText('The file is locked')).toBeVisible()
    expect(window.location.hash).toBe(`#/chat?id=${talk.id}`)
    await expect.element(page.getByRole('link', { name: /Stubborn/ })).toBeVisible()
  })

  it('is loaded anew when the program is back', async () => {
    await open(chat({ title: 'Before' }))
    answers({ 'chat.list': () => ({ chats: [chat({ title: 'Meanwhile' })] }) })
    setStream('lost')
    setStream('open')
    await expect.element(page.getByRole('link', { name: /Meanwhile/ })).toBeVisible()
  })

  it('a conversation that is not there says so, and is tried again', async () => {
    const talk = chat({ title: 'There after all' })
    await open(undefined)
    answers({
      'chat.open': () => {
        throw refusal('There is no such conversation')
      },
    })
    window.location.hash = `/chat?id=${talk.id}`
    await expect.element(page.getByText('There is no such conversation')).toBeVisible()
    answers({ 'chat.open': () => talk })
    await press('Retry')
    await expect.element(page.getByRole('heading', { name: 'There after all' })).toBeVisible()
  })
})

describe('before there is a conversation', () => {
  it.each<[string, readonly ModelChoice[], string, string]>([
    ['a model can be used', [MODEL], 'Talk to your servers', 'With Model M; others can be chosen at any time.'],
    ['none can', [DOWN], 'No model yet', 'Nothing answers at there.'],
    ['there is none', [], 'No model yet', 'Set a key.'],
  ])('%s: says what can be done', async (_what, models, title, more) => {
    await open(undefined, { models })
    await expect.element(page.getByRole('heading', { name: title }).first()).toBeVisible()
    expect(words()).toContain(more)
    expect(words()).toContain('Start the tour')
  })

  it('a model is added by its address; a key is never asked for', async () => {
    await open(undefined, { models: [] })
    answers({ 'chat.addModel': () => ({}) })
    await click(page.getByRole('button', { name: 'Add a model' }).first())
    await press('Add the model')
    await expect.element(page.getByText('An address that begins with https:// or http://')).toBeVisible()
    await fill(textbox(/^Address/), 'http://localhost:1234/v1')
    await fill(textbox(/^Model/), 'qwen')
    await fill(textbox(/^Variable/), 'sk-abc-123')
    await press('Add the model')
    await expect.element(page.getByText('Do not put the key itself here.', { exact: false })).toBeVisible()
    expect(askedOf('chat.addModel')).toEqual([])
    await fill(textbox(/^Variable/), 'MY_KEY')
    await press('Add the model')
    const sent = { id: 'qwen', url: 'http://localhost:1234/v1', model: 'qwen', keyVariable: 'MY_KEY' }
    await expect.poll(() => askedOf('chat.addModel')).toEqual([sent])
  })

  it('what another screen attached goes with the first message', async () => {
    const talk = chat()
    const attached = { kind: 'resource', server: 'files', name: 'notes' }
    await open(talk, { query: `&attach=${encodeURIComponent(JSON.stringify(attached))}` })
    await expect.element(page.getByRole('list', { name: 'Attached' }).getByText('notes')).toBeVisible()
    await fill(message(), 'Read this')
    await press('Send')
    await expect
      .poll(() => askedOf('chat.send'))
      .toEqual([{ id: talk.id, text: 'Read this', attachments: [attached], model: 'm' }])
    await expect.poll(() => window.location.hash).toBe(`#/chat?id=${talk.id}`)
  })

  it.each(['{', '[]', '{"kind":"tool","server":"a","name":"b"}', '{"kind":"resource"}'])(
    'nonsense in the address attaches nothing: %s',
    async (nonsense) => {
      await open(chat(), { query: `&attach=${encodeURIComponent(nonsense)}` })
      expect(page.getByRole('list', { name: 'Attached' }).elements()).toHaveLength(0)
    },
  )
})

describe('words of a stranger (sec-125)', () => {
  it.each(Object.entries(HOSTILE))('%s is shown as characters, inside the window', async (_what, text) => {
    const parts: ChatPart[] = [
      { id: 'u', kind: 'user', text, attachments: [{ label: text, server: text, bytes: 12 }] },
      { id: 'a', kind: 'assistant', text, streaming: false },
      tool({ name: text, server: text, arguments: { [text]: text }, reason: text }),
      { id: 'n', kind: 'notice', level: 'error', text, remedy: text },
    ]
    await open(chat({ title: text, parts, pins: [{ server: text, uri: text }] }))
    await expect.poll(() => document.querySelectorAll('article').length).toBe(1)
    expectInert()
    await expectInside()
  })
})
