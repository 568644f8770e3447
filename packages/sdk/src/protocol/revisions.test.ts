import { describe, expect, it } from 'vitest'
import type { ProtocolVersion, Revision, RevisionTraits } from './revision.ts'
import {
  writeClientCapabilities,
  writeCompleteParams,
  writeCreateMessageResult,
  writeListRootsResult,
} from './revisions/client-messages.ts'
import { writeCreateMessageParams } from './revisions/questions.ts'
import { LATEST, LATEST_LEGACY, negotiateLegacy, REVISIONS, revisionOf } from './revisions.ts'

const revisions = [...REVISIONS.values()]
const [, , , , modern] = revisions

describe('the revisions', () => {
  it('are five, oldest first, found by name', () => {
    expect([...REVISIONS.keys()]).toEqual(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
    expect(revisionOf('2026-07-28')).toBe(LATEST)
    expect(revisionOf('2025-11-25')).toBe(LATEST_LEGACY)
    for (const name of ['2025-01-01', '', '__proto__']) expect(revisionOf(name)).toBeUndefined()
    expect(revisions.map(({ era }) => era)).toEqual(['legacy', 'legacy', 'legacy', 'legacy', 'modern'])
  })

  const traits: [keyof RevisionTraits, unknown[]][] = [
    ['batches', [true, true, false, false, false]],
    ['argumentErrors', ['rpc', 'rpc', 'rpc', 'result', 'result']],
    ['progressMessage', [false, true, true, true, true]],
    ['completionsCapability', [false, true, true, true, true]],
    ['completionContext', [false, false, true, true, true]],
    ['structuredContent', [false, false, true, true, true]],
    ['elicitation', [false, false, true, true, true]],
    ['urlElicitation', [false, false, false, true, true]],
    ['richForms', [false, false, false, true, true]],
    ['samplingTools', [false, false, false, true, true]],
    ['cacheHints', [false, false, false, false, true]],
  ]
  it.each(traits)('differ in %s', (trait, expected) => {
    expect(revisions.map((revision) => revision.traits[trait])).toEqual(expected)
  })
})

describe('negotiateLegacy (lifecycle, "Version Negotiation")', () => {
  const all = [...REVISIONS.keys()] as ProtocolVersion[]
  it.each([
    ['the requested one', '2025-03-26', all, '2025-03-26'],
    ['the newest when it is unknown', '1999-01-01', all, '2025-11-25'],
    ['the newest allowed when it is not allowed', '2025-11-25', ['2024-11-05', '2025-06-18'], '2025-06-18'],
    ['a legacy one when a modern one is requested', '2026-07-28', all, '2025-11-25'],
    ['the newest whatever the order', 'x', ['2025-06-18', '2024-11-05'], '2025-06-18'],
    ['none when only modern ones are allowed', '2025-06-18', ['2026-07-28'], undefined],
    ['none when nothing is allowed', '2025-06-18', [], undefined],
  ] as const)('answers %s', (_, requested, allowed, expected) => {
    expect(negotiateLegacy(requested, allowed)?.version).toBe(expected)
  })
})

describe('errors', () => {
  it.each(revisions)('$version names a missing resource', (revision) => {
    const error = revision.resourceNotFound('file:///x')
    expect(error.rpcCode).toBe(revision === modern ? -32602 : -32002)
    expect(error.data).toEqual({ uri: 'file:///x' })
  })

  it.each([
    [-32700, 400, 400],
    [-32600, 400, 400],
    [-32601, 200, 404],
    [-32602, 200, 200],
    [-32603, 200, 200],
    [-32002, 200, 200],
    [-32020, 200, 400],
    [-32021, 200, 400],
    [-32022, 200, 400],
    [1, 200, 200],
  ])('%i is carried by HTTP %i on older revisions and %i on the newest (sec-16, sec-17, sec-25)', (code, old, now) => {
    for (const revision of revisions) expect(revision.httpStatus(code)).toBe(revision === modern ? now : old)
  })
})

describe('what every revision can say', () => {
  const cases: [string, object, (revision: Revision, value: never) => object][] = [
    ['implementation', { name: 'a', version: '1' }, (r, v) => r.writeImplementation(v)],
    ['server capabilities', { tools: { listChanged: true } }, (r, v) => r.writeServerCapabilities(v)],
    ['client capabilities', { sampling: {}, roots: {} }, (r, v) => writeClientCapabilities(r, v)],
    ['tool', { name: 't', inputSchema: { type: 'object' } }, (r, v) => r.writeTool(v)],
    ['resource', { uri: 'a:b', name: 'b', annotations: { priority: 1 } }, (r, v) => r.writeResource(v)],
    ['template', { uriTemplate: 'a:{b}', name: 'b' }, (r, v) => r.writeResourceTemplate(v)],
    ['prompt', { name: 'p', arguments: [{ name: 'x' }] }, (r, v) => r.writePrompt(v)],
    ['tool result', { content: [{ type: 'text', text: 'x' }], _meta: { a: 1 } }, (r, v) => r.writeCallToolResult(v)],
    ['read result', { contents: [{ uri: 'a:b', text: 'x' }] }, (r, v) => r.writeReadResourceResult(v)],
    [
      'prompt result',
      { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] },
      (r, v) => r.writeGetPromptResult(v),
    ],
    ['completion', { completion: { values: [] } }, (r, v) => r.writeCompleteResult(v)],
    [
      'completion params',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
      (r, v) => writeCompleteParams(r, v),
    ],
    [
      'sampling params',
      { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1 },
      (r, v) => writeCreateMessageParams(r, v),
    ],
    ['roots', { roots: [{ uri: 'file:///a', name: 'a' }] }, (r, v) => writeListRootsResult(r, v)],
    [
      'sampling result',
      { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm', _meta: { a: 1 } },
      (r, v) => writeCreateMessageResult(r, v),
    ],
  ]
  it.each(cases)('%s is handed on as the same object', (_, value, write) => {
    // Each row pairs a writer with a value of its type.
    for (const revision of revisions) expect(write(revision, value as never)).toBe(value)
  })

  it('members that nobody knows pass', () => {
    const tool = { name: 't', inputSchema: { type: 'object' }, title: 'T', 'x-own': 1 }
    expect(revisionOf('2024-11-05')?.writeTool(tool)).toEqual({
      name: 't',
      inputSchema: { type: 'object' },
      'x-own': 1,
    })
  })
})

describe('completion/complete', () => {
  const params = {
    ref: { type: 'ref/prompt' as const, name: 'p', title: 'P' },
    argument: { name: 'a', value: '' },
    context: { arguments: { b: 'c' } },
  }
  it.each(revisions)('carries context and title on $version only if it knows them', (revision) => {
    const written = writeCompleteParams(revision, params)
    const knows = revision.version >= '2025-06-18'
    expect(written).toEqual(knows ? params : { ref: { type: 'ref/prompt', name: 'p' }, argument: params.argument })
  })
})
