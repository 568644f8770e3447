/** Everything each revision writes, judged by that revision's official schema. */

import { describe, expect, it } from 'vitest'
import { classify, type JsonObject } from '../src/jsonrpc/message.ts'
import { readEnvelope } from '../src/protocol/meta.ts'
import type { ProtocolVersion, Revision } from '../src/protocol/revision.ts'
import {
  writeClientCapabilities,
  writeCompleteParams,
  writeCreateMessageResult,
  writeElicitResult,
  writeListRootsResult,
} from '../src/protocol/revisions/client-messages.ts'
import { writeCreateMessageParams, writeElicitParams } from '../src/protocol/revisions/questions.ts'
import { LATEST, REVISIONS } from '../src/protocol/revisions.ts'
import { readFilter } from '../src/protocol/subscriptions.ts'
import * as neutral from './neutral-values.ts'
import { hasDefinition, methodsOf, officialExamples, unknownMembers, validateAgainst } from './schema-oracle.ts'

interface Row {
  readonly name: string
  readonly definition: (version: ProtocolVersion) => string
  readonly write: (revision: Revision) => JsonObject
  readonly from?: ProtocolVersion
  /** What the session layer adds to modern results. */
  readonly modern?: JsonObject
}

/** Writers must not change what they are given: a frozen value throws if one tries. */
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const member of Object.values(value)) freeze(member)
}

freeze({ ...neutral })

const complete = { resultType: 'complete' }
const cached = { ...complete, ttlMs: 0, cacheScope: 'private' }

/** Earlier revisions define the parameters of a request inside the request. */
const paramsOf = (request: string, params: string) => (version: ProtocolVersion) =>
  hasDefinition(version, params) ? params : `${request}/properties/params`

