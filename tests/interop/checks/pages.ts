/** What every client must get from a server whose lists come in pages. */

import assert from 'node:assert/strict'
import { codeOf, type ListKind } from '../client-under-test.ts'
import type { Check } from '../server-under-test.ts'

const KINDS: { [kind in ListKind]: string[] } = {
  tools: ['echo', 'touch'],
  resources: ['welcome', 'user grace'],
  resourceTemplates: ['user'],
  prompts: ['greet', 'interview'],
}

export const pageChecks: Check[] = [
  {
    name: 'all four lists are whole across pages, without repeats',
    async run({ client }) {
      for (const [kind, expected] of Object.entries(KINDS)) {
        const names = (await client.list(kind as ListKind)).map((item) => item.name)
        assert.equal(new Set(names).size, names.length, `${kind} repeat nothing`)
        for (const name of expected) assert.ok(names.includes(name), `${kind} include ${name}`)
      }
    },
  },
  {
    name: 'a cursor that the server never gave is -32602',
    async run({ client }) {
      for (const kind of Object.keys(KINDS)) {
        await assert.rejects(client.page(kind as ListKind, 'nonsense'), (error) => codeOf(error) === -32602)
      }
    },
  },
]
