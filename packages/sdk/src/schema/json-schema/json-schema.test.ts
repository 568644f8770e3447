import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { PorticoError } from '../../jsonrpc/errors.ts'
import { compileJsonSchema, formatIssues, type JsonSchemaOptions } from './json-schema.ts'
import { FORMATS } from './json-schema-formats.ts'

function say(schema: unknown, value: unknown, options?: JsonSchemaOptions): string {
  const issues = compileJsonSchema(schema, options).validate(value)
  return issues === undefined ? 'valid' : formatIssues(issues)
}

const weather = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
  additionalProperties: false,
}

describe('issues tell a model what to change (sec-122)', () => {
  const cases: [value: unknown, said: string][] = [
    [{ city: 'Oslo', unit: 'c', days: 3 }, 'valid'],
    [{ city: 7 }, 'city: expected a string, got a number'],
    [{}, 'missing required property "city"'],
    [{ city: 'Oslo', unit: 'k' }, 'unit: must be one of "c", "f", got "k"'],
    [{ city: 'Oslo', foo: 1 }, 'unknown property "foo"'],
    [{ city: 'Oslo', days: 0 }, 'days: must be at least 1, got 0'],
    [{ city: 'Oslo', days: 1.5 }, 'days: expected an integer, got 1.5'],
    ['Oslo', 'expected an object, got a string'],
    [null, 'expected an object, got null'],
    [{ city: 1, foo: 1 }, 'city: expected a string, got a number; unknown property "foo"'],
    [{ city: 'Oslo', foo: undefined }, 'valid'],
  ]
  it.each(cases)('%j', (value, said) => {
    expect(say(weather, value)).toBe(said)
  })

  it('gives the path and the keyword', () => {
    const schema = { properties: { list: { items: { properties: { 'a b': { type: 'null' } } } } } }
    const issues = compileJsonSchema(schema).validate({ list: [{}, { 'a b': [] }] })
    expect(issues).toEqual([{ path: ['list', 1, 'a b'], message: 'expected null, got an array', keyword: 'type' }])
    expect(formatIssues(issues!)).toBe('list[1]["a b"]: expected null, got an array')
  })

  it('explains the branch of anyOf that comes closest', () => {
    const branch = (kind: string, key: string) => ({
      type: 'object',
      properties: { kind: { const: kind }, [key]: { type: 'string' } },
      required: ['kind', key],
    })
    const schema = { anyOf: [branch('a', 'x'), branch('b', 'y'), { type: 'string' }] }
    const said = say(schema, { kind: 'b', y: 1 })
    expect(said).toBe('fits none of the 3 allowed forms; the closest one: y: expected a string, got a number')
  })

  it('leaves out what failed in branches that did not matter', () => {
    const number = { anyOf: [{ minimum: 5 }, { type: 'number' }], not: { maximum: 1 }, if: { multipleOf: 7 } }
    const schema = {
      properties: { a: number, b: { type: 'string' } },
      oneOf: [{ minProperties: 9 }, { required: ['a'] }],
    }
    expect(say(schema, { a: 3, b: 1 })).toBe('b: expected a string, got a number')
    expect(say(schema, { a: 3, b: 'x' })).toBe('valid')
  })

  it('shows the constant that is wanted', () => {
    expect(say({ const: { a: [1] } }, { a: [2] })).toBe('must be {"a":[1]}, got an object')
    expect(say({ enum: [null, 'x'] }, 'y')).toBe('must be one of null, "x", got "y"')
  })

  it('starts afresh with each value', () => {
    const validator = compileJsonSchema(weather)
    const [first, second] = [validator.validate({}), validator.validate({ city: 1 })]
    expect([first!.length, second!.length, validator.validate({ city: 'x' })]).toEqual([1, 1, undefined])
    expect(first![0]!.keyword).toBe('required')
  })

  it('is bounded, whatever the value holds', () => {
    const issues = compileJsonSchema({ items: { type: 'null' } }).validate(new Array(10_000).fill('x'))
    expect(issues!.length).toBeLessThanOrEqual(32)
    expect(formatIssues(issues!)).toContain('and 22 more')
    expect(say({ additionalProperties: false }, { ['x'.repeat(10_000)]: 1 }).length).toBeLessThan(120)
  })
})

