/** The parts of the extension that need no editor: text of servers, fields of a schema, and what is started. */

import { describe, expect, it } from 'vitest'
import { toProgram } from '../src/command.ts'
import { toLabel, toNotice, toPlain } from '../src/plain.ts'
import { choicesOf, readField, toFields } from '../src/schema.ts'

describe('text of servers in VS Code (sec-493)', () => {
  it('has nothing in it that acts or hides', () => {
    expect(toPlain('a\u001B[31mb\u202Ec\u0000\n\td')).toBe('a⟦U+001B⟧[31mb⟦U+202E⟧c⟦U+0000⟧\n\td')
  })

  it('makes no icons of labels, and no links of notices', () => {
    expect(toLabel('$(trash) x\ny')).toBe('$ (trash) x y')
    expect(toNotice('[click](command:portico.stop) or [this] (https://x)')).not.toMatch(/\]\s*\(/)
    expect(toLabel('x'.repeat(500), 20)).toHaveLength(20)
  })
})

describe('a form made from a schema (host 25)', () => {
  const schema = {
    properties: {
      note: { type: 'string', maxLength: 3 },
      count: { type: 'integer', minimum: 1, maximum: 3 },
      flag: { type: 'boolean' },
      kind: { enum: ['a', 'b'] },
      titled: { oneOf: [{ const: 'x', title: 'X' }] },
      list: { type: 'array' },
      any: {},
      broken: 7,
      __proto__: { type: 'string' },
    },
    required: ['count'],
  }
  const fields = toFields(schema)
  const field = (name: string) => fields.find((one) => one.name === name) as (typeof fields)[number]

  it('has the required fields first, and none that is no field', () => {
    expect(fields.map(({ name }) => name)).toEqual(['count', 'note', 'flag', 'kind', 'titled', 'list', 'any'])
    expect([null, 7, 'x', {}, { properties: [] }].map((one) => toFields(one))).toEqual([[], [], [], [], []])
  })

  it('offers what there is to choose from', () => {
    expect(['flag', 'kind', 'titled', 'note'].map((name) => choicesOf(field(name).schema))).toEqual([
      [true, false],
      ['a', 'b'],
      ['x'],
      [],
    ])
  })

  it.each([
    ['count', '2', { value: 2 }],
    ['count', '', { problem: 'This is required.' }],
    ['count', '2.5', { problem: 'This must be a whole number.' }],
    ['count', '0', { problem: 'At least 1.' }],
    ['count', '4', { problem: 'At most 3.' }],
    ['count', 'many', { problem: 'This must be a number.' }],
    ['note', '', { value: undefined }],
    ['note', '1234', { problem: 'At most 3 characters.' }],
    ['note', '{}', { value: '{}' }],
    ['list', 'a, b', { value: ['a', 'b'] }],
    ['list', '[1]', { value: [1] }],
    ['any', '{"a":1}', { value: { a: 1 } }],
    ['any', '{', { problem: 'This must be JSON.' }],
  ])('reads %s from "%s"', (name, words, reading) => {
    expect(readField(field(name), words)).toEqual(reading)
  })
})

describe('what is started (host 25)', () => {
  const files = new Set(['C:\\npm\\portico.cmd', 'C:\\npm\\node_modules\\portico\\bin.mjs'])
  const machine = (platform: string) => ({
    platform,
    path: 'C:\\other;C:\\npm',
    exists: (file: string) => files.has(file),
  })

  it('is what the setting says, and on Windows the program behind the script of npm', () => {
    expect(toProgram(['portico', 'host'], machine('linux'))).toEqual(['portico', 'host'])
    expect(toProgram(['portico', 'host'], machine('win32'))).toEqual([
      'node',
      'C:\\npm\\node_modules\\portico\\bin.mjs',
      'host',
    ])
    expect(toProgram(['C:\\x\\y.exe', 'host'], machine('win32'))).toEqual(['C:\\x\\y.exe', 'host'])
    expect(toProgram(['other'], machine('win32'))).toEqual(['other'])
  })
})
