/**
 * The official JSON Schema test suite as an oracle (sec-143, sec-145), kept as it was published in
 * `test/official/json-schema/`.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { compileJsonSchema } from './json-schema.ts'
import { FORMATS as ASSERTED } from './json-schema-formats.ts'

interface Group {
  readonly description: string
  readonly schema: unknown
  readonly tests: readonly { description: string; data: unknown; valid: boolean }[]
}

const suite = fileURLToPath(new URL('../../../test/official/json-schema/', import.meta.url))

/** Groups that need something we refuse on purpose. Every name must occur in the suite. */
const EXCLUDED: { readonly [draft: string]: { readonly [group: string]: string } } = {
  'draft2020-12': {
    'defs.json: validate definition against metaschema': 'refers to the metaschema, which is not built in',
    'ref.json: remote ref, containing refs itself': 'refers to the metaschema, which is not built in',
    'optional/format/hostname.json: validation of A-label (punycode) host names':
      'IDNA tables are too big for what they bring',
    'vocabulary.json: schema that uses custom metaschema with with no validation vocabulary': 'a custom dialect',
    'vocabulary.json: ignore unrecognized optional vocabulary': 'a custom dialect',
  },
  draft7: {
    'definitions.json: validate definition against metaschema': 'refers to the metaschema, which is not built in',
    'ref.json: remote ref, containing refs itself': 'refers to the metaschema, which is not built in',
    'optional/format/hostname.json: validation of A-label (punycode) host names':
      'IDNA tables are too big for what they bring',
  },
}

/** The optional files that we hold ourselves to as well. */
const OPTIONAL: { readonly [draft: string]: readonly string[] } = {
  'draft2020-12': ['anchor', 'bignum', 'ecmascript-regex', 'float-overflow', 'id', 'no-schema', 'non-bmp-regex']
    .concat(['refOfUnknownKeyword', 'unknownKeyword', 'dynamicRef'])
    .map((name) => `optional/${name}.json`),
  draft7: ['bignum', 'ecmascript-regex', 'float-overflow', 'non-bmp-regex', 'unknownKeyword'].map(
    (name) => `optional/${name}.json`,
  ),
}

const FORMATS = ['date', 'date-time', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'json-pointer', 'regex']
  .concat(['relative-json-pointer', 'uri', 'uri-reference', 'uuid'])
  .map((name) => `optional/format/${name}.json`)

describe('the official JSON Schema test suite', () => {
  const seen = new Set<string>()
  for (const draft of ['draft2020-12', 'draft7']) {
    const folder = join(suite, 'tests', draft)
    const documents = remotes(draft)
    const required = readdirSync(folder).filter((name) => name.endsWith('.json'))
    for (const file of [...required, ...OPTIONAL[draft]!, ...FORMATS]) {
      if (!existsSync(join(folder, file))) continue
      const formats = file.startsWith('optional/format/') ? ASSERTED : undefined
      const groups: Group[] = JSON.parse(readFileSync(join(folder, file), 'utf8'))
      describe(`${draft}/${file}`, () => {
        for (const { description, schema, tests } of groups) {
          const reason = EXCLUDED[draft]?.[`${file}: ${description}`]
          if (reason !== undefined) seen.add(`${draft}/${file}: ${description}`)
          it.skipIf(reason !== undefined)(reason === undefined ? description : `${description} (${reason})`, () => {
            const dialected = withDialect(schema, draft)
            const validator = compileJsonSchema(dialected, { documents, ...(formats && { formats }) })
            const wrong = tests.filter(({ data, valid }) => (validator.validate(data) === undefined) !== valid)
            expect(wrong.map((test) => test.description)).toEqual([])
          })
        }
      })
    }
  }

  it('still has every group that is excluded', () => {
    const names = Object.entries(EXCLUDED).flatMap(([draft, groups]) =>
      Object.keys(groups).map((name) => `${draft}/${name}`),
    )
    expect(names.filter((name) => !seen.has(name))).toEqual([])
  })
})

/** Draft-07 tests do not name their dialect. */
function withDialect(schema: unknown, draft: string): unknown {
  if (draft !== 'draft7' || typeof schema !== 'object' || schema === null || '$schema' in schema) return schema
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema }
}

/** What the suite would serve over HTTP, given to the compiler as documents instead. */
function remotes(draft: string): { [uri: string]: unknown } {
  const root = join(suite, 'remotes')
  const out: { [uri: string]: unknown } = {}
  const visit = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const at = relative(root, path)
      if (statSync(path).isDirectory()) {
        if (folder !== root || !/^(draft|v1)/.test(name) || name === draft) visit(path)
      } else {
        const document = JSON.parse(readFileSync(path, 'utf8'))
        const dialect = typeof document === 'object' ? (document.$schema ?? '') : ''
        if (!/metaschema/.test(at) && !/localhost/.test(dialect))
          out[`http://localhost:1234/${at}`] = withDialect(document, draft)
      }
    }
  }
  visit(root)
  return out
}
