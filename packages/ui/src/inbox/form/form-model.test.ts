import { describe, expect, it } from 'vitest'
import { problemsOf } from '../../parts/schema-form/schema-values.ts'
import { asksForSecret, type Schema, toContent, toForm } from './form-model.ts'

describe('the fields of a form (elicitation, requested schema)', () => {
  it.each([
    ['text', { type: 'string' }, 'text'],
    ['a number', { type: 'number' }, 'number'],
    ['yes or no', { type: 'boolean' }, 'boolean'],
    ['a choice', { type: 'string', enum: ['a', 'b'] }, 'choice'],
    ['a choice with titles', { type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'choice'],
    ['several choices', { type: 'array', items: { type: 'string', enum: ['a'] } }, 'choices'],
    ['several choices with titles', { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } }, 'choices'],
    ['what is none', 7, 'json'],
  ])('%s', (_what, schema, kind) => {
    expect(toForm({ properties: { x: schema } } as Schema).members[0]?.field.kind).toBe(kind)
  })

  it.each([{}, { properties: null }, { properties: [] }, { oneOf: [{ type: 'string' }] }, { $ref: '#' }])(
    'survive a schema that is none: %j',
    (schema) => expect(toForm(schema as Schema).members).toEqual([]),
  )

  it.each(['password', 'apiKey', 'api_key', 'access_token', 'cvv'])(
    'point out that "%s" must not be asked for, at any depth (sec-101)',
    (name) => {
      const secret = { type: 'object', properties: { [name]: { type: 'string' } } }
      const shapes = [
        secret,
        { properties: { x: { title: name, type: 'string' } } },
        { properties: { x: secret } },
        { properties: { x: { type: 'array', items: secret } } },
        { properties: { x: { oneOf: [{ type: 'string' }, secret] } } },
      ]
      expect(shapes.map((schema) => asksForSecret(toForm(schema as Schema)))).toEqual(shapes.map(() => true))
    },
  )

  it.each(['name', 'pinned', 'colour', 'monkey'])('say nothing of "%s"', (name) => {
    expect(asksForSecret(toForm({ properties: { [name]: { type: 'string' } } }))).toBe(false)
  })

  it('are only so many', () => {
    const properties = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`f${at}`, { type: 'string' }]))
    const { members } = toForm({ properties })
    expect(members.filter(({ field }) => field.kind === 'text').length).toBeLessThan(500)
  })
})

describe('what is filled in', () => {
  it('leaves out what was left empty, and says where something must be (sec-114)', () => {
    const form = toForm({ properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] })
    const content = toContent({ a: '', b: '' })
    expect(content).toEqual({})
    expect(problemsOf(form, content)).toEqual([{ path: 'a', message: 'Required' }])
  })

  it('keeps a field called __proto__ to itself', () => {
    const content = toContent(JSON.parse('{"__proto__":"x"}'))
    expect(Object.getPrototypeOf(content)).toBe(Object.prototype)
    expect(Object.keys(content)).toEqual(['__proto__'])
  })
})
