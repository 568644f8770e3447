import { describe, expect, it } from 'vitest'
import type { ClientCapabilities } from '../capabilities.ts'
import { REVISIONS } from '../revisions.ts'
import { writeClientCapabilities } from './client-messages.ts'

const revisions = [...REVISIONS.values()]
const client = (capabilities: ClientCapabilities) => revisions.map((r) => writeClientCapabilities(r, capabilities))

describe('capabilities of servers', () => {
  it('lose what a revision does not negotiate', () => {
    const capabilities = { logging: {}, completions: {}, tools: { listChanged: true }, extensions: { 'a/b': {} } }
    const { extensions: _, ...legacy } = capabilities
    const { completions: __, ...first } = legacy
    expect(revisions.map((r) => r.writeServerCapabilities(capabilities))).toEqual([
      first,
      legacy,
      legacy,
      legacy,
      capabilities,
    ])
  })
})

describe('capabilities of clients', () => {
  const elicitation = { form: {}, url: {} }
  it.each<[string, ClientCapabilities, object[]]>([
    ['elicitation', { elicitation }, [{}, {}, { elicitation: {} }, { elicitation }, { elicitation }]],
    [
      'elicitation by form, unspoken',
      { elicitation: {} },
      [{}, {}, { elicitation: {} }, { elicitation: {} }, { elicitation: {} }],
    ],
    [
      'elicitation by URL alone, which `{}` would misstate',
      { elicitation: { url: {} } },
      [{}, {}, {}, { elicitation: { url: {} } }, { elicitation: { url: {} } }],
    ],
    [
      'sampling',
      { sampling: { tools: {}, context: {} } },
      [
        { sampling: {} },
        { sampling: {} },
        { sampling: {} },
        { sampling: { tools: {}, context: {} } },
        { sampling: { tools: {}, context: {} } },
      ],
    ],
    [
      'roots',
      { roots: { listChanged: true } },
      [
        { roots: { listChanged: true } },
        { roots: { listChanged: true } },
        { roots: { listChanged: true } },
        { roots: { listChanged: true } },
        { roots: {} },
      ],
    ],
    ['extensions', { extensions: { 'a/b': {} } }, [{}, {}, {}, {}, { extensions: { 'a/b': {} } }]],
    ['experiments', { experimental: { x: {} } }, revisions.map(() => ({ experimental: { x: {} } }))],
  ])('%s', (_, capabilities, expected) => expect(client(capabilities)).toEqual(expected))
})
