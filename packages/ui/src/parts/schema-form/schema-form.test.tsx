import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import {
  choose,
  click,
  expectInert,
  expectInside,
  fill,
  HOSTILE,
  pick,
  press,
  show,
  textbox,
  type,
  words,
} from '../../../test/page.tsx'
import type { JsonRecord } from '../json.ts'
import { ArgumentsEditor } from './arguments-editor.tsx'
import { toField } from './schema-model.ts'
import { initialArguments, problemsOf } from './schema-values.ts'

let sent: JsonRecord = {}
let isBroken = false

/** Arguments of a tool, as the tools screen holds them. */
function Held({ schema }: { readonly schema: unknown }) {
  const [field] = useState(() => toField(schema))
  const [value, setValue] = useState(() => initialArguments(field))
  sent = value
  return (
    <ArgumentsEditor
      field={field}
      value={value}
      problems={problemsOf(field, value)}
      onChange={setValue}
      onBroken={(next) => {
        isBroken = next
      }}
    />
  )
}

function showForm(properties: { readonly [name: string]: unknown }, more: { readonly [name: string]: unknown } = {}) {
  show(<Held schema={{ type: 'object', properties, ...more }} />)
}

const expectSent = (value: JsonRecord) => expect.poll(() => sent).toEqual(value)

describe('a field of each kind sends what was entered', () => {
  it.each<[string, unknown, () => Promise<void>, unknown]>([
    ['text', { type: 'string' }, () => fill('x', 'words'), 'words'],
    ['text of several lines', { type: 'string', maxLength: 900 }, () => fill('x', 'a\nb'), 'a\nb'],
    ['a whole number', { type: 'integer' }, () => fill('x', '42'), 42],
    ['a negative number', { type: 'number' }, () => fill('x', '-1.5'), -1.5],
    ['a number with an exponent', { type: 'number' }, () => fill('x', '1e3'), 1_000],
    ['text that is not a number yet, as it is', { type: 'number' }, () => fill('x', '-'), '-'],
    ['a choice of words', { enum: ['red', 'green'] }, () => choose('x', 'green'), 'green'],
    ['a choice of numbers, as a number', { enum: [1, 2] }, () => choose('x', '2'), 2],
    ['a choice of objects', { enum: [{ a: 1 }, { a: 2 }] }, () => choose('x', '{"a":2}'), { a: 2 }],
    [
      'a choice by its title, beside one that stands for nothing',
      { enum: [null, 'g'], enumNames: ['None', 'Green'] },
      () => choose('x', 'Green'),
      'g',
    ],
    ['a choice of false', { enum: [true, false] }, () => choose('x', 'false'), false],
    ['a choice by its title', { enum: ['r', 'g'], enumNames: ['Red', 'Green'] }, () => choose('x', 'Green'), 'g'],
    [
      'a titled choice of oneOf',
      {
        oneOf: [
          { const: '#f00', title: 'Red' },
          { const: '#0f0', title: 'Green' },
        ],
      },
      () => choose('x', 'Red'),
      '#f00',
    ],
    [
      'several of some choices, in the order of the list',
      { type: 'array', uniqueItems: true, items: { enum: ['mon', 'tue', 'wed'] } },
      () => choose('x', 'wed', 'mon'),
      ['wed', 'mon'],
    ],
    ['an address', { type: 'string', format: 'uri' }, () => fill('x', 'https://a.example'), 'https://a.example'],
    ['a day', { type: 'string', format: 'date' }, () => fill('x', '2026-07-28'), '2026-07-28'],
    ['yes', { type: 'boolean' }, () => pick('Yes'), true],
    ['no, which is not the same as nothing', { type: 'boolean' }, () => pick('No'), false],
    ['JSON where anything goes', {}, () => fill('x', '[1, "two"]'), [1, 'two']],
    ['a fixed value', { const: 'v1' }, () => click(page.getByLabelText('x: "v1"')), 'v1'],
    ['null', { type: 'null' }, () => click(page.getByLabelText('x: null')), null],
  ])('%s', async (_what, schema, enter, value) => {
    showForm({ x: schema })
    await enter()
    await expectSent({ x: value } as JsonRecord)
  })

  it('a time in the zone of the person, as a moment', async () => {
    showForm({ x: { type: 'string', format: 'date-time' } })
    await fill('x', '2026-07-28T09:30:00')
    await expectSent({ x: new Date(2026, 6, 28, 9, 30).toISOString() })
  })

  it('a file as base64', async () => {
    showForm({ x: { type: 'string', contentEncoding: 'base64' } })
    await expect.poll(() => document.querySelector('input[type="file"]')).not.toBeNull()
    await page.elementLocator(document.querySelector('input[type="file"]')!).upload(new File(['hello'], 'a.txt'))
    await expectSent({ x: 'aGVsbG8=' })
  })
})

