import { describe, expect, it } from 'vitest'
import type { Io } from '../terminal/io.ts'
import { readArguments, usageOf } from './arguments.ts'

const tool = {
  name: 'book',
  inputSchema: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      nights: { type: 'integer', minimum: 1 },
      price: { type: ['number', 'null'] },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      tags: { type: 'array', items: { type: 'integer' } },
      guest: { type: 'object' },
      open: {},
    },
    required: ['city'],
    additionalProperties: false,
  },
}
// None of these cases reads anything from outside.
const io = { takes: () => true } as unknown as Io
const read = (words: readonly string[], json?: string) => readArguments(words, json, tool, io)

describe('arguments', () => {
  it.each([
    { words: ['city=Oslo', 'nights=2'], args: { city: 'Oslo', nights: 2 } },
    { words: ['city=12'], args: { city: '12' } },
    { words: ['city='], args: { city: '' } },
    { words: ['city=a=b'], args: { city: 'a=b' } },
    { words: ['city=x', 'price=null'], args: { city: 'x', price: null } },
    { words: ['city=x', 'price=-1.5'], args: { city: 'x', price: -1.5 } },
    { words: ['city=x', 'either=5'], args: { city: 'x', either: 5 } },
    { words: ['city=x', 'either=five'], args: { city: 'x', either: 'five' } },
    { words: ['city=x', 'tags=1', 'tags=2'], args: { city: 'x', tags: [1, 2] } },
    { words: ['city=x', 'tags=[1,2]'], args: { city: 'x', tags: [1, 2] } },
    { words: ['city=x', 'guest={"a":1}'], args: { city: 'x', guest: { a: 1 } } },
    { words: ['city=x', 'open=true'], args: { city: 'x', open: true } },
    { words: ['city=x', 'open=plain'], args: { city: 'x', open: 'plain' } },
    { words: ['nights=3'], json: '{"city":"Rome","nights":1}', args: { city: 'Rome', nights: 3 } },
  ])('reads $words by the types of the schema', async ({ words, json, args }) => {
    expect(await read(words, json)).toEqual(args)
  })

  it.each([
    { words: ['city=x', 'nights=1.5'], says: 'nights must be of type integer, not "1.5"' },
    { words: ['city=x', 'nights='], says: 'nights must be of type integer, not ""' },
    { words: ['city=x', 'tags=a'], says: 'tags must be of type integer, not "a"' },
    { words: ['city=x', 'guest=[]'], says: 'guest must be of type object, not "[]"' },
    { words: ['city=x', 'city=y'], says: 'city is given 2 times but takes one value' },
    { words: ['nights=1'], says: 'city is missing' },
    { words: ['city=x', 'town=y'], says: 'book has no argument "town"' },
    { words: ['Oslo'], says: '"Oslo" is not an argument' },
    { words: [], json: '[]', says: '--args must be a JSON object, not array' },
    { words: [], json: '{"city":[]}', says: 'city must be of type string, not []' },
  ])('refuses $words and names the field', async ({ words, json, says }) => {
    await expect(read(words, json)).rejects.toMatchObject({ exit: 'usage', message: says })
  })

  it('takes names like __proto__ as ordinary members', async () => {
    const open = { name: 'open', inputSchema: { type: 'object' } }
    const args = await readArguments(['__proto__={"polluted":true}'], undefined, open, io)
    expect(Object.keys(args)).toEqual(['__proto__'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('newcomer: tells of an argument that the schema does not name, and what was likely meant', async () => {
    const said: string[] = []
    const person = { say: (text: string) => void said.push(text), paint: { yellow: (text: string) => text } }
    const { additionalProperties: _closed, ...schema } = tool.inputSchema
    const open = { ...tool, inputSchema: schema }
    expect(await readArguments(['city=x', 'nihgts=2'], undefined, open, person as unknown as Io)).toEqual({
      city: 'x',
      nihgts: 2,
    })
    expect(said.join()).toMatch(/book has no argument "nihgts"; it is sent anyway\.\n.*Did you mean "nights"\?/)
    await expect(read(['ctiy=x'])).rejects.toMatchObject({ remedy: expect.stringContaining('"city" by "ctiy"') })
  })

  it('newcomer: does not take a mistyped argument for one that was given', async () => {
    const refused = await read(['city=Oslo', 'citi=2']).catch((error: unknown) => error)
    expect(refused).toMatchObject({ message: 'book has no argument "citi"' })
    expect(refused).not.toMatchObject({ remedy: expect.stringContaining('Did you mean') })
  })

  it('says how a tool is called', () => {
    expect(usageOf(tool)).toBe(
      'city=<string> [nights=<integer>] [price=<number|null>] [either=<number|string>] [tags=<array>] [guest=<object>] [open=<json>]',
    )
  })
})
