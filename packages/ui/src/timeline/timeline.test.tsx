import type { TimelineRow } from 'portico/web-api'
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
  type,
  words,
} from '../../test/page.tsx'
import { LaneChart } from './lane-chart.tsx'
import { ROW_HEIGHT, RowView } from './row-view.tsx'
import { TimelineScreen } from './screen.tsx'

const START = new Date(2026, 6, 28, 12).getTime()

function row(id: number, more: Partial<TimelineRow> = {}): TimelineRow {
  return {
    id,
    at: START + id * 10,
    server: 'files',
    connection: 'files#1',
    direction: 'out',
    kind: 'request',
    method: 'tools/call',
    group: `g${id}`,
    bytes: 120,
    summary: `row ${id}`,
    ...more,
  }
}

/** A request, its progress and its answer. */
const CALL = [
  row(1, { group: 'a', rpcId: 7, durationMs: 40, summary: 'read_file' }),
  row(2, { group: 'a', kind: 'notification', direction: 'in', method: 'notifications/progress', summary: 'half' }),
  row(3, { group: 'a', kind: 'response', direction: 'in', rpcId: 7, durationMs: 40, summary: 'done' }),
]

/** The timeline over a program that keeps these messages. */
async function open(rows: readonly TimelineRow[], hash = '/timeline'): Promise<void> {
  answers({
    'timeline.query': ({ filter = '', before = Number.POSITIVE_INFINITY, after, limit = 300 }) => {
      const found = rows.filter(({ summary, method }) => filter === '' || `${summary} ${method}`.includes(filter))
      const inside = found.filter(({ id }) => id < before && id > (after ?? 0))
      const isProblem = filter.startsWith('bad:')
      return {
        rows: after !== undefined ? inside.slice(0, limit) : inside.slice(-limit),
        total: found.length,
        ...(isProblem && { problem: 'No such key: bad' }),
      }
    },
    'timeline.message': ({ id }) => {
      const chosen = rows.find((one) => one.id === id) ?? row(id)
      const message = { jsonrpc: '2.0', id: chosen.rpcId, params: { of: chosen.summary } }
      const related = rows.filter((one) => one.group === chosen.group && one.id !== id)
      return { row: chosen, message, raw: JSON.stringify(message), related }
    },
    'timeline.recordings': () => ({ recordings: [] }),
    'timeline.clear': () => ({}),
  })
  window.location.hash = hash
  await expect.poll(() => window.location.hash).toBe(`#${hash}`)
  show(
    <Frame height={700}>
      <TimelineScreen />
    </Frame>,
  )
}

const options = () =>
  page
    .getByRole('option')
    .elements()
    .map((one) => (one as HTMLElement).textContent ?? '')
const option = (text: string | RegExp) => page.getByRole('option').filter({ hasText: text })
const detail = () => page.getByRole('region', { name: 'Message', exact: true }).element().textContent ?? ''

describe('a message in the list says what it is', () => {
  it.each<[string, Partial<TimelineRow>, RegExp, string]>([
    ['a request that waits', {}, /tools\/call.*row 1.*…/, 'To the server, request'],
    ['a request that was answered', { durationMs: 1_500 }, /row 1.*1\.5 s/, 'To the server, request'],
    ['an answer', { kind: 'response', direction: 'in' }, /tools\/call · answer/, 'From the server, response'],
    [
      'an answer whose request is not known',
      { kind: 'response', direction: 'in', method: '' },
      /answer/,
      'From the server, response',
    ],
    ['an error', { kind: 'error', direction: 'in', summary: 'no such file' }, /no such file/, 'From the server, error'],
    [
      'a notification',
      { kind: 'notification', method: 'notifications/cancelled', summary: 'by the user' },
      /cancelled.*by the user/,
      'To the server, notification',
    ],
    [
      'a request of the server',
      { direction: 'in', method: 'sampling/createMessage' },
      /sampling\/createMessage/,
      'From the server, request',
    ],
    [
      'a request that was lost',
      { lost: 'the process ended' },
      /row 1 — no answer: the process ended/,
      'To the server, request',
    ],
    [
      'the end of a connection',
      { kind: 'closed', method: '', summary: 'exit code 1' },
      /connection closed.*exit code 1/,
      'The connection ended',
    ],
  ])('%s', async (_what, more, text, sign) => {
    show(<RowView row={row(1, more)} lane={0} lanes={1} isRelated={false} />)
    await expect.element(page.getByLabelText(sign)).toBeInTheDocument()
    expect(document.body.textContent).toMatch(text)
  })

  it('one that is lost is marked as an error', async () => {
    show(<RowView row={row(1, { lost: 'gone' })} lane={0} lanes={1} isRelated={false} />)
    await expect.poll(() => document.querySelector('[data-kind]')?.getAttribute('data-kind')).toBe('error')
  })

  it('one that is not here yet holds its place', async () => {
    show(<RowView row={undefined} lane={0} lanes={1} isRelated={false} />)
    await expect.poll(() => words()).toBe('')
  })
})