describe('what stands there at first', () => {
  it.each<[string, object, string[], JsonRecord]>([
    [
      'defaults of every kind',
      { a: { default: 1, type: 'integer' }, b: { default: 'x', type: 'string' } },
      [],
      { a: 1, b: 'x' },
    ],
    ['a default of a choice', { c: { enum: ['r', 'g'], default: 'g' } }, [], { c: 'g' }],
    ['nothing for what is optional', { a: { type: 'string' }, o: { type: 'object', properties: { z: {} } } }, [], {}],
    [
      'the frame of an object that must be there',
      { o: { type: 'object', properties: { z: { default: 3 } } } },
      ['o'],
      { o: { z: 3 } },
    ],
    ['a fixed value that must be there', { v: { const: 2 } }, ['v'], { v: 2 }],
    ['no, for a switch that must be there', { agree: { type: 'boolean' } }, ['agree'], { agree: false }],
    ['a default false', { b: { type: 'boolean', default: false } }, [], { b: false }],
    ['a default list', { l: { type: 'array', items: { type: 'string' }, default: ['a'] } }, [], { l: ['a'] }],
  ])('%s', async (_what, properties, required, value) => {
    showForm(properties as never, { required })
    await expect.element(page.getByRole('radiogroup', { name: 'Edit the arguments as' })).toBeVisible()
    expect(sent).toEqual(value)
  })

  it('a tool without arguments says so', async () => {
    showForm({})
    await expect.element(page.getByText('It takes no arguments.')).toBeVisible()
  })
})

