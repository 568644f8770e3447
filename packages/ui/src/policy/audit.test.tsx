import type { ApiResult } from 'portico/web-api'
import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { answers, click, expectInert, expectInside, HOSTILE, press, refusal, show, words } from '../../test/page.tsx'
import { Audit } from './audit.tsx'

type Record = ApiResult<'audit.search'>['records'][number]

const record = (sequence: number, more: Partial<Record> = {}): Record => ({
  sequence,
  hash: `h${sequence}`,
  previous: `h${sequence - 1}`,
  at: new Date(2026, 6, 28, 12, 0, sequence).getTime(),
  type: 'outcome',
  what: 'connect',
  server: 'files',
  outcome: 'error',
  ...more,
})

function open(...records: readonly Record[]): void {
  answers({ 'audit.search': () => ({ records }) })
  show(<Audit />)
}

const opener = (sequence: number) => page.getByRole('button', { name: new RegExp(`^Record ${sequence},`) })

describe('a record', () => {
  it.each<[string, string, string]>([
    ['ok', 'ok', 'good'],
    ['error', 'error', 'bad'],
    ['deny', 'Deny', 'bad'],
    ['allow', 'Allow', 'good'],
    ['ask', 'Ask', 'warn'],
    ['cancelled', 'cancelled', 'calm'],
  ])('whose outcome is %s says so in a word and a colour', async (outcome, word, tone) => {
    open(record(1, { outcome }))
    const chip = page.getByRole('row').getByText(word, { exact: true })
    await expect.element(chip).toBeVisible()
    expect(chip.element().closest('[data-tone]')?.getAttribute('data-tone')).toBe(tone)
  })

  it('opens to all that is known, with why it failed first (first hour M5)', async () => {
    open(record(1, { reason: '"node" exited with code 3', durationMs: 40 }), record(2, { reason: 'other' }))
    await click(opener(1))
    await expect.element(page.getByText('"node" exited with code 3', { exact: true })).toBeVisible()
    expect(words()).toContain('"previous": "h0"')
    await click(opener(2))
    await expect.poll(() => opener(1).element().getAttribute('aria-expanded')).toBe('false')
    await click(opener(2))
    await expect.poll(() => document.querySelectorAll('pre').length).toBe(0)
  })

  it('has its outcome in sight on a telephone, without scrolling sideways (first hour M7)', async () => {
    open(record(1, { rule: 'a-rule-with-a-long-name', item: 'w'.repeat(200), durationMs: 12 }), record(2))
    await expect.element(opener(1)).toBeVisible()
    await expectInside(390)
    for (const chip of page.getByRole('row').getByText('error').elements()) {
      const { left, right } = chip.getBoundingClientRect()
      expect(left).toBeGreaterThanOrEqual(0)
      expect(right).toBeLessThanOrEqual(390)
    }
    const box = page.getByLabelText('Audit records').element()
    expect(box.scrollWidth).toBeLessThanOrEqual(box.clientWidth)
    await click(opener(1))
    await expect.poll(() => document.querySelectorAll('pre').length).toBe(1)
    expect(box.scrollWidth).toBeLessThanOrEqual(box.clientWidth + 1)
  })

  it('is a row of a table where there is room', async () => {
    open(record(1, { rule: 'mine', durationMs: 12 }))
    await expect.element(page.getByText('Outcome', { exact: true })).toBeVisible()
    expect(words()).toContain('mine')
    expect(words()).toContain('12 ms')
  })
})

it('a log that cannot be read says why, and is read again', async () => {
  answers({
    'audit.search': () => {
      throw refusal('The log is locked', 'Close the other program.')
    },
  })
  show(<Audit />)
  await expect.element(page.getByText('The log is locked')).toBeVisible()
  answers({ 'audit.search': () => ({ records: [record(7)] }) })
  await press('Retry')
  await expect.element(opener(7)).toBeVisible()
})

it.each(Object.entries(HOSTILE))('words of a stranger (sec-125): %s is shown as characters', async (_what, text) => {
  open(record(1, { server: text, item: text, reason: text, rule: text, what: text }))
  await click(opener(1))
  expectInert()
  await expectInside()
})