describe('request and answer belong together', () => {
  it('those of the same call are marked when one is chosen', async () => {
    await open([...CALL, row(4, { summary: 'other' })])
    await click(option('read_file'))
    await expect.poll(() => document.querySelectorAll('[data-related]').length).toBe(2)
    expect(option('other').element().querySelector('[data-related]')).toBeNull()
  })

  it('the call is told as a whole, and each step leads to its message', async () => {
    await open(CALL, '/timeline?id=1')
    await press('Call (3)', 'tab')
    await expect.poll(detail).toContain('40 ms in all')
    expect(
      page
        .getByRole('listitem')
        .elements()
        .map((one) => one.textContent?.replace(/^[\d:.]+/, '')),
    ).toEqual(['→ tools/call', '← notifications/progress', '← tools/call · answer'])
    await click(page.getByRole('button', { name: /tools\/call · answer/ }))
    await expect.poll(() => window.location.hash).toBe('#/timeline?id=3')
  })

  it('several rounds of one call are counted', async () => {
    await open(
      [...CALL, row(4, { group: 'a' }), row(5, { group: 'a', kind: 'error', direction: 'in' })],
      '/timeline?id=5',
    )
    await press('Call (5)', 'tab')
    await expect.poll(detail).toContain('2 rounds')
    expect(detail()).toContain('tools/call · error')
  })

  it.each<[string, Partial<TimelineRow>, string[]]>([
    [
      'an answer',
      { kind: 'response', direction: 'in', rpcId: 7, durationMs: 40 },
      ['Answer', 'from files', 'id 7', '40 ms', '120 B'],
    ],
    [
      'a request without an answer',
      { rpcId: 'x', lost: 'the process ended' },
      ['Request', 'to files', 'id x', 'No answer', 'the process ended'],
    ],
    ['an error', { kind: 'error', direction: 'in', summary: 'Method not found' }, ['Error', 'Method not found']],
    [
      'the end of a connection',
      { kind: 'closed', method: '', summary: 'exit code 9' },
      ['Connection closed', 'exit code 9'],
    ],
  ])('%s in full', async (_what, more, facts) => {
    await open([row(1, more)], '/timeline?id=1')
    await expect.poll(detail).toContain(facts.at(-1))
    for (const fact of facts) expect(detail()).toContain(fact)
  })

  it('a message is shown decoded and as it was sent', async () => {
    await open(CALL, '/timeline?id=1')
    await expect.poll(detail).toContain('“read_file”')
    await press('Raw', 'tab')
    await expect.poll(detail).toContain('{"jsonrpc":"2.0","id":7,"params":{"of":"read_file"}}')
  })

  it('two messages are compared', async () => {
    await open(CALL, '/timeline?id=1')
    await press('Compare')
    await expect.element(page.getByRole('button', { name: 'Now choose another one' })).toBeVisible()
    await click(option('done'))
    await expect.poll(detail).toContain('Message 1 against 3: 2 lines differ')
    await press('Stop comparing')
    await expect.poll(detail).not.toContain('against')
  })
})