describe('what is wrong is said beside the field', () => {
  const LENGTHS = { type: 'string', minLength: 2, maxLength: 4 }
  const BOUNDS = { type: 'integer', minimum: 18, maximum: 99 }
  it.each<[string, unknown, string, string | undefined]>([
    ['one below the shortest', LENGTHS, 'a', 'At least 2 characters'],
    ['the shortest', LENGTHS, 'ab', undefined],
    ['the longest', LENGTHS, 'abcd', undefined],
    ['one above the longest', LENGTHS, 'abcde', 'At most 4 characters'],
    ['characters, not halves of them', LENGTHS, '😀😀😀😀', undefined],
    ['one below the minimum', BOUNDS, '17', 'At least 18'],
    ['the minimum', BOUNDS, '18', undefined],
    ['the maximum', BOUNDS, '99', undefined],
    ['one above the maximum', BOUNDS, '100', 'At most 99'],
    ['a part of a whole', BOUNDS, '20.5', 'Must be a whole number'],
    ['no number', BOUNDS, 'twenty', 'Must be a number'],
    ['a number that no machine can hold', { type: 'number' }, '1e999', 'Must be a number'],
    ['the bound that is not meant', { type: 'number', exclusiveMinimum: 0 }, '0', 'More than 0'],
    ['the other bound that is not meant', { type: 'number', exclusiveMaximum: 1 }, '1', 'Less than 1'],
    ['no multiple', { type: 'number', multipleOf: 0.1 }, '0.25', 'A multiple of 0.1'],
    ['a multiple, as far as halves of bits allow', { type: 'number', multipleOf: 0.1 }, '0.3', undefined],
    ['no address', { type: 'string', format: 'uri' }, 'example', 'Must be an address such as https://example.com'],
    ['no mail', { type: 'string', format: 'email' }, 'ada', 'Must be an email address'],
    ['mail', { type: 'string', format: 'email' }, 'ada@example.com', undefined],
    ['no UUID', { type: 'string', format: 'uuid' }, '123', 'Must be a UUID'],
    ['no match', { type: 'string', pattern: '^[a-z]+$' }, 'A1', 'Must match ^[a-z]+$'],
    [
      'a pattern that may never end is left to the server',
      { type: 'string', pattern: '^(a+)+$' },
      'aaaaaaaaaaaaaaaaaaaaaaaa!',
      undefined,
    ],
    ['a pattern that is none', { type: 'string', pattern: '(' }, 'x', undefined],
    ['text that is no JSON', {}, '{"a":', 'Not JSON'],
  ])('%s', async (_what, schema, text, problem) => {
    showForm({ x: schema })
    await fill('x', text)
    const field = page.getByLabelText('x', { exact: true })
    if (problem === undefined) await expect.element(field).not.toHaveAttribute('aria-invalid', 'true')
    else {
      await expect.element(field).toHaveAttribute('aria-invalid', 'true')
      await expect.element(page.getByText(problem)).toBeVisible()
    }
  })

  it.each<[string, unknown, string]>([
    ['an empty list', { type: 'array', items: { type: 'string' }, minItems: 1, default: [] }, 'At least 1'],
    [
      'a list that is too long',
      { type: 'array', items: { type: 'string' }, maxItems: 1, default: ['a', 'b'] },
      'At most 1',
    ],
    ['a value that is no choice', { enum: ['a'], default: 'b' }, 'Must be one of the choices'],
    ['a default of another kind', { type: 'number', default: 'five' }, 'Must be a number'],
  ])('%s', async (_what, schema, problem) => {
    showForm({ x: schema })
    await expect.element(page.getByText(problem)).toBeVisible()
  })

  it('a field that must be there and is not', async () => {
    showForm({ name: { type: 'string' }, other: { type: 'string' } }, { required: ['name'] })
    await expect.element(page.getByText('Required')).toBeVisible()
    await fill(/^name/, 'x')
    await expect.element(page.getByText('Required')).not.toBeInTheDocument()
  })

  it('a text that must be there stays there when it is emptied; an optional one goes', async () => {
    showForm({ must: { type: 'string' }, may: { type: 'string' } }, { required: ['must'] })
    for (const text of ['a', '']) {
      await fill(textbox('must'), text)
      await fill(textbox('may'), text)
    }
    await expectSent({ must: '' })
  })

  it('the value before stays what it was while a field of JSON is no JSON, and nobody can run it (page forms)', async () => {
    showForm({ x: {} })
    await fill('x', '{"a":1}')
    await expectSent({ x: { a: 1 } })
    await fill('x', '{"a":')
    await expect.poll(() => isBroken).toBe(true)
    await fill('x', '{"a":2}')
    await expect.poll(() => isBroken).toBe(false)
    await expectSent({ x: { a: 2 } })
  })
})

