/** JSON Schemas, the values they judge and the patterns within them: all three may come from somebody hostile. */

import fc from 'fast-check'
import { PorticoError } from '../../../packages/sdk/src/jsonrpc/errors.ts'
import { compileJsonSchema } from '../../../packages/sdk/src/schema/json-schema/json-schema.ts'
import { FORMATS } from '../../../packages/sdk/src/schema/json-schema/json-schema-formats.ts'
import { demand, opened, type Target } from '../target.ts'
import { anyJson, anyText, hostileKey, toOwnMembers } from '../words.ts'

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '\\d',
  '\\w',
  '[a-z]',
  '[^a]',
  '\\p{L}',
  '(?:)',
  '\\b',
  '^',
  '$',
  '(?=a)',
  '\\1',
  '\\',
  '[',
  '(',
  ')',
)
const repeat = fc.constantFrom('', '*', '+', '?', '{2}', '{0,50}', '{1000}', '{1,}', '*?', '{99999999}')
const pattern = fc.oneof(
  fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { depthSize: 'small' },
      fc.tuple(atom, repeat).map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
      fc.tuple(tie('pattern'), tie('pattern'), repeat).map(([one, other, times]) => `(${one}|${other})${times}`),
      fc.tuple(tie('pattern'), repeat).map(([one, times]) => `(${one})${times}`),
    ),
  })).pattern,
  fc.constantFrom('(a+)+$', '^(a|a)*$', '(a|aa)+$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$', '((a{1,50}){1,50}){1,50}'),
  anyText,
)

const key = fc.oneof(fc.constantFrom('a', 'b', 'c'), hostileKey)
const count = fc.oneof(fc.integer({ min: -1, max: 5 }), fc.constantFrom(1e21, 2 ** 53, 0.5))

const schema = fc.letrec((tie) => {
  const child = tie('schema')
  const list = fc.array(child, { maxLength: 3 })
  const members = (keys: fc.Arbitrary<string>) => fc.array(fc.tuple(keys, child), { maxLength: 3 }).map(toOwnMembers)
  const keyword = fc.oneof(
    fc.tuple(
      fc.constant('type'),
      fc.oneof(fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'null', 'boolean', 'any'), anyJson),
    ),
    fc.tuple(fc.constantFrom('properties', '$defs', 'dependentSchemas'), members(key)),
    fc.tuple(fc.constant('patternProperties'), members(pattern)),
    fc.tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf', 'prefixItems'), list),
    fc.tuple(
      fc.constantFrom(
        'not',
        'if',
        'then',
        'else',
        'items',
        'contains',
        'additionalProperties',
        'propertyNames',
        'unevaluatedItems',
        'unevaluatedProperties',
      ),
      child,
    ),
    fc.tuple(
      fc.constantFrom('$ref', '$dynamicRef'),
      fc.oneof(
        fc.constantFrom(
          '#',
          '#/$defs/a',
          '#/$defs/b',
          '#/properties/a',
          '#/$defs/__proto__',
          '#x',
          'http://127.0.0.1:9/x',
          '#/allOf/0',
          '%',
        ),
        anyText,
      ),
    ),
    fc.tuple(
      fc.constantFrom('$id', '$anchor', '$dynamicAnchor', '$schema'),
      fc.oneof(anyText, fc.constantFrom('x', 'https://json-schema.org/draft/2020-12/schema', 'http://a/b')),
    ),
    fc.tuple(fc.constant('pattern'), pattern),
    fc.tuple(
      fc.constantFrom(
        'minLength',
        'maxLength',
        'minItems',
        'maxItems',
        'minimum',
        'multipleOf',
        'minContains',
        'maxContains',
        'maxProperties',
      ),
      count,
    ),
    fc.tuple(
      fc.constantFrom('const', 'enum', 'required', 'uniqueItems', 'format', 'default'),
      fc.oneof(
        anyJson,
        fc.array(anyJson, { maxLength: 5 }),
        fc.constant(true),
        fc.constantFrom('date', 'uri', 'email', 'regex'),
      ),
    ),
  )
  return {
    schema: fc.oneof({ depthSize: 'medium' }, fc.boolean(), fc.array(keyword, { maxLength: 5 }).map(toOwnMembers)),
  }
}).schema

const subject = fc.oneof(
  anyJson,
  fc.nat({ max: 20_000 }).map((times) => `${'a'.repeat(times)}!`),
  fc.nat({ max: 2000 }).map((times) => Array.from({ length: times }, (_, at) => ({ a: at % 7 }))),
  fc
    .nat({ max: 2000 })
    .map((times) => toOwnMembers(Array.from({ length: times }, (_, at) => [`${'a'.repeat(at % 40)}${at}`, at]))),
  fc.nat({ max: 200 }).map((depth) => {
    let value: unknown = 1
    for (let level = 0; level < depth; level++) value = level % 2 === 0 ? { a: value } : [value]
    return value
  }),
)

export const schemas: Target = {
  name: 'schemas',
  about: 'JSON Schemas with their patterns, and values',
  open: () =>
    opened({
      arbitrary: fc.record({ schema, subject, formats: fc.boolean() }),
      run(input) {
        let validator: ReturnType<typeof compileJsonSchema>
        try {
          validator = compileJsonSchema(input.schema, input.formats ? { formats: FORMATS } : {})
        } catch (error) {
          demand(error instanceof PorticoError, `an error of no known kind: ${String(error)}`)
          return
        }
        const issues = validator.validate(input.subject)
        demand(issues === undefined || issues.length > 0, 'a value is refused without a word')
        // A verdict that changes would be a verdict on what came before; time may cut either short.
        const again = validator.validate(input.subject)
        const timed = [issues, again].some((found) => found?.some(({ keyword }) => keyword === 'limit') === true)
        demand(timed || (issues === undefined) === (again === undefined), 'the same value is judged twice, differently')
      },
    }),
}
