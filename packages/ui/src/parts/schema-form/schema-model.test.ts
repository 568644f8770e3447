import { describe, expect, it } from 'vitest'
import { toField } from './schema-model.ts'
import { initialArguments, pickedOption, problemsOf } from './schema-values.ts'

describe('toField', () => {
  it.each<[string, object, object]>([
    [
      'text with bounds',
      { type: 'string', minLength: 2, format: 'uri' },
      { kind: 'text', minLength: 2, format: 'uri' },
    ],
    ['a whole number', { type: 'integer', minimum: 1, maximum: 9 }, { kind: 'number', integer: true, maximum: 9 }],
    [
      'an enumeration',
      { enum: ['a', 2, null] },
      {
        kind: 'choice',
        nullable: true,
        choices: [
          { value: 'a', label: 'a' },
          { value: 2, label: '2' },
        ],
      },
    ],
    [
      'titled choices',
      { oneOf: [{ const: 'r', title: 'Red' }] },
      { kind: 'choice', choices: [{ value: 'r', label: 'Red' }] },
    ],
    ['several choices at once', { type: 'array', uniqueItems: true, items: { enum: ['x'] } }, { kind: 'choices' }],
    [
      'a value or null',
      { anyOf: [{ type: 'string' }, { type: 'null' }], title: 'Name' },
      { kind: 'text', nullable: true, title: 'Name' },
    ],
    ['a type or null', { type: ['number', 'null'] }, { kind: 'number', nullable: true }],
    ['two types', { type: ['number', 'string'] }, { kind: 'pick' }],
    ['a list', { type: 'array', items: { type: 'string' } }, { kind: 'list', item: { kind: 'text' } }],
    ['a constant', { const: 5 }, { kind: 'fixed', value: 5 }],
    ['a tuple, which has no field', { type: 'array', prefixItems: [{}] }, { kind: 'json' }],
    ['anything', {}, { kind: 'json' }],
    ['nothing sensible', 7 as never, { kind: 'json' }],
  ])('%s', (_what, schema, field) => expect(toField(schema)).toMatchObject(field))

  it('puts what must be there first, and follows references inside the schema', () => {
    const field = toField({
      type: 'object',
      required: ['b'],
      properties: { a: { $ref: '#/$defs/name' }, b: { $ref: '#/$defs/name', description: 'own words' } },
      $defs: { name: { type: 'string', maxLength: 3 } },
    })
    expect(field).toMatchObject({
      kind: 'object',
      members: [
        { name: 'b', required: true, field: { kind: 'text', maxLength: 3, description: 'own words' } },
        { name: 'a', required: false, field: { kind: 'text', maxLength: 3 } },
      ],
    })
  })

  it('merges allOf', () => {
    const field = toField({
      allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'boolean' } } }],
    })
    expect(
      field.kind === 'object' && field.members.map(({ name, required }) => `${name}${required ? '!' : ''}`),
    ).toEqual(['a!', 'b'])
  })

  it('ends at a schema that holds itself, or refers elsewhere (sec-143, sec-144)', () => {
    const tree: { [name: string]: unknown } = {
      type: 'object',
      properties: { child: { $ref: '#' }, other: { $ref: '#' } },
    }
    expect(JSON.stringify(toField(tree)).length).toBeLessThan(400_000)
    expect(toField({ $ref: 'https://evil.example/schema.json' })).toMatchObject({ kind: 'json' })
    expect(toField({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } })).toMatchObject({ kind: 'json' })
  })
})

const FORM = toField({
  type: 'object',
  required: ['path', 'mode'],
  additionalProperties: false,
  properties: {
    path: { type: 'string', minLength: 1 },
    mode: { const: 'read' },
    lines: { type: 'integer', minimum: 1, default: 10 },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    who: { oneOf: [{ type: 'object', properties: { id: { type: 'number' } }, required: ['id'] }, { type: 'string' }] },
  },
})

describe('values', () => {
  it('begins with defaults and what is fixed', () => {
    expect(initialArguments(FORM)).toEqual({ mode: 'read', lines: 10 })
  })

  it.each<[string, object, string[]]>([
    ['all is well', { path: 'a', mode: 'read' }, []],
    ['something is missing', { mode: 'read' }, ['path: Required']],
    ['text is empty', { path: '', mode: 'read' }, ['path: Must not be empty']],
    ['a number is text', { path: 'a', mode: 'read', lines: 'x' }, ['lines: Must be a number']],
    ['a number has a fraction', { path: 'a', mode: 'read', lines: 1.5 }, ['lines: Must be a whole number']],
    ['a list is too long', { path: 'a', mode: 'read', tags: ['a', 'b', 'c'] }, ['tags: At most 2']],
    ['an item is wrong', { path: 'a', mode: 'read', tags: [1] }, ['tags.0: Must be text']],
    ['a name is unknown', { path: 'a', mode: 'read', x: 1 }, ['x: Unknown field']],
    ['one of two shapes lacks a member', { path: 'a', mode: 'read', who: {} }, ['who.id: Required']],
  ])('says it when %s', (_what, value, problems) => {
    expect(problemsOf(FORM, value as never).map(({ path, message }) => `${path}: ${message}`)).toEqual(problems)
  })

  it('knows which shape a value has', () => {
    const who = toField({ oneOf: [{ type: 'object', properties: { id: {} } }, { type: 'string' }] })
    expect(who.kind === 'pick' && pickedOption(who, 'ada')).toBe(1)
  })

  it('does not try a pattern that could run for ever (sec-144)', () => {
    const field = toField({ type: 'string', pattern: '^(a+)+$' })
    expect(problemsOf(field, `${'a'.repeat(60)}!`)).toEqual([])
    expect(problemsOf(toField({ type: 'string', pattern: '^[a-z]+$' }), 'A')).toHaveLength(1)
  })
})
