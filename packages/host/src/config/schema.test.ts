/** The published JSON Schema says what the reader does: editors and we agree on every file. */

import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { readConfigText } from './read-config.ts'
import { DEFAULT_SETTINGS } from './server-config.ts'
import { SETTING_NAMES } from './settings.ts'

const schema = JSON.parse(readFileSync(new URL('../../schema/portico.schema.json', import.meta.url), 'utf8'))
const validate = new Ajv2020({ strict: false }).compile(schema)
const sample = readFileSync(new URL('../../test/fixtures/config/portico.json.txt', import.meta.url), 'utf8')

describe('portico.schema.json', () => {
  it('knows every setting, with its default', () => {
    const { properties } = schema.$defs.server
    for (const name of SETTING_NAMES) {
      expect(properties, name).toHaveProperty(name)
      const { default: standard } = properties[name]
      if (standard !== undefined) expect(standard, name).toEqual(DEFAULT_SETTINGS[name])
    }
  })

  const server = (entry: unknown) => ({ servers: { a: entry } })
  it.each<[string, unknown, boolean]>([
    ['the sample', parse(sample, [], { allowTrailingComma: true }), true],
    ['nothing', {}, true],
    ['a program', server({ command: 'x', args: [1, 'a'], env: { A: true } }), true],
    ['an address', server({ url: 'https://x.example', type: 'sse' }), true],
    ['an address by another name', server({ serverUrl: 'https://x.example' }), true],
    ['two addresses', server({ url: 'https://x.example', command: 'x' }), false],
    ['neither', server({}), false],
    ['both', server({ command: 'x', url: 'https://x.example' }), false],
    ['the wrong type', server({ command: 'x', type: 'http' }), false],
    ['arguments as text', server({ command: 'x', args: 'y' }), false],
    ['no time at all', server({ command: 'x', callMs: 0 }), false],
    ['too much time', server({ command: 'x', callMs: 86_400_001 }), false],
    ['a half call', server({ command: 'x', callsPerMinute: 0.5 }), false],
    ['tasks by a word', server({ command: 'x', tasks: 'off', tasksAfterMs: 0, tools: { t: { tasks: 'auto' } } }), true],
    ['tasks by a word that is none', server({ command: 'x', tasks: 'never' }), false],
    ['hide as number', server({ command: 'x', tools: { t: { hide: 1 } } }), false],
    ['servers as a list', { servers: [] }, false],
    ['a choice without options', { inputs: [{ type: 'pickString', id: 'x' }] }, false],
    ['a question without a name', { inputs: [{ type: 'promptString' }] }, false],
  ])('%s', (_, content, isValid) => {
    expect(validate(content), JSON.stringify(validate.errors)).toBe(isValid)
    const { problems } = readConfigText(JSON.stringify(content), { file: 'portico.json' })
    expect(problems.length === 0, JSON.stringify(problems)).toBe(isValid)
  })
})
