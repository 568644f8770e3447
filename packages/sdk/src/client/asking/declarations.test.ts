import { transformSync } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { declarationsFor } from './declarations.ts'

const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required })

describe('declarations for the tools of a foreign server', () => {
  test.each<[string, object, string]>([
    ['strings and numbers', object({ a: { type: 'string' }, b: { type: 'integer' } }, ['a']), '"a": string'],
    ['optional members', object({ b: { type: 'integer' } }), '"b"?: number'],
    ['choices', object({ c: { enum: ['x', 1, null] } }), '"c"?: "x" | 1 | null'],
    ['constants', object({ c: { const: true } }), '"c"?: true'],
    ['arrays', object({ d: { type: 'array', items: { type: 'boolean' } } }), '"d"?: (boolean)[]'],
    ['unions', object({ e: { anyOf: [{ type: 'string' }, { type: 'null' }] } }), '"e"?: string | null'],
    ['type lists', object({ e: { type: ['string', 'null'] } }), '"e"?: string | null'],
    ['local references', { ...object({ f: { $ref: '#/$defs/F' } }), $defs: { F: { type: 'number' } } }, '"f"?: number'],
    ['network references', object({ f: { $ref: 'https://x.example/s' } }), '"f"?: unknown'],
    [
      'references in a circle',
      { ...object({ f: { $ref: '#/$defs/F' } }), $defs: { F: { $ref: '#/$defs/F' } } },
      'unknown',
    ],
    ['dictionaries', { type: 'object', additionalProperties: { type: 'string' } }, '{ [name: string]: string }'],
    ['nothing known', {}, "'~input'?: unknown"],
  ])('%s', (_, inputSchema, expected) => {
    const text = declarationsFor([{ name: 't', inputSchema: inputSchema as { [key: string]: unknown } }], 'weather')
    expect(text).toContain(expected)
    expect(text).toContain('export interface Weather {')
  })

  test('no text of the server can leave its string or comment', () => {
    const text = declarationsFor(
      [
        {
          name: '"]: never }; process.exit(1) //',
          description: 'x */ process.exit(1) /*\n*/ evil()',
          inputSchema: object({ 'a"; evil(); "': { type: 'string', description: '*/ evil() /*' } }),
        },
      ],
      '1 evil(); name',
    )
    // What is left when types, strings and comments are taken away is nothing.
    expect(transformSync(text, { loader: 'ts' }).code.trim()).toBe('')
  })
})