describe('names from Object.prototype are ordinary keys (sec-122)', () => {
  const own = (json: string): unknown => JSON.parse(json)
  const cases: [schema: unknown, value: unknown, valid: boolean][] = [
    [{ required: ['toString'] }, {}, false],
    [{ required: ['toString'] }, { toString: 1 }, true],
    [{ required: ['__proto__'] }, {}, false],
    [{ required: ['__proto__'] }, own('{"__proto__":1}'), true],
    [own('{"properties":{"__proto__":{"type":"string"}}}'), own('{"__proto__":1}'), false],
    [
      own('{"properties":{"__proto__":{"type":"string"}},"additionalProperties":false}'),
      own('{"__proto__":"a"}'),
      true,
    ],
    [{ properties: { constructor: { type: 'number' } } }, {}, true],
    [{ properties: { constructor: { type: 'number' } } }, { constructor: 'x' }, false],
    [{ additionalProperties: false }, own('{"__proto__":1}'), false],
    [{ additionalProperties: false }, { constructor: 1 }, false],
    [{ const: own('{"__proto__":1}') }, {}, false],
    [{ const: {} }, own('{"__proto__":1}'), false],
    [{ properties: { a: {} }, unevaluatedProperties: false }, own('{"__proto__":1}'), false],
    [{ dependentRequired: { toString: ['a'] } }, {}, true],
    [own('{"$ref":"#/$defs/__proto__","$defs":{"__proto__":{"type":"string"}}}'), 1, false],
  ]
  it.each(cases)('%j on %j', (schema, value, valid) => {
    expect(compileJsonSchema(schema).validate(value) === undefined).toBe(valid)
  })

  it('does not read keywords or targets from the prototype', () => {
    expect(() => compileJsonSchema({ $ref: '#/toString' })).toThrow('cannot resolve')
    expect(() => compileJsonSchema({ $ref: '#/__proto__' })).toThrow('cannot resolve')
  })
})

