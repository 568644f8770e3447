/** Each rule finds its fault, stays silent where there is none, and says what to do. */

import { describe, expect, test } from 'vitest'
import { prompt, resource, type ToolOptions, tool } from '../items/definition.ts'
import { createServer, type ToolRecord } from '../server.ts'
import { lintForm, lintServer } from './lint.ts'
import { isSensitive } from './lint-sensitive.ts'

type Options = ToolOptions<{ type: 'object' } | undefined, undefined>

const described = { description: 'Says what it does and when to use it', readOnly: true }

function serverWith(tools: { [name: string]: Options }) {
  const record: ToolRecord = Object.fromEntries(
    Object.entries(tools).map(([name, options]) => [name, tool(options, () => '')]),
  )
  return createServer({ name: 's', version: '1', tools: record })
}

function withField(name: string, field: object, rest: object = {}) {
  const input = { type: 'object' as const, properties: { [name]: field }, additionalProperties: false, ...rest }
  return serverWith({ sample_tool: { ...described, input } })
}

const text = { type: 'string', description: 'A text' }

test('a careful server gets a clean bill', () => {
  expect(lintServer(withField('city', text))).toEqual([])
})

describe('finds', () => {
  const cases = [
    ['tool-undescribed', serverWith({ a_tool: { readOnly: true } }), 'tools.a_tool'],
    ['tool-undescribed', serverWith({ a_tool: { readOnly: true, description: 'Does it' } }), 'tools.a_tool'],
    ['field-undescribed', withField('city', { type: 'string' }), 'tools.sample_tool.input.city'],
    ['name-generic', serverWith({ run: described }), 'tools.run'],
    ['name-long', serverWith({ ['x'.repeat(65)]: described }), `tools.${'x'.repeat(65)}`],
    ['name-dots', serverWith({ 'a.tool': described }), 'tools.a.tool'],
    ['name-near-duplicate', serverWith({ get_user: described, getUser: described }), 'tools.getUser'],
    ['name-near-duplicate', serverWith({ list_order: described, list_orders: described }), 'tools.list_orders'],
    ['schema-root-union', withField('a', text, { oneOf: [{ required: ['a'] }] }), 'tools.sample_tool.input'],
    ['schema-open', withField('a', text, { additionalProperties: true }), 'tools.sample_tool.input'],
    ['schema-ref', withField('a', { $ref: '#/$defs/t' }, { $defs: { t: text } }), 'tools.sample_tool.input.a'],
    [
      'schema-tuple',
      withField('a', { type: 'array', description: 'x', prefixItems: [text] }),
      'tools.sample_tool.input.a',
    ],
    ['schema-lookaround', withField('a', { ...text, pattern: '^(?!x)' }), 'tools.sample_tool.input.a'],
    ['schema-untyped', withField('a', { description: 'Anything' }), 'tools.sample_tool.input.a'],
    ['header-sensitive', withField('auth', { ...text, 'x-mcp-header': 'api-key' }), 'tools.sample_tool.input.auth'],
    ['argument-sensitive', withField('userPassword', text), 'tools.sample_tool.input.userPassword'],
    ['annotations-missing', serverWith({ delete_user: { description: described.description } }), 'tools.delete_user'],
    ['annotations-contradict', serverWith({ delete_user: described }), 'tools.delete_user'],
  ] as const
  test.each(cases)('%s (sec-28)', (rule, server, where) => {
    const found = lintServer(server).find((finding) => finding.rule === rule)
    expect(found).toMatchObject({ where })
    expect(found?.fix.length).toBeGreaterThan(5)
    expect(lintServer(server, { ignore: [rule] }).some((finding) => finding.rule === rule)).toBe(false)
  })

  test('resources and prompts that are not described', () => {
    const server = createServer({
      name: 's',
      version: '1',
      resources: { notes: resource({ uri: 'notes://all' }, () => '') },
      prompts: { plan: prompt({ arguments: [{ name: 'goal' }] }, () => '') },
    })
    expect(lintServer(server).map(({ where }) => where)).toEqual([
      'resources.notes',
      'prompts.plan',
      'prompts.plan.goal',
    ])
  })
})

test('the worst comes first', () => {
  const severities = lintServer(serverWith({ run: {} })).map(({ severity }) => severity)
  expect(severities).toEqual(['error', 'warning', 'info'])
})

describe('forms (sec-101)', () => {
  test.each(['password', 'apiKey', 'card_number', 'cvv', 'access-token', 'PIN', 'clientSecret', 'ssn'])(
    'must not ask for %s',
    (name) => {
      expect(lintForm({ type: 'object', properties: { [name]: { type: 'string' } } })).toMatchObject([
        { rule: 'form-sensitive' },
      ])
    },
  )

  test.each(['name', 'keyboard', 'spinning', 'tokens_used', 'monkey', 'secretary', 'city'])(
    'may ask for %s',
    (name) => {
      expect(isSensitive(name)).toBe(false)
    },
  )
})
