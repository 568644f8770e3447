import { describe, expect, it } from 'vitest'
import { initialValues, type Schema, toContent, toFields } from './form-model.ts'

const SCHEMA: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Your name', description: 'As on the badge', minLength: 2, maxLength: 5 },
    mail: { type: 'string', format: 'email' },
    age: { type: 'integer', minimum: 18, maximum: 99 },
    news: { type: 'boolean', default: true },
    colour: {
      type: 'string',
      oneOf: [
        { const: '#f00', title: 'Red' },
        { const: '#0f0', title: 'Green' },
      ],
      default: '#0f0',
    },
    days: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['mon', 'tue', 'wed'] } },
  },
  required: ['name', 'days'],
}

describe('the fields of a form (elicitation, requested schema)', () => {
  it('take type, title, choices and defaults from the schema', () => {
    const fields = toFields(SCHEMA)
    expect(fields.map(({ type }) => type)).toEqual(['text', 'email', 'integer', 'boolean', 'one', 'many'])
    expect(fields[0]).toMatchObject({ label: 'Your name', description: 'As on the badge', required: true })
    expect(fields[4]?.choices).toEqual([
      { value: '#f00', label: 'Red' },
      { value: '#0f0', label: 'Green' },
    ])
    expect(initialValues(fields)).toEqual({ name: '', mail: '', age: '', news: true, colour: '#0f0', days: [] })
  })

  it.each([
    ['titles beside the values', { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] }, ['A', 'B']],
    ['many with titles', { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, ['A']],
    ['the same value twice', { type: 'string', enum: ['a', 'a'] }, ['a']],
    ['values that are no text', { type: 'string', enum: ['a', 1, null] }, ['a']],
  ])('reads choices: %s', (_what, schema, labels) => {
    expect(toFields({ properties: { x: schema } })[0]?.choices.map(({ label }) => label)).toEqual(labels)
  })

  it.each([
    {},
    { properties: null },
    { properties: { x: 7 } },
    { properties: { x: { type: 'object' } }, required: 'x' },
  ])('survive a schema that is none: %j', (schema) => {
    expect(toFields(schema as Schema).every(({ type }) => type === 'text')).toBe(true)
  })

  it.each(['password', 'apiKey', 'api_key', 'access_token', 'cvv'])(
    'point out that "%s" must not be asked for (sec-101)',
    (name) => {
      expect(toFields({ properties: { [name]: { type: 'string' } } })[0]?.sensitive).toBe(true)
    },
  )

  it('are only so many', () => {
    const properties = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, { type: 'string' }]))
    expect(toFields({ properties })).toHaveLength(100)
  })
})

describe('what is filled in', () => {
  const fields = toFields(SCHEMA)
  const good = { name: 'Ada', mail: '', age: '', news: false, colour: '', days: ['mon'] }

  it('leaves out what was left empty', () => {
    expect(toContent(fields, good)).toEqual({ content: { name: 'Ada', news: false, days: ['mon'] }, problems: {} })
  })

  it.each([
    ['name', { name: '' }, 'Required'],
    ['name', { name: 'A' }, 'At least 2'],
    ['name', { name: 'Adelaide' }, 'At most 5'],
    ['mail', { mail: 'nobody' }, 'email'],
    ['age', { age: 17 }, 'At least 18'],
    ['age', { age: 20.5 }, 'whole number'],
    ['days', { days: [] }, 'at least 1'],
    ['days', { days: ['mon', 'tue', 'wed'] }, 'at most 2'],
  ])('is checked before it is sent (sec-114): %s %j', (name, change, words) => {
    expect(toContent(fields, { ...good, ...change }).problems[name]).toContain(words)
  })

  it('keeps a field called __proto__ to itself', () => {
    const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}') as Schema
    const { content } = toContent(toFields(schema), JSON.parse('{"__proto__":"x"}'))
    expect(Object.getPrototypeOf(content)).toBe(Object.prototype)
    expect(Object.keys(content)).toEqual(['__proto__'])
  })
})
