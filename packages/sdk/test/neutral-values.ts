/** One of everything in the neutral model, with every field set: what the writers of each revision are tested with. */

import type { ClientCapabilities, ServerCapabilities } from '../src/protocol/capabilities.ts'
import type { CompleteParams, CompleteResult } from '../src/protocol/completion.ts'
import type { Annotations, ContentBlock, Icon, Implementation } from '../src/protocol/content.ts'
import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from '../src/protocol/elicitation.ts'
import type { GetPromptResult, Prompt } from '../src/protocol/prompts.ts'
import type { ReadResourceResult, Resource, ResourceTemplate } from '../src/protocol/resources.ts'
import type { ListRootsResult } from '../src/protocol/roots.ts'
import type { CreateMessageParams, CreateMessageResult } from '../src/protocol/sampling.ts'
import type { CallToolResult, Tool } from '../src/protocol/tools.ts'

const _meta = { 'example.org/note': 1 }
const annotations: Annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' }
const icons: Icon[] = [{ src: 'https://example.org/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }]

export const blocks: ContentBlock[] = [
  { type: 'text', text: 'hello', annotations, _meta },
  { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png', annotations, _meta },
  { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav', annotations, _meta },
  {
    type: 'resource_link',
    uri: 'file:///a.txt',
    name: 'a',
    title: 'A',
    description: 'the letter',
    mimeType: 'text/plain',
    size: 3,
    icons,
    annotations,
    _meta,
  },
  { type: 'resource', resource: { uri: 'file:///b', mimeType: 'text/plain', text: 'b', _meta }, annotations, _meta },
  { type: 'resource', resource: { uri: 'file:///c', blob: 'aGVsbG8=', _meta } },
]

export const implementation: Implementation = {
  name: 'demo',
  version: '1.0.0',
  title: 'Demo',
  description: 'for tests',
  websiteUrl: 'https://example.org',
  icons,
}

export const tool: Tool = {
  name: 'measure',
  title: 'Measure',
  description: 'measures',
  icons,
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  outputSchema: { type: 'array', items: { $ref: '#/$defs/reading' }, $defs: { reading: { type: 'number' } } },
  annotations: {
    title: 'Measure',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: true,
  },
  _meta,
}

export const resource: Resource = {
  uri: 'file:///a.txt',
  name: 'a',
  title: 'A',
  description: 'the letter',
  mimeType: 'text/plain',
  size: 3,
  icons,
  annotations,
  _meta,
}

export const template: ResourceTemplate = {
  uriTemplate: 'file:///{name}.txt',
  name: 'letters',
  title: 'Letters',
  description: 'all of them',
  mimeType: 'text/plain',
  icons,
  annotations,
  _meta,
}

export const prompt: Prompt = {
  name: 'greet',
  title: 'Greet',
  description: 'greets',
  icons,
  arguments: [{ name: 'who', title: 'Who', description: 'whom', required: true }, { name: 'how' }],
  _meta,
}

export const callToolResult: CallToolResult = { content: blocks, structuredContent: [1, 2], isError: false, _meta }

export const readResourceResult: ReadResourceResult = {
  contents: [
    { uri: 'file:///b', mimeType: 'text/plain', text: 'b', _meta },
    { uri: 'file:///c', blob: 'aGVsbG8=', _meta },
  ],
  _meta,
}

export const getPromptResult: GetPromptResult = {
  description: 'a greeting',
  messages: blocks.map((content) => ({ role: 'user', content })),
  _meta,
}

export const completeResult: CompleteResult = { completion: { values: ['a', 'b'], total: 2, hasMore: false }, _meta }

export const completeParams: CompleteParams = {
  ref: { type: 'ref/prompt', name: 'greet', title: 'Greet' },
  argument: { name: 'who', value: 'A' },
  context: { arguments: { how: 'kindly' } },
}

export const serverCapabilities: ServerCapabilities = {
  experimental: { 'example.org/x': { y: 1 } },
  logging: {},
  completions: {},
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  tools: { listChanged: true },
  extensions: { 'example.org/ext': {} },
}

export const clientCapabilities: ClientCapabilities = {
  experimental: { 'example.org/x': { y: 1 } },
  roots: { listChanged: true },
  sampling: { context: {}, tools: {} },
  elicitation: { form: {}, url: {} },
  extensions: { 'example.org/ext': {} },
}

export const elicitForm: ElicitFormParams = {
  mode: 'form',
  message: 'Who are you?',
  requestedSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', description: 'yours', minLength: 1, maxLength: 9, default: 'Ann' },
      mail: { type: 'string', format: 'email' },
      age: { type: 'integer', title: 'Age', minimum: 0, maximum: 200, default: 30 },
      sure: { type: 'boolean', title: 'Sure', default: true },
      size: { type: 'string', enum: ['s', 'm'], default: 'm' },
      shade: { type: 'string', enum: ['l', 'd'], enumNames: ['Light', 'Dark'], default: 'l' },
      colour: {
        type: 'string',
        title: 'Colour',
        oneOf: [
          { const: 'r', title: 'Red' },
          { const: 'g', title: 'Green' },
        ],
        default: 'g',
      },
      pets: {
        type: 'array',
        title: 'Pets',
        description: 'that you keep',
        minItems: 1,
        maxItems: 2,
        items: { type: 'string', enum: ['cat', 'dog'] },
        default: ['cat'],
      },
      tastes: {
        type: 'array',
        items: {
          anyOf: [
            { const: 'sw', title: 'Sweet' },
            { const: 'so', title: 'Sour, but not much' },
          ],
        },
      },
    },
    required: ['name', 'pets'],
  },
}

export const elicitUrl: ElicitUrlParams = { mode: 'url', message: 'Sign in', url: 'https://example.org/in' }

export const elicitResult: ElicitResult = {
  action: 'accept',
  content: { name: 'Bo', age: 3, sure: true, pets: ['cat', 'dog'] },
}

export const createMessageParams: CreateMessageParams = {
  messages: [
    { role: 'user', content: { type: 'text', text: 'one', annotations, _meta }, _meta },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'two' },
        { type: 'text', text: 'three' },
        { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
        { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav', _meta },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'measure', input: { city: 'Rome' }, _meta }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', toolUseId: 't1', content: blocks, structuredContent: [1], isError: false, _meta },
      ],
    },
  ],
  maxTokens: 100,
  modelPreferences: { hints: [{ name: 'small' }], costPriority: 1, speedPriority: 0, intelligencePriority: 0.5 },
  systemPrompt: 'be brief',
  includeContext: 'none',
  temperature: 0.1,
  stopSequences: ['.'],
  metadata: { x: 1 },
  tools: [tool],
  toolChoice: { mode: 'auto' },
}

export const createMessageResult: CreateMessageResult = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'here', _meta },
    { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' },
  ],
  model: 'small-1',
  stopReason: 'endTurn',
  _meta,
}

export const listRootsResult: ListRootsResult = { roots: [{ uri: 'file:///a', name: 'a', _meta }] }