describe('lists', () => {
  const TAGS = { tags: { type: 'array', items: { type: 'string' } } }

  it('grow, change and shrink; an optional one that is empty is left out', async () => {
    showForm(TAGS)
    await press('Add to tags')
    await press('Add to tags')
    await fill(textbox('tags 1'), 'one')
    await fill(textbox('tags 2'), 'two')
    await expectSent({ tags: ['one', 'two'] })
    await press('Remove tags 1')
    await expectSent({ tags: ['two'] })
    await expect.element(page.getByRole('textbox', { name: 'tags 1' })).toHaveValue('two')
    await press('Remove tags 1')
    await expectSent({})
  })

  it('stay empty lists where they must be there', async () => {
    showForm(TAGS, { required: ['tags'] })
    await press('Add to tags')
    await press('Remove tags 1')
    await expectSent({ tags: [] })
  })

  it('offer no more entries than there may be', async () => {
    showForm({ tags: { ...TAGS.tags, maxItems: 2 } })
    await press('Add to tags')
    await press('Add to tags')
    await expect.element(page.getByRole('button', { name: 'Add to tags' })).not.toBeInTheDocument()
  })

  it.each<[string, unknown, unknown]>([
    ['numbers begin at their minimum', { type: 'integer', minimum: 5 }, 5],
    ['choices begin with the first', { enum: ['a', 'b'] }, 'a'],
    ['yes or no begins with no', { type: 'boolean' }, false],
    ['lists begin empty', { type: 'array', items: { type: 'string' } }, []],
    ['objects begin with their defaults', { type: 'object', properties: { q: { default: 1 } } }, { q: 1 }],
    ['anything begins with null', {}, null],
  ])('%s', async (_what, items, first) => {
    showForm({ x: { type: 'array', items } })
    await press('Add to x')
    await expectSent({ x: [first] } as JsonRecord)
  })

  it('of lists of objects are told apart', async () => {
    const cell = { type: 'object', properties: { n: { type: 'integer' } } }
    showForm({ rows: { type: 'array', items: { type: 'array', items: cell } } })
    await press('Add to rows')
    await press('Add to rows')
    await press('Add to rows 2')
    await fill(textbox('n'), '7')
    await expectSent({ rows: [[], [{ n: 7 }]] })
    await press('Remove rows 1')
    await expectSent({ rows: [[{ n: 7 }]] })
  })

  it('forget what was half typed in an entry that is taken out', async () => {
    showForm({ x: { type: 'array', items: {} } })
    await press('Add to x')
    await press('Add to x')
    await fill(textbox('x 1'), '{"broken":')
    await fill(textbox('x 2'), '"whole"')
    await press('Remove x 1')
    await expectSent({ x: ['whole'] })
    await expect.element(page.getByRole('textbox', { name: 'x 1' })).toHaveValue('"whole"')
  })
})

describe('objects and shapes', () => {
  const ADDRESS = {
    type: 'object',
    properties: { street: { type: 'string' }, zip: { type: 'string', minLength: 5 } },
    required: ['street'],
  }

  it('an optional object is filled in or left out', async () => {
    showForm({ home: ADDRESS })
    await press('Fill in home')
    await fill(textbox('street'), 'Main St')
    await fill(textbox('zip'), '123')
    await expectSent({ home: { street: 'Main St', zip: '123' } })
    await expect.element(page.getByText('At least 5 characters', { exact: true })).toBeVisible()
    await press('Leave out home')
    await expectSent({})
  })

  it('one of several shapes: what belongs to the chosen one is asked for and sent', async () => {
    const shapes = [
      {
        title: 'Circle',
        type: 'object',
        properties: { kind: { const: 'circle' }, r: { type: 'number' } },
        required: ['kind', 'r'],
      },
      {
        title: 'Square',
        type: 'object',
        properties: { kind: { const: 'square' }, side: { type: 'number' } },
        required: ['kind'],
      },
    ]
    showForm({ shape: { oneOf: shapes } })
    await choose('Type of shape', 'Square')
    await fill(textbox('side'), '3')
    await expectSent({ shape: { kind: 'square', side: 3 } })
    await choose('Type of shape', 'Circle')
    await fill(textbox('r'), '1')
    await expectSent({ shape: { kind: 'circle', r: 1 } })
    expect(words()).not.toContain('side')
  })

  it('several types: text or a number', async () => {
    showForm({ id: { type: ['string', 'integer'] } })
    await choose('Type of id', 'integer')
    await fill(textbox('integer'), '12')
    await expectSent({ id: 12 })
    await choose('Type of id', 'string')
    await fill(textbox('string'), '12')
    await expectSent({ id: '12' })
  })

  it('a shape that JSON gives is the one that is shown', async () => {
    showForm({ id: { anyOf: [{ type: 'string' }, { type: 'object', properties: { deep: { type: 'string' } } }] } })
    await pick('Both')
    await choose('Type of id', 'string 1')
    await fill('Arguments as JSON', '{"id":{"deep":"here"}}')
    await expect.element(page.getByRole('textbox', { name: 'deep' })).toHaveValue('here')
  })

  it('references inside the schema are followed, those outside become JSON', async () => {
    const $defs = { name: { type: 'string', title: 'Full name' } }
    showForm({ a: { $ref: '#/$defs/name' }, b: { $ref: 'https://evil.example/schema' } }, { $defs })
    await expect.element(page.getByRole('textbox', { name: 'Full name' })).toBeVisible()
    expect(words()).toContain('JSON, because it has an external reference')
  })

  it('a schema that holds itself ends', async () => {
    const node = { type: 'object', properties: { child: { $ref: '#/$defs/node' }, v: { type: 'string' } } }
    showForm({ tree: { $ref: '#/$defs/node' } }, { $defs: { node } })
    await press('Fill in tree')
    await expect.element(page.getByRole('button', { name: 'Fill in child' })).toBeVisible()
  })
})