describe('the list', () => {
  const MANY = Array.from({ length: 5_000 }, (_, at) => row(at + 1))

  it('of thousands begins at the newest and draws few', async () => {
    await open(MANY)
    await expect.element(option(/row 5000/)).toBeVisible()
    expect(options().length).toBeLessThan(80)
    expect(words()).toContain('5,000 messages')
  })

  it('goes anywhere by keyboard, loads what is there, and keeps the focus', async () => {
    await open(MANY)
    await expect.element(option(/row 5000/)).toBeVisible()
    const list = page.getByRole('listbox', { name: 'Messages' }).element() as HTMLElement
    list.focus()
    await type('{Home}')
    await expect.poll(() => window.location.hash).toBe('#/timeline?id=1')
    await expect.element(option(/row 1\D/)).toBeVisible()
    expect(document.activeElement).toBe(list)
    await type('{ArrowDown}')
    await expect.poll(() => window.location.hash).toBe('#/timeline?id=2')
    await press('Jump to newest')
    await expect.element(option(/row 5000/)).toBeVisible()
  })

  it('goes where a key says, though the list changes its size in the same moment', async () => {
    await open(MANY)
    await expect.element(option(/row 5000/)).toBeVisible()
    const list = page.getByRole('listbox', { name: 'Messages' }).element() as HTMLElement
    list.addEventListener('keydown', () => {
      list.style.maxHeight = '200px'
    })
    list.focus()
    await type('{Home}')
    await expect.poll(() => window.location.hash).toBe('#/timeline?id=1')
    expect(list.scrollTop).toBe(0)
  })

  it('takes what comes, as it happens', async () => {
    const rows = [row(1)]
    await open(rows)
    await expect.element(option(/row 1/)).toBeVisible()
    rows.push(row(2, { summary: 'just now' }))
    tell({ type: 'timeline', total: 2, newest: 2 })
    await expect.element(option('just now')).toBeVisible()
    expect(words()).toContain('2 messages')
  })

  it.each<[string, string, string]>([
    ['nothing yet', '/timeline', 'No messages yet'],
    ['nothing that matches', '/timeline?filter=nowhere', 'No message matches'],
  ])('says so where there is %s', async (_what, hash, said) => {
    await open([], hash)
    await expect.element(page.getByText(said)).toBeVisible()
  })

  it('says why it cannot be loaded', async () => {
    await open([])
    answers({
      'timeline.query': () => {
        throw refusal('The disk is full', 'Make room')
      },
    })
    await fill(page.getByRole('combobox', { name: 'Filter' }), 'x')
    await expect.element(page.getByText('The disk is full')).toBeVisible()
  })
})

describe('the filter', () => {
  it('is in the address, and what was chosen stays chosen', async () => {
    await open(CALL, '/timeline?id=1')
    await fill(page.getByRole('combobox', { name: 'Filter' }), 'progress')
    await expect.poll(() => window.location.hash).toBe('#/timeline?filter=progress&id=1')
    await expect.poll(() => options().filter((text) => text.includes('row') || text.includes('half')).length).toBe(1)
  })

  it('says what of it was not understood', async () => {
    await open(CALL)
    await fill(page.getByRole('combobox', { name: 'Filter' }), 'bad:x')
    await expect.element(page.getByText('No such key: bad')).toBeVisible()
  })

  it.each<[string, string]>([
    ['method:tools/call', 'method:tools/call'],
    ['server:files', 'server:files'],
    ['only this call', 'group:a'],
  ])('takes a term from the message: %s', async (button, term) => {
    await open(CALL, '/timeline?id=1')
    await press(button)
    await expect.poll(() => new URLSearchParams(window.location.hash.split('?')[1]).get('filter')).toBe(term)
  })

  it('a name with a space is quoted', async () => {
    await open([row(1, { server: 'my files' })], '/timeline?id=1')
    await press('server:"my files"')
    await expect.poll(() => askedOf('timeline.query').at(-1)?.filter).toBe('server:"my files"')
  })
})

