import { describe, expect, it } from 'vitest'
import { PorticoError } from '../../jsonrpc/errors.ts'
import type { ElicitFormParams, ElicitResult, FormField } from '../elicitation.ts'
import { revisionOf } from '../revisions.ts'
import { writeElicitResult } from './client-messages.ts'
import { liftElicitResult } from './elicitation-forms.ts'
import { writeElicitParams } from './questions.ts'

const plain = revisionOf('2025-06-18')!
const rich = [revisionOf('2025-11-25')!, revisionOf('2026-07-28')!]
const none = [revisionOf('2024-11-05')!, revisionOf('2025-03-26')!]

const form = (properties: { [name: string]: FormField }): ElicitFormParams => ({
  mode: 'form',
  message: 'Well?',
  requestedSchema: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', properties },
})

describe('a form', () => {
  it('has no mode and no dialect on 2025-06-18', () => {
    expect(writeElicitParams(plain, form({}))).toEqual({
      message: 'Well?',
      requestedSchema: { type: 'object', properties: {} },
    })
  })

  it.each(rich)('is as it was asked on $version', (revision) => {
    const params = form({ a: { type: 'array', items: { type: 'string', enum: ['x'] }, default: ['x'] } })
    expect(writeElicitParams(revision, params)).toBe(params)
  })

  it.each(none)('cannot be asked on $version', (revision) => {
    expect(() => writeElicitParams(revision, form({}))).toThrow(PorticoError)
  })

  const choices = [
    { const: 'r', title: 'Red' },
    { const: 'g', title: 'Green' },
  ]
  it.each<[string, FormField, object]>([
    [
      'a text',
      { type: 'string', format: 'email', minLength: 1, default: 'x' },
      { type: 'string', format: 'email', minLength: 1 },
    ],
    ['a number', { type: 'integer', minimum: 1, default: 1 }, { type: 'integer', minimum: 1 }],
    ['a truth keeps its default', { type: 'boolean', default: true }, { type: 'boolean', default: true }],
    ['a choice', { type: 'string', enum: ['r'], default: 'r' }, { type: 'string', enum: ['r'] }],
    [
      'a choice with titles of old',
      { type: 'string', enum: ['r'], enumNames: ['Red'] },
      { type: 'string', enum: ['r'], enumNames: ['Red'] },
    ],
    [
      'a choice with titles',
      { type: 'string', title: 'C', oneOf: choices, default: 'g' },
      { type: 'string', title: 'C', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
    ],
    [
      'a choice of several',
      {
        type: 'array',
        title: 'C',
        description: 'Pick.',
        minItems: 1,
        maxItems: 2,
        items: { anyOf: choices },
        default: ['r'],
      },
      {
        type: 'string',
        title: 'C',
        description: 'Pick.\nAny of the following, comma-separated (at least 1, at most 2): r (Red); g (Green)',
      },
    ],
    [
      'a choice of several without titles',
      { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
      { type: 'string', description: 'Any of the following, comma-separated: x; y' },
    ],
  ])('%s on 2025-06-18', (_, field, expected) => {
    const written = writeElicitParams(plain, form({ field })).requestedSchema
    expect(written).toEqual({ type: 'object', properties: { field: expected } })
  })
})

describe('a question by URL', () => {
  const params = { mode: 'url' as const, message: 'Sign in', url: 'https://a.example', elicitationId: 'e1' }
  const { elicitationId: _, ...bare } = params

  it('carries its id on 2025-11-25, and gets one if it has none', () => {
    expect(writeElicitParams(rich[0]!, params)).toBe(params)
    expect(writeElicitParams(rich[0]!, bare)).toEqual({
      ...bare,
      elicitationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it('carries no id on 2026-07-28', () => {
    expect(writeElicitParams(rich[1]!, params)).toEqual(bare)
    expect(writeElicitParams(rich[1]!, bare)).toBe(bare)
  })

  it.each([...none, plain])('cannot be asked on $version', (revision) => {
    expect(() => writeElicitParams(revision, params)).toThrow(expect.objectContaining({ code: 'capability-missing' }))
  })
})

describe('the answer to a flattened question', () => {
  const lift = (items: { const: string; title: string }[], typed: ElicitResult['content']) =>
    liftElicitResult(plain, form({ pets: { type: 'array', items: { anyOf: items } } }), {
      action: 'accept',
      content: typed!,
    }).content?.pets
  const pets = [
    { const: 'cat', title: 'Cat' },
    { const: 'dog', title: 'Big dog' },
  ]
  const commas = [
    { const: 'a', title: 'A, the first' },
    { const: 'b', title: 'B' },
  ]

  it.each([
    ['values', pets, 'cat, dog', ['cat', 'dog']],
    ['titles in any case', pets, 'BIG DOG,cat', ['dog', 'cat']],
    ['stray commas', pets, ', cat,, ', ['cat']],
    ['nothing', pets, '', []],
    ['something else, for the schema to refuse', pets, 'cow', ['cow']],
    ['titles that hold commas', commas, 'A, the first; b', ['a', 'b']],
  ])('is an array again: %s', (_, items, typed, expected) => expect(lift(items, { pets: typed })).toEqual(expected))

  it('says which mark separates the options', () => {
    const { requestedSchema } = writeElicitParams(plain, form({ a: { type: 'array', items: { anyOf: commas } } }))
    expect(JSON.stringify(requestedSchema)).toContain('semicolon-separated')
  })

  it('is left alone where nothing was flattened', () => {
    const params = form({ pets: { type: 'array', items: { anyOf: pets } }, name: { type: 'string' } })
    const text: ElicitResult = { action: 'accept', content: { pets: 'cat, dog' } }
    for (const revision of rich) expect(liftElicitResult(revision, params, text)).toBe(text)
    const others: ElicitResult = { action: 'accept', content: { name: 'a, b', stranger: 'c, d' } }
    expect(liftElicitResult(plain, params, others)).toBe(others)
    const declined: ElicitResult = { action: 'decline' }
    expect(liftElicitResult(plain, params, declined)).toBe(declined)
  })

  it('treats __proto__ as a name like any other', () => {
    const properties = JSON.parse('{"__proto__":{"type":"array","items":{"type":"string","enum":["x"]}}}')
    const content = JSON.parse('{"__proto__":"x"}')
    const lifted = liftElicitResult(plain, form(properties), { action: 'accept', content })
    expect(Object.getPrototypeOf(lifted.content)).toBe(Object.prototype)
    expect(Object.entries(lifted.content!)).toEqual([['__proto__', ['x']]])
    const schema = writeElicitParams(plain, form(properties)).requestedSchema as { properties: object }
    expect(Object.keys(schema.properties)).toEqual(['__proto__'])
  })
})

describe('an answer that a client gives', () => {
  const result: ElicitResult = { action: 'accept', content: { pets: ['cat', 'dog'], n: 1 } }
  it('has no arrays on 2025-06-18', () => {
    expect(writeElicitResult(plain, result)).toEqual({ action: 'accept', content: { pets: 'cat, dog', n: 1 } })
  })
  it.each(rich)('has them on $version', (revision) => expect(writeElicitResult(revision, result)).toBe(result))
})
