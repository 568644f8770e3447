import type { TaskRow } from 'portico/web-api'
import { beforeEach, describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import {
  answers,
  askedOf,
  click,
  expectInert,
  expectInside,
  Frame,
  HOSTILE,
  press,
  refusal,
  show,
  tell,
  type,
  words,
} from '../../test/page.tsx'
import { loadQuestions, watchQuestions } from '../app/data/question-store.ts'
import { TasksScreen } from './screen.tsx'

function task(label: string, more: Partial<TaskRow> = {}): TaskRow {
  return {
    label,
    server: 'reports',
    tool: `tool-${label}`,
    generation: 'extension',
    status: 'working',
    startedAt: 1_000,
    updatedAt: 2_000,
    history: [{ at: 1_000, status: 'working', message: 'reading' }],
    followed: true,
    delivered: false,
    ...more,
  }
}

async function open(tasks: readonly TaskRow[], chosen?: string): Promise<void> {
  window.location.hash = chosen === undefined ? '' : `/tasks?id=${chosen}`
  answers({
    'tasks.list': () => ({ tasks }),
    'tasks.cancel': () => ({}),
    'tasks.forget': () => ({}),
    'tasks.result': () => ({ result: { content: [{ type: 'text', text: 'forty-two' }] } }),
  })
  show(
    <Frame height={700}>
      <TasksScreen />
    </Frame>,
  )
  await expect.poll(() => askedOf('tasks.list').length).toBe(1)
}

const rows = () => [...document.querySelectorAll('section[aria-label="Tasks"] li')].map((one) => one.textContent ?? '')

beforeEach(() => {
  window.location.hash = ''
})

describe('the tasks screen (host 31)', () => {
  it('says what tasks are where there are none', async () => {
    await open([])
    await expect.element(page.getByText('No tasks', { exact: true })).toBeVisible()
    expect(words()).toContain('answer what it asks, cancel it, and fetch its result later')
  })

  it.each<[TaskRow['status'], string]>([
    ['working', 'Working'],
    ['input_required', 'Waits for input'],
    ['completed', 'Done'],
    ['failed', 'Failed'],
    ['cancelled', 'Cancelled'],
  ])('shows one that is %s as %s', async (status, word) => {
    await open([task('a', { status })])
    await expect.poll(rows).toEqual([expect.stringContaining(word)])
  })

  it('lists the newest first, and takes changes as they come', async () => {
    await open([task('old', { startedAt: 1 }), task('new', { startedAt: 9 })])
    await expect.poll(rows).toEqual([expect.stringContaining('tool-new'), expect.stringContaining('tool-old')])
    expect(words()).toContain('2 tasks under way.')
    tell({ type: 'task', task: task('old', { startedAt: 1, status: 'completed', message: 'counted' }) })
    await expect.poll(() => rows()[1]).toMatch(/tool-old.*Done.*counted/)
    tell({ type: 'task-gone', label: 'new' })
    await expect.poll(rows).toHaveLength(1)
  })

  it.each<[TaskRow['generation'], string]>([
    ['core', '2025-11-25 tasks'],
    ['extension', '2026-07-28 tasks extension'],
  ])('names the kind of task on the wire and tells what happened: %s', async (generation, name) => {
    await open([task('a', { generation })], 'a')
    await expect.element(page.getByText(new RegExp(`Task a of reports · ${name}`))).toBeVisible()
    await expect.element(page.getByRole('region', { name: 'What happened' })).toHaveTextContent(/Working.*reading/)
  })

  it('cancels one that runs, fetches the result of one that is done, and takes it off the list', async () => {
    await open([task('a')], 'a')
    await press('Cancel the task')
    await expect.poll(() => askedOf('tasks.cancel')).toEqual([{ label: 'a' }])
    tell({ type: 'task', task: task('a', { status: 'completed' }) })
    expect(askedOf('tasks.result')).toEqual([])
    await press('Show the result')
    await expect.element(page.getByText('forty-two')).toBeVisible()
    await press('Take off the list')
    await expect.poll(() => askedOf('tasks.forget')).toEqual([{ label: 'a' }])
    await expect.poll(() => window.location.hash).toBe('#/tasks')
  })

  it('says why a result is kept back', async () => {
    await open([task('a', { status: 'completed' })], 'a')
    answers({
      'tasks.result': () => {
        throw refusal('The result was kept back: a rule says so')
      },
    })
    await press('Show the result')
    await expect.element(page.getByText('The result was kept back: a rule says so')).toBeVisible()
  })

  it('shows the question that a task waits for, and leads to its conversation', async () => {
    const body = { kind: 'form', message: 'Which year?', schema: {} } as const
    const question = { id: 'q', server: 'reports', session: 'chat:c1', createdAt: 1_000, body }
    answers({ 'inbox.list': () => ({ questions: [question] }) })
    watchQuestions()
    await loadQuestions()
    await open([task('a', { status: 'input_required', question: 'q', chat: 'c1' })], 'a')
    await expect.element(page.getByText('Which year?')).toBeVisible()
    expect(
      page
        .getByRole('link', { name: /conversation/ })
        .element()
        .getAttribute('href'),
    ).toBe('#/chat?id=c1')
  })

  it('is used by keyboard alone', async () => {
    await open([task('a'), task('b', { startedAt: 500 })])
    await expect.poll(rows).toHaveLength(2)
    ;(document.querySelector('section[aria-label="Tasks"] li button') as HTMLElement).focus()
    await type('{Tab}{Enter}')
    await expect.poll(() => window.location.hash).toBe('#/tasks?id=b')
  })

  it('keeps what servers write harmless, and stays inside at 360 pixels (sec-400)', async () => {
    const message = `${HOSTILE.html} ${HOSTILE.bidi} ${HOSTILE.long}`
    const history = [{ at: 1, status: 'working' as const, message }]
    await open([task('a', { tool: HOSTILE.long, message, history })], 'a')
    await expect.element(page.getByRole('region', { name: 'What happened' })).toBeInTheDocument()
    expectInert()
    await expectInside(360)
    await click(page.getByRole('button', { name: 'All tasks' }))
    await expect.poll(rows).toHaveLength(1)
    await expectInside(360)
  })
})