describe('the picture of what is in sight', () => {
  const chart = (rows: readonly TimelineRow[]) => show(<LaneChart rows={rows} chosen={3} onChoose={() => {}} />)

  it('has a lane for each connection, and one span for a request with its answer', async () => {
    chart([...CALL, row(4, { connection: 'git#1' }), row(5, { connection: 'git#1', kind: 'error', direction: 'in' })])
    await expect.element(page.getByRole('img', { name: '5 messages on 2 connections within 40 ms' })).toBeVisible()
    expect([...document.querySelectorAll('rect')].map((one) => one.dataset.kind)).toEqual([
      'request',
      'notification',
      'request',
      'error',
    ])
  })

  it('is not drawn for a single message', async () => {
    chart([row(1)])
    await expect.poll(() => document.querySelector('svg')).toBeNull()
  })
})

describe('clearing and recording', () => {
  it('everything is forgotten once somebody has said yes to that', async () => {
    await open(CALL)
    await press('Clear')
    expect(askedOf('timeline.clear')).toEqual([])
    await click(page.getByRole('dialog').getByRole('button', { name: 'Clear', exact: true }))
    await expect.poll(() => askedOf('timeline.clear')).toHaveLength(1)
  })

  it('a recording is begun, ended, played back and saved as a test', async () => {
    await open(CALL)
    answers({
      'timeline.record': ({ on }) => ({ recording: on, ...(!on && { file: '/rec/a.jsonl', messages: 3 }) }),
      'timeline.recordings': () => ({ recordings: [{ file: '/rec/a.jsonl', at: START, messages: 3, bytes: 900 }] }),
      'timeline.replay': () => ({ server: 'a-replay' }),
      'timeline.exportTest': () => ({ name: 'a.test.ts', text: 'expect(1)' }),
    })
    await press('Record')
    await press('Stop recording')
    await expect.element(page.getByText('3 messages recorded')).toBeVisible()
    await pick('Recordings')
    await expect.element(page.getByText('a.jsonl', { exact: true })).toBeVisible()
    await press('Save as a test')
    await expect.element(page.getByText('expect(1)')).toBeVisible()
    await press('Close')
    await press('Play as a server')
    await expect.poll(() => askedOf('timeline.replay')).toEqual([{ file: '/rec/a.jsonl' }])
    await expect.poll(() => window.location.hash).toBe('#/servers?open=a-replay')
  })
})

describe('the charts', () => {
  const minute = (at: number, calls: number, errors: number) => ({ at: at * 60_000, calls, errors, p50: 12, p95: 340 })

  it('say in words what they draw, and have the numbers as tables', async () => {
    await open(CALL)
    answers({
      'timeline.stats': () => ({
        minutes: [minute(100, 4, 1), minute(102, 6, 0)],
        servers: [{ server: 'files', calls: 10, errors: 1, p50: 12, p95: 340 }],
      }),
    })
    await pick('Charts')
    await expect.element(page.getByRole('img', { name: /10 calls, of which 1 failed/ })).toBeVisible()
    await expect.element(page.getByRole('row', { name: 'files 10 1 12 ms 340 ms' })).toBeVisible()
    await click(page.getByRole('switch', { name: 'Numbers as tables' }))
    await expect.poll(() => document.querySelectorAll('tbody tr').length).toBe(3)
  })
})

describe('words of a stranger (sec-125)', () => {
  it.each(Object.entries(HOSTILE))('%s is shown as characters, inside the window', async (_what, text) => {
    const hostile = { method: text, summary: text, server: text, connection: text, group: text, lost: text }
    show(
      <div style={{ overflow: 'hidden', height: ROW_HEIGHT }}>
        <RowView row={row(1, hostile)} lane={0} lanes={1} isRelated={false} />
      </div>,
    )
    await expect.poll(() => document.body.textContent?.length ?? 0).toBeGreaterThan(0)
    expectInert()
    await open([row(1, hostile), row(2, hostile)], '/timeline?id=1')
    await expect.poll(() => document.querySelector('section[aria-label="Message"] h2')).not.toBeNull()
    expectInert()
    await expectInside()
  })
})