const ROWS: Row[] = [
  {
    name: 'implementation',
    definition: () => 'Implementation',
    write: (r) => r.writeImplementation(neutral.implementation),
  },
  {
    name: 'server capabilities',
    definition: () => 'ServerCapabilities',
    write: (r) => r.writeServerCapabilities(neutral.serverCapabilities),
  },
  {
    name: 'client capabilities',
    definition: () => 'ClientCapabilities',
    write: (r) => writeClientCapabilities(r, neutral.clientCapabilities),
  },
  { name: 'tool', definition: () => 'Tool', write: (r) => r.writeTool(neutral.tool) },
  { name: 'resource', definition: () => 'Resource', write: (r) => r.writeResource(neutral.resource) },
  {
    name: 'resource template',
    definition: () => 'ResourceTemplate',
    write: (r) => r.writeResourceTemplate(neutral.template),
  },
  { name: 'prompt', definition: () => 'Prompt', write: (r) => r.writePrompt(neutral.prompt) },
  {
    name: 'tool result',
    definition: () => 'CallToolResult',
    write: (r) => r.writeCallToolResult(neutral.callToolResult),
    modern: complete,
  },
  {
    name: 'read result',
    definition: () => 'ReadResourceResult',
    write: (r) => r.writeReadResourceResult(neutral.readResourceResult),
    modern: cached,
  },
  {
    name: 'prompt result',
    definition: () => 'GetPromptResult',
    write: (r) => r.writeGetPromptResult(neutral.getPromptResult),
    modern: complete,
  },
  {
    name: 'completion',
    definition: () => 'CompleteResult',
    write: (r) => r.writeCompleteResult(neutral.completeResult),
    modern: complete,
  },
  {
    name: 'completion params',
    definition: paramsOf('CompleteRequest', 'CompleteRequestParams'),
    write: (r) => writeCompleteParams(r, neutral.completeParams),
    modern: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
  {
    name: 'form',
    from: '2025-06-18',
    definition: paramsOf('ElicitRequest', 'ElicitRequestFormParams'),
    write: (r) => writeElicitParams(r, neutral.elicitForm),
  },
  {
    name: 'url question',
    from: '2025-11-25',
    definition: () => 'ElicitRequestURLParams',
    write: (r) => writeElicitParams(r, neutral.elicitUrl),
  },
  {
    name: 'answer',
    from: '2025-06-18',
    definition: () => 'ElicitResult',
    write: (r) => writeElicitResult(r, neutral.elicitResult),
  },
  {
    name: 'sampling params',
    definition: paramsOf('CreateMessageRequest', 'CreateMessageRequestParams'),
    write: (r) => writeCreateMessageParams(r, neutral.createMessageParams),
  },
  {
    name: 'sampling result',
    definition: () => 'CreateMessageResult',
    write: (r) => writeCreateMessageResult(r, neutral.createMessageResult),
  },
  {
    name: 'roots',
    definition: () => 'ListRootsResult',
    write: (r) => writeListRootsResult(r, neutral.listRootsResult),
  },
]

const revisions = [...REVISIONS.values()]

describe('the official schema of each revision', () => {
  const cases = revisions.flatMap((revision) =>
    ROWS.filter((row) => row.from === undefined || revision.version >= row.from).map((row) => ({
      label: `${revision.version} ${row.name}`,
      revision,
      row,
    })),
  )

  it.each(cases)('accepts and names every member of: $label', ({ revision, row }) => {
    const written = { ...row.write(revision), ...(revision.era === 'modern' ? row.modern : {}) }
    const definition = row.definition(revision.version)
    expect(validateAgainst(revision.version, definition, written)).toEqual([])
    expect(unknownMembers(revision.version, definition, written)).toEqual([])
  })

  it.each(revisions)('names the methods that $version has, but for tasks', (revision) => {
    const { version } = revision
    const withoutTasks = (union: string) =>
      new Set(methodsOf(version, union).filter((method) => !method.includes('tasks/')))
    expect(revision.clientRequests).toEqual(withoutTasks('ClientRequest'))
    expect(revision.clientNotifications).toEqual(withoutTasks('ClientNotification'))
    expect(revision.serverRequests).toEqual(withoutTasks(revision.era === 'modern' ? 'InputRequest' : 'ServerRequest'))
    expect(revision.serverNotifications).toEqual(withoutTasks('ServerNotification'))
  })

  it('finds fault with what is wrong or too new, or this file proves nothing', () => {
    expect(validateAgainst('2024-11-05', 'Tool', { name: 'x' })).not.toEqual([])
    expect(unknownMembers('2024-11-05', 'Tool', neutral.tool)).toContain('/title')
    expect(unknownMembers('2025-03-26', 'CallToolResult', { content: [neutral.blocks[0]] })).toContain(
      '/content/0/_meta',
    )
  })
})

describe('the official examples', () => {
  const examples = officialExamples()
  const messages = examples.filter(({ value }) => value.jsonrpc === '2.0')

  it.each(messages)('$definition/$file is classified', ({ definition, value }) => {
    const kind = definition.endsWith('Notification')
      ? 'notification'
      : definition.endsWith('Request')
        ? 'request'
        : 'response'
    expect(classify(value).kind).toBe(kind)
  })

  it.each(messages.filter(({ definition }) => definition.endsWith('Request')))(
    '$definition/$file carries an envelope that is read, and a method that is known',
    ({ value }) => {
      const params = value.params as JsonObject
      expect(readEnvelope(params).version).toBe('2026-07-28')
      expect(LATEST.clientRequests.has(value.method as string)).toBe(true)
      if (params.notifications !== undefined) expect(readFilter(params.notifications)).toEqual(params.notifications)
    },
  )

  const writers: { [definition: string]: (revision: Revision, value: never) => JsonObject } = {
    Tool: (r, value) => r.writeTool(value),
    Resource: (r, value) => r.writeResource(value),
    CallToolResult: (r, value) => r.writeCallToolResult(value),
    ReadResourceResult: (r, value) => r.writeReadResourceResult(value),
    GetPromptResult: (r, value) => r.writeGetPromptResult(value),
    CompleteResult: (r, value) => r.writeCompleteResult(value),
    ServerCapabilities: (r, value) => r.writeServerCapabilities(value),
    ClientCapabilities: (r, value) => writeClientCapabilities(r, value),
    CreateMessageResult: (r, value) => writeCreateMessageResult(r, value),
    ListRootsResult: (r, value) => writeListRootsResult(r, value),
    CreateMessageRequestParams: (r, value) => writeCreateMessageParams(r, value),
    ElicitRequestFormParams: (r, value) => writeElicitParams(r, value),
    ElicitResult: (r, value) => writeElicitResult(r, value),
  }
  /** Where older revisions keep what now has a name of its own. */
  const places: { [definition: string]: (version: ProtocolVersion) => string } = {
    CreateMessageRequestParams: paramsOf('CreateMessageRequest', 'CreateMessageRequestParams'),
    ElicitRequestFormParams: paramsOf('ElicitRequest', 'ElicitRequestFormParams'),
  }
  const written = examples.filter(({ definition }) => writers[definition] !== undefined)

  it.each(written)('$definition/$file goes out unchanged on 2026-07-28 and valid on the others', (example) => {
    const write = writers[example.definition]!
    // The examples are values of the definition whose writer is called.
    expect(write(LATEST, example.value as never)).toBe(example.value)
    const { resultType: _, ttlMs: __, cacheScope: ___, ...neutralValue } = example.value
    for (const revision of revisions.filter(({ era }) => era === 'legacy')) {
      const definition = places[example.definition]?.(revision.version) ?? example.definition
      if (!hasDefinition(revision.version, definition)) continue
      const older = write(revision, neutralValue as never)
      expect(validateAgainst(revision.version, definition, older), revision.version).toEqual([])
      expect(unknownMembers(revision.version, definition, older), revision.version).toEqual([])
    }
  })
})
