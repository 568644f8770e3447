import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { answers, askedOf, choose, click, fill, pick, press, show, textbox, words } from '../../../test/page.tsx'
import { QuestionCard } from '../question-card.tsx'
import type { Schema } from './form-model.ts'

let made = 0

function ask(schema: Schema): void {
  answers({ 'inbox.answer': () => ({}) })
  const body = { kind: 'form', message: 'Please', schema } as const
  const id = `f${++made}`
  show(<QuestionCard key={id} question={{ id, server: 'shop', session: 's', createdAt: Date.now(), body }} />)
}

const sent = () => askedOf('inbox.answer').map(({ answer }) => answer.content)
const expectSent = (content: object) => expect.poll(sent).toEqual([content])

describe('a form of a server sends what was filled in (elicitation, requested schema)', () => {
  it.each<[string, object, () => Promise<void>, object]>([
    ['text', { type: 'string' }, () => fill(textbox('x'), 'Ada'), { x: 'Ada' }],
    ['text left empty is left out', { type: 'string' }, async () => {}, { x: undefined }],
    ['text that was emptied again is left out', { type: 'string', default: 'a' }, () => fill(textbox('x'), ''), {}],
    ['a default', { type: 'string', default: 'a' }, async () => {}, { x: 'a' }],
    ['a number', { type: 'number', default: 1 }, () => fill(textbox('x'), '2.5'), { x: 2.5 }],
    ['a whole number', { type: 'integer' }, () => fill(textbox('x'), '7'), { x: 7 }],
    ['yes', { type: 'boolean' }, () => pick('Yes'), { x: true }],
    ['a default of yes', { type: 'boolean', default: true }, async () => {}, { x: true }],
    ['a choice', { type: 'string', enum: ['a', 'b'] }, () => choose('x', 'b'), { x: 'b' }],
    [
      'a choice with names',
      { type: 'string', enum: ['a'], enumNames: ['An A'] },
      () => choose('x', 'An A'),
      { x: 'a' },
    ],
    [
      'a choice with titles',
      { type: 'string', oneOf: [{ const: '#f00', title: 'Red' }] },
      () => choose('x', 'Red'),
      { x: '#f00' },
    ],
    [
      'several choices',
      { type: 'array', items: { type: 'string', enum: ['mon', 'tue', 'wed'] } },
      () => choose('x', 'mon', 'wed'),
      { x: ['mon', 'wed'] },
    ],
    [
      'several choices with titles',
      { type: 'array', items: { anyOf: [{ const: 'm', title: 'Monday' }] } },
      () => choose('x', 'Monday'),
      { x: ['m'] },
    ],
    ['a day', { type: 'string', format: 'date' }, () => fill('x', '2026-07-28'), { x: '2026-07-28' }],
  ])('%s', async (_what, schema, enter, content) => {
    ask({ type: 'object', properties: { x: schema } } as Schema)
    await expect.element(page.getByRole('button', { name: 'Send' })).toBeVisible()
    await enter()
    await press('Send')
    await expectSent(content)
  })

  it('a switch that must be answered says what it shows', async () => {
    ask({ properties: { agree: { type: 'boolean', title: 'I agree' } }, required: ['agree'] })
    await press('Send')
    await expectSent({ agree: false })
  })
})

describe('nothing is sent that the server would refuse (sec-114)', () => {
  it.each<[string, object, string, string]>([
    ['nothing where something must be', { type: 'string' }, '', 'Required'],
    ['too short', { type: 'string', minLength: 2 }, 'A', 'At least 2 characters'],
    ['too long', { type: 'string', maxLength: 2 }, 'Ada', 'At most 2 characters'],
    ['no mail', { type: 'string', format: 'email' }, 'nobody', 'Must be an email address'],
    ['too small', { type: 'integer', minimum: 18 }, '17', 'At least 18'],
    ['too large', { type: 'integer', maximum: 18 }, '19', 'At most 18'],
    ['no whole number', { type: 'integer' }, '1.5', 'Must be a whole number'],
    ['broken JSON', {}, '{"a":', 'Not JSON'],
  ])('%s', async (_what, schema, text, problem) => {
    ask({ properties: { x: schema }, required: ['x'] } as Schema)
    await fill(textbox(/^x/), text)
    await press('Send')
    await expect.poll(words).toContain(problem)
    expect(sent()).toEqual([])
    await press('Deny')
    await expect.poll(() => askedOf('inbox.answer').map(({ answer }) => answer.action)).toEqual(['deny'])
  })

  it('what is missing is said once somebody tries, and the form stays as it was', async () => {
    ask({ properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] })
    await fill(textbox('b'), 'kept')
    expect(words()).not.toContain('Required')
    await press('Send')
    await expect.element(page.getByText('Required')).toBeVisible()
    await fill(textbox(/^a/), 'now')
    await press('Send')
    await expectSent({ a: 'now', b: 'kept' })
    await expect.element(textbox('b')).toHaveValue('kept')
  })

  it('the key that ends a line sends the form', async () => {
    ask({ properties: { x: { type: 'string' } } })
    await textbox('x').fill('typed')
    await page.getByRole('textbox', { name: 'x' }).click()
    const form = document.querySelector('form')
    form?.requestSubmit()
    await expectSent({ x: 'typed' })
  })
})

it.each(['password', 'api_key', 'accessToken', 'cvv'])('points out that it asks for %s (sec-101)', async (name) => {
  ask({ properties: { [name]: { type: 'string' } } })
  await expect.element(page.getByText('It asks for something secret')).toBeVisible()
})

it.each([{}, { properties: null }, { properties: 'x' }, { oneOf: [] }])(
  'a schema that is none can be answered: %j',
  async (schema) => {
    ask(schema as Schema)
    await press('Send')
    await expectSent({})
  },
)

it('can be closed without an answer (sec-102)', async () => {
  ask({ properties: { x: { type: 'string' } } })
  await click(page.getByRole('button', { name: 'Cancel' }))
  await expect.poll(() => askedOf('inbox.answer').map(({ answer }) => answer.action)).toEqual(['cancel'])
})
