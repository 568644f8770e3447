import { describe, expect, it } from 'vitest'
import type { Revision } from '../revision.ts'
import { REVISIONS } from '../revisions.ts'

const common = { title: 'T', icons: [{ src: 'data:,' }], _meta: { x: 1 }, description: 'd' }
const annotations = { priority: 1, lastModified: '2026-01-01' }

/** For each thing, the members that appear with each revision on top of those it has from the start. */
const ROWS: [string, (revision: Revision) => object, string[], { [version: string]: string[] }][] = [
  [
    'implementation',
    (r) =>
      r.writeImplementation({
        name: 'a',
        version: '1',
        websiteUrl: 'https://a.example',
        title: 'T',
        icons: [],
        description: 'd',
      }),
    ['name', 'version'],
    { '2025-06-18': ['title'], '2025-11-25': ['websiteUrl', 'icons', 'description'] },
  ],
  [
    'tool',
    (r) =>
      r.writeTool({
        name: 't',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
        ...common,
        ...{ execution: { taskSupport: 'optional' } },
      }),
    ['name', 'inputSchema', 'description'],
    { '2025-03-26': ['annotations'], '2025-06-18': ['outputSchema', 'title', '_meta'], '2025-11-25': ['icons'] },
  ],
  [
    'resource',
    (r) => r.writeResource({ uri: 'a:b', name: 'b', mimeType: 'text/plain', size: 1, annotations, ...common }),
    ['uri', 'name', 'mimeType', 'size', 'annotations', 'description'],
    { '2025-06-18': ['title', '_meta'], '2025-11-25': ['icons'] },
  ],
  [
    'resource template',
    (r) => r.writeResourceTemplate({ uriTemplate: 'a:{b}', name: 'b', mimeType: 'text/plain', annotations, ...common }),
    ['uriTemplate', 'name', 'mimeType', 'annotations', 'description'],
    { '2025-06-18': ['title', '_meta'], '2025-11-25': ['icons'] },
  ],
  [
    'prompt',
    (r) => r.writePrompt({ name: 'p', arguments: [], ...common }),
    ['name', 'arguments', 'description'],
    { '2025-06-18': ['title', '_meta'], '2025-11-25': ['icons'] },
  ],
]

describe.each(ROWS)('%s', (_, write, always, added) => {
  it.each([...REVISIONS.values()])('on $version has what that revision names', (revision) => {
    const later = Object.entries(added).flatMap(([version, names]) => (version <= revision.version ? names : []))
    expect(Object.keys(write(revision)).sort()).toEqual([...always, ...later].sort())
  })
})

describe.each([...REVISIONS.values()])('on $version', (revision) => {
  const titled = revision.version >= '2025-06-18'

  it('annotations carry lastModified only if it is known', () => {
    const written = revision.writeResource({ uri: 'a:b', name: 'b', annotations })
    expect(written.annotations).toEqual(titled ? annotations : { priority: 1 })
  })

  it('arguments of prompts carry titles only if they are known', () => {
    const written = revision.writePrompt({ name: 'p', arguments: [{ name: 'a', title: 'A', required: true }] })
    const argument = { name: 'a', required: true }
    expect(written.arguments).toEqual([titled ? { ...argument, title: 'A' } : argument])
  })

  it('an input schema passes as it is', () => {
    const inputSchema = { type: 'object', $defs: { a: { title: 'A', _meta: 1, icons: 1 } }, title: 'x' }
    expect(revision.writeTool({ name: 't', title: 'T', inputSchema }).inputSchema).toBe(inputSchema)
  })
})