describe('the form and the JSON are one', () => {
  it('what is typed in one shows in the other, and what is no object is refused in words', async () => {
    showForm({ city: { type: 'string' } })
    await pick('Both')
    await fill(textbox('city'), 'Lisbon')
    await expect.element(page.getByLabelText('Arguments as JSON')).toHaveValue('{\n  "city": "Lisbon"\n}')
    await fill('Arguments as JSON', '{"city":"Porto","extra":[1]}')
    await expect.element(page.getByRole('textbox', { name: 'city' })).toHaveValue('Porto')
    await expectSent({ city: 'Porto', extra: [1] })
    await fill('Arguments as JSON', '[1]')
    await expect.element(page.getByText('Arguments are an object: { … }')).toBeVisible()
    expect(isBroken).toBe(true)
    await expectSent({ city: 'Porto', extra: [1] })
  })

  it('a name such as __proto__ is an ordinary name (sec-122)', async () => {
    show(<Held schema={JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')} />)
    await fill(textbox('__proto__'), 'x')
    await expect.poll(() => JSON.stringify(sent)).toBe('{"__proto__":"x"}')
  })

  it('a schema that is none gets the JSON alone', async () => {
    show(<Held schema="no schema" />)
    await fill('Arguments as JSON', '{"a":1}')
    await expectSent({ a: 1 })
  })
})

describe('by keyboard', () => {
  it('every field is reached in order, and a choice is made', async () => {
    showForm({ a: { type: 'string' }, c: { enum: ['red', 'green'] }, n: { type: 'integer' } })
    await page.getByRole('textbox', { name: 'a' }).click()
    await type('hi{Tab}{ArrowDown}')
    // Like anybody, it goes on once there is something to choose from.
    await expect.element(page.getByRole('option', { name: 'green' })).toBeVisible()
    await type('{ArrowDown}{Enter}{Tab}5')
    await expectSent({ a: 'hi', c: 'green', n: 5 })
  })

  it('the steps beside a number stay within its bounds', async () => {
    showForm({ n: { type: 'integer', minimum: 1, maximum: 2 } })
    for (let times = 0; times < 3; times++) await press('One step up')
    await expectSent({ n: 2 })
    for (let times = 0; times < 3; times++) await press('One step down')
    await expectSent({ n: 1 })
  })
})

it('many optional fields can be folded away, and keep what they hold', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `f${at}`)
  showForm(Object.fromEntries(names.map((name) => [name, { type: 'string' }])))
  await fill(textbox('f3'), 'kept')
  await press('Hide 8 optional fields')
  await expect.element(page.getByRole('textbox', { name: 'f3' })).not.toBeInTheDocument()
  await press('Show 8 optional fields')
  await expect.element(page.getByRole('textbox', { name: 'f3' })).toHaveValue('kept')
})

describe('words of a stranger in a schema (sec-125)', () => {
  it.each(Object.entries(HOSTILE))('%s is shown as characters, inside the window', async (_what, text) => {
    const schema = {
      [text]: { type: 'string', title: text, description: text, examples: [text] },
      list: { type: 'array', title: text, items: { enum: [text] }, default: [text] },
      pick: { title: text, oneOf: [{ title: text, type: 'string' }, { type: 'number' }] },
      any: { description: text },
    }
    showForm(schema, { required: [text] })
    await expect.poll(() => document.querySelectorAll('fieldset').length).toBe(2)
    expectInert()
    await expectInside()
  })
})