describe('what is refused when a schema is compiled', () => {
  const cases: [schema: unknown, code: string, message: string][] = [
    [
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      'invalid-definition',
      'unsupported dialect "http://json-schema.org/draft-04/schema#"',
    ],
    [{ $schema: 'https://json-schema.org/draft/2019-09/schema' }, 'invalid-definition', 'unsupported dialect'],
    [{ $ref: 'https://example.com/x.json' }, 'invalid-definition', 'remote schemas are not fetched'],
    [{ $ref: '#/$defs/missing' }, 'invalid-definition', 'nothing is there'],
    [{ $ref: '#missing' }, 'invalid-definition', 'no such anchor'],
    [{ $ref: '#/%' }, 'invalid-definition', 'not a valid URI reference'],
    [{ $defs: { unused: { $ref: 'file:///etc/passwd' } } }, 'invalid-definition', 'remote schemas are not fetched'],
    [{ $defs: { unused: { pattern: '(?=a)' } } }, 'invalid-definition', 'a lookahead'],
    [{ properties: { a: 7 } }, 'invalid-definition', '#/properties/a must be an object or a boolean'],
    [{ type: 'strnig' }, 'invalid-definition', '"type" must be'],
    [{ minLength: '3' }, 'invalid-definition', '"minLength" must be'],
    [{ required: 'a' }, 'invalid-definition', '"required" must be'],
    [{ multipleOf: 0 }, 'invalid-definition', '"multipleOf" must be'],
    [{ items: [{}] }, 'invalid-definition', 'prefixItems'],
    [{ pattern: '(' }, 'invalid-definition', 'not a valid regular expression'],
    [{ $id: 7 }, 'invalid-definition', '$id must be a string'],
    [7, 'invalid-definition', 'must be an object or a boolean'],
    [{ pattern: '(a{1000}){1000}' }, 'limit-exceeded', 'maxPatternSize'],
    [{ const: nest(300, (inner) => [inner], 1) }, 'limit-exceeded', 'nests deeper'],
  ]
  it.each(cases)('%.80j (sec-143, sec-145)', (schema, code, message) => {
    expect(() => compileJsonSchema(schema)).toThrow(expect.objectContaining({ code }))
    expect(() => compileJsonSchema(schema)).toThrow(message)
  })

  it.each([
    ['maxSchemaDepth', 63, (size: number) => nest(size, (inner) => ({ not: inner }), true)],
    ['maxSubschemas', 4_998, (size: number) => ({ allOf: new Array(size + 1).fill({}) })],
  ] as const)('%s at the limit and one beyond (sec-144)', (option, size, make) => {
    expect(() => compileJsonSchema(make(size - 1))).not.toThrow()
    expect(() => compileJsonSchema(make(size))).not.toThrow()
    expect(() => compileJsonSchema(make(size + 1))).toThrow(option)
  })

  it('patterns are counted together, and references are short (sec-144)', () => {
    const patterns = Array.from({ length: 100 }, (_, i) => ({ pattern: `(a|b){100}${i}` }))
    expect(() => compileJsonSchema({ allOf: patterns.slice(0, 20) })).not.toThrow()
    expect(() => compileJsonSchema({ allOf: patterns })).toThrow('maxPatternSize')
    expect(() => compileJsonSchema({ $id: `urn:${'x'.repeat(3_000)}` })).toThrow('longer than 2048')
  })

  it('a 20,000-deep anyOf, 100,000 subschemas and shared objects that unfold without end (sec-144)', () => {
    const deep = nest(20_000, (inner) => ({ anyOf: [inner] }), true)
    const wide = { properties: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`p${i}`, {}])) }
    const folded = nest(60, (inner) => ({ allOf: [inner, inner] }), {})
    const circle: { not?: unknown } = {}
    circle.not = circle
    for (const schema of [deep, wide, folded, circle]) {
      expect(() => compileJsonSchema(schema)).toThrow(expect.objectContaining({ code: 'limit-exceeded' }))
    }
  })
})

