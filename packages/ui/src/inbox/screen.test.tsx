import { beforeEach, describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { answers, askedOf, click, expectInside, press, refusal, show, tell, words } from '../../test/page.tsx'
import { loadQuestions, type Question, watchQuestions } from '../app/data/question-store.ts'
import { QuestionNotices } from './question-notices.tsx'
import { InboxScreen } from './screen.tsx'

const reading = (uri: string) => ({ kind: 'read', server: 'files', uri }) as const

function question(id: string, more: Partial<Question> = {}): Question {
  const body = { kind: 'approval', effect: reading(`file:///${id}`), reason: 'why', warnings: [] } as const
  return { id, server: 'files', session: 's', createdAt: 1_000, body, ...more }
}

const FORM = { kind: 'form', message: 'Please', schema: {} } as const

let isWatched = false

/** The inbox with these questions in it. */
async function open(questions: readonly Question[]): Promise<void> {
  answers({ 'inbox.list': () => ({ questions }), 'inbox.answer': () => ({}) })
  if (!isWatched) watchQuestions()
  isWatched = true
  await loadQuestions()
  show(<InboxScreen />)
}

const titles = () => [...document.querySelectorAll('article h2')].map((one) => one.textContent)

beforeEach(() => {
  window.location.hash = ''
})

describe('the inbox', () => {
  it('says that nothing waits', async () => {
    await open([])
    await expect.element(page.getByText('Nothing waits for you')).toBeVisible()
  })

  it('opens the oldest, and the next one once it is answered', async () => {
    await open([question('young', { createdAt: 9 }), question('old', { createdAt: 1 })])
    await expect.poll(titles).toEqual(['Read file:///old of files?'])
    expect(words()).toContain('2 questions wait for you.')
    await press('Allow')
    await expect.poll(titles).toEqual(['Read file:///young of files?'])
    expect(askedOf('inbox.answer').map(({ id }) => id)).toEqual(['old'])
  })

  it('opens the one that the address names, and the one that is pressed', async () => {
    window.location.hash = '/inbox?id=b'
    await open([question('a'), question('b', { createdAt: 2_000 })])
    await expect.poll(titles).toEqual(['Read file:///b of files?'])
    await click(page.getByRole('button', { name: /file:\/\/\/a/ }))
    await expect.poll(titles).toEqual(['Read file:///a of files?'])
  })

  it('shows one kind alone', async () => {
    await open([question('a'), question('f', { body: FORM, createdAt: 2_000 })])
    await click(page.getByRole('checkbox', { name: 'Form' }))
    await expect.poll(titles).toEqual(['files asks you to fill something in'])
    await click(page.getByRole('checkbox', { name: 'Form' }))
    await expect.poll(titles).toEqual(['Read file:///a of files?'])
  })

  it('takes what comes and lets go what is gone, as it happens', async () => {
    await open([])
    tell({ type: 'question', question: question('new') })
    await expect.poll(titles).toEqual(['Read file:///new of files?'])
    tell({ type: 'question-gone', id: 'new' })
    await expect.element(page.getByText('Nothing waits for you')).toBeVisible()
  })

  it('draws a part of very many, and says how many more there are', async () => {
    await open(Array.from({ length: 500 }, (_, at) => question(`q${at}`, { createdAt: at })))
    await expect.element(page.getByText('And 300 more questions.')).toBeVisible()
    expect(page.getByRole('button', { name: /file:/ }).elements().length).toBeLessThan(250)
    await expectInside()
  })

  it('says why it cannot be loaded, and tries again', async () => {
    await open([])
    answers({
      'inbox.list': () => {
        throw refusal('The program is busy', 'Wait a little')
      },
    })
    await loadQuestions()
    await expect.element(page.getByText('The program is busy')).toBeVisible()
    answers({ 'inbox.list': () => ({ questions: [question('a')] }) })
    await press('Retry')
    await expect.poll(titles).toHaveLength(1)
  })
})

describe('a question that comes up on another screen', () => {
  async function elsewhere(): Promise<void> {
    answers({ 'inbox.list': () => ({ questions: [] }), 'inbox.answer': () => ({}) })
    if (!isWatched) watchQuestions()
    isWatched = true
    await loadQuestions()
    show(<QuestionNotices quiet={false} />)
    await new Promise((resolve) => requestAnimationFrame(resolve))
  }

  it.each<[string, Partial<Question>, boolean]>([
    ['a reading', {}, true],
    ['one with a warning', { body: { kind: 'approval', effect: reading('x'), reason: '', warnings: ['odd'] } }, false],
    [
      'a call with arguments, which are not shown there',
      {
        body: {
          kind: 'approval',
          effect: { kind: 'call', server: 'files', tool: 't', arguments: { a: 1 }, trusted: true },
          reason: '',
          warnings: [],
        },
      },
      false,
    ],
    ['a form', { body: FORM }, false],
  ])('can be allowed in the corner only where everything is seen there: %s', async (_what, more, isQuick) => {
    await elsewhere()
    tell({ type: 'question', question: question(`n${_what}`, more) })
    await expect.element(page.getByRole('button', { name: 'Review' })).toBeVisible()
    expect(page.getByRole('button', { name: 'Allow' }).elements()).toHaveLength(isQuick ? 1 : 0)
    await press(isQuick ? 'Allow' : 'Deny')
    await expect
      .poll(() => askedOf('inbox.answer').map(({ answer }) => answer.action))
      .toEqual([isQuick ? 'allow' : 'deny'])
    await expect.element(page.getByRole('button', { name: 'Review' })).not.toBeInTheDocument()
  })

  it('leads to the inbox', async () => {
    await elsewhere()
    tell({ type: 'question', question: question('lead') })
    await press('Review')
    expect(window.location.hash).toBe('#/inbox?id=lead')
  })
})