describe('a validation is bounded (sec-144)', () => {
  const tree = { type: 'object', properties: { next: { $ref: '#' } } }
  const chain = (depth: number): unknown => nest(depth, (inner) => ({ next: inner }), {})

  it('in the depth of the value, at the limit and one beyond', () => {
    const validator = compileJsonSchema(tree)
    expect(validator.validate(chain(127))).toBeUndefined()
    expect(validator.validate(chain(128))).toBeUndefined()
    expect(validator.validate(chain(129))).toEqual([
      { path: [], keyword: 'limit', message: expect.stringContaining('maxValueDepth') },
    ])
    expect(validator.validate(chain(100_000))![0]!.keyword).toBe('limit')
  })

  it.each([
    ['a reference to itself', { $ref: '#' }, 1],
    [
      'a circle',
      { $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } } },
      1,
    ],
    [
      'a chain of 4,000 references',
      {
        $ref: '#/$defs/d0',
        $defs: Object.fromEntries(
          Array.from({ length: 4_000 }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${(i + 1) % 4_000}` }]),
        ),
      },
      1,
    ],
    [
      'branches that double at each level',
      {
        $ref: '#/$defs/a',
        $defs: {
          a: {
            anyOf: [
              { properties: { next: { $ref: '#/$defs/a' } }, required: ['x'] },
              { properties: { next: { $ref: '#/$defs/a' } }, required: ['x'] },
            ],
          },
        },
      },
      chain(60),
    ],
    [
      'many patterns on many names',
      { patternProperties: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`(a|b${i})*c`, {}])) },
      Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`name${i}`, 1])),
    ],
    ['a catastrophic pattern with a large program', { pattern: `${'(a?)'.repeat(2_000)}b` }, 'a'.repeat(1_000_000)],
  ])('in time and stack: %s', (_name, schema, value) => {
    const validator = compileJsonSchema(schema)
    const start = performance.now()
    expect(validator.validate(value)![0]!.keyword).toBe('limit')
    // Generous, for slow machines: the point is that it ends.
    expect(performance.now() - start).toBeLessThan(2_000)
  })

  it('in steps, never by the clock: a busy machine alone fails no value (sdk D15)', () => {
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
      throw new Error('the clock was read')
    })
    const numbers = (count: number) => new Array<number>(count).fill(1)
    const schema = { items: { type: 'number' } }
    for (const [count, verdict] of [
      [98, 'valid'],
      [99, 'valid'],
      [100, 'maxValidationSteps'],
    ] as const) {
      expect(say(schema, numbers(count), { maxValidationSteps: 100 })).toContain(verdict)
    }
    expect(say(schema, numbers(500_000))).toBe('valid')
    expect(say(schema, numbers(1_000_000))).toContain('maxValidationSteps')
    expect(say(schema, numbers(1_000_000), { trusted: true })).toBe('valid')
    clock.mockRestore()
  })

  it("and rows by the ten thousand are well within the bound of an author's own schema (sdk D15)", () => {
    const items = {
      type: 'object',
      properties: { id: { type: 'integer', minimum: 0 }, name: { type: 'string', pattern: '^[a-z]+$' } },
      additionalProperties: false,
    }
    const rows = Array.from({ length: 99_000 }, (_, id) => ({ id, name: 'abcdef' }))
    expect(say({ items, uniqueItems: true }, rows, { trusted: true })).toBe('valid')
  })

  it('and uniqueItems is linear: 50,000 objects that differ in one member', () => {
    const items = Array.from({ length: 50_000 }, (_, id) => ({ kind: 'row', id }))
    expect(say({ uniqueItems: true }, items, { maxValidationSteps: 5_000_000 })).toBe('valid')
    expect(say({ uniqueItems: true }, [...items, { id: 7, kind: 'row' }], { maxValidationSteps: 5_000_000 })).toContain(
      'item 50000',
    )
  })
})

it('any JSON is either refused as a schema or checks any JSON without throwing (sec-144)', () => {
  const keywords = [
    'type',
    'enum',
    'const',
    'properties',
    'required',
    'items',
    'prefixItems',
    'allOf',
    'anyOf',
    'oneOf',
    'not',
  ]
    .concat(['if', 'then', 'else', '$ref', '$dynamicRef', '$id', '$anchor', '$dynamicAnchor', '$defs', 'definitions'])
    .concat([
      'pattern',
      'patternProperties',
      'additionalProperties',
      'unevaluatedProperties',
      'unevaluatedItems',
      '__proto__',
    ])
    .concat([
      'dependencies',
      'dependentSchemas',
      'dependentRequired',
      'contains',
      'minContains',
      'uniqueItems',
      'format',
      'a',
    ])
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom<unknown>(true, false, {}, null, 7, 'string', '#', '#a', '#/$defs/a', 'a', '(a', ['a'], 'object'),
      fc.array(tie('schema'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...keywords), tie('schema'), { maxKeys: 4 }),
      fc.dictionary(fc.constantFrom(...keywords), tie('schema'), { maxKeys: 4 }),
    ),
  }))
  let accepted = 0
  fc.assert(
    fc.property(schema, fc.boolean(), fc.jsonValue(), (candidate, old, value) => {
      const dialect = old ? { $schema: 'http://json-schema.org/draft-07/schema#' } : {}
      const whole =
        typeof candidate === 'object' && !Array.isArray(candidate) ? { ...dialect, ...candidate } : candidate
      try {
        const validator = compileJsonSchema(whole, { formats: FORMATS })
        accepted++
        for (const each of [value, whole]) expect(validator.validate(each)?.length).not.toBe(0)
      } catch (error) {
        expect(error).toBeInstanceOf(PorticoError)
      }
    }),
    { numRuns: 2_000 },
  )
  expect(accepted).toBeGreaterThan(100)
})

describe('dialects', () => {
  const draft7 = 'http://json-schema.org/draft-07/schema#'
  const cases: [schema: unknown, value: unknown, valid: boolean][] = [
    [{ $schema: draft7, items: [{ type: 'string' }], additionalItems: false }, ['a'], true],
    [{ $schema: draft7, items: [{ type: 'string' }], additionalItems: false }, ['a', 1], false],
    [{ $schema: draft7, definitions: { s: { type: 'string' } }, $ref: '#/definitions/s', maxLength: 1 }, 'abc', true],
    [{ $defs: { s: { type: 'string' } }, $ref: '#/$defs/s', maxLength: 1 }, 'abc', false],
    [{ $schema: draft7, dependencies: { a: ['b'], c: { required: ['d'] } } }, { a: 1 }, false],
    [{ $schema: draft7, dependencies: { a: ['b'], c: { required: ['d'] } } }, { c: 1 }, false],
    [{ $schema: draft7, unevaluatedProperties: false }, { a: 1 }, true],
    [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1 }, true],
    [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { b: 1 }, false],
    [{ prefixItems: [{}], contains: { const: 2 }, unevaluatedItems: false }, [1, 2], true],
    [{ prefixItems: [{}], contains: { const: 2 }, unevaluatedItems: false }, [1, 2, 3], false],
    [
      {
        $ref: 'list',
        $defs: {
          list: { $id: 'list', items: { $dynamicRef: '#t' }, $defs: { t: { $dynamicAnchor: 't' } } },
          s: { $dynamicAnchor: 't', type: 'string' },
        },
      },
      [1],
      false,
    ],
  ]
  it.each(cases)('%.100j on %j', (schema, value, valid) => {
    expect(compileJsonSchema(schema).validate(value) === undefined).toBe(valid)
  })

  it('follows references into documents that were handed over, and nowhere else (sec-143)', () => {
    const documents = { 'https://example.com/city.json': { type: 'string' } }
    expect(say({ $ref: 'https://example.com/city.json' }, 1, { documents })).toBe('expected a string, got a number')
  })
})

describe('formats', () => {
  const cases: [format: string, good: string, bad: string][] = [
    ['date', '2024-02-29', '2023-02-29'],
    ['date-time', '1990-12-31T23:59:60Z', '1990-12-31 23:59:59'],
    ['time', '08:30:06.283185+01:00', '24:00:00Z'],
    ['duration', 'P4DT12H30M5S', 'PT1D'],
    ['email', 'joe.bloggs@example.com', 'joe..bloggs@example.com'],
    ['hostname', 'www.example.com', '-bad.example.com'],
    ['ipv4', '192.168.0.1', '192.168.0.256'],
    ['ipv6', '::ffff:192.168.0.1', '1::2::3'],
    ['uri', 'https://example.com/a?b#c', '//example.com'],
    ['uri-reference', '/abc', '\\\\abc'],
    ['uuid', '2eb8aa08-aa98-11ea-b4aa-73b441d16380', '2eb8aa08'],
    ['json-pointer', '/a/~0', '/a/~2'],
    ['regex', '([abc])+\\s+$', '^(abc]'],
  ]
  it.each(cases)('%s is noted by default and asserted on request', (format, good, bad) => {
    expect(say({ format }, bad)).toBe('valid')
    expect(say({ format }, good, { formats: FORMATS })).toBe('valid')
    expect(say({ format }, bad, { formats: FORMATS })).toContain(`must be a valid ${format}`)
  })

  it('cost little on hostile text', () => {
    for (const [format] of cases) {
      for (const unit of ['/', '~0', 'a.', '1:', '@', '"', '%41', '0', 'P1']) {
        const start = performance.now()
        compileJsonSchema({ format }, { formats: FORMATS }).validate(unit.repeat(50_000))
        expect(performance.now() - start).toBeLessThan(1_000)
      }
    }
  })
})

function nest(depth: number, wrap: (inner: unknown) => unknown, core: unknown): unknown {
  let value = core
  for (let i = 0; i < depth; i++) value = wrap(value)
  return value
}
