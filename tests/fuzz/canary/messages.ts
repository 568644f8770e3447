/**
 * Everything that a server can say, with a canary in every text. The types are the protocol's own with no member left
 * out, so that a field that is added there does not compile here until it has its canary.
 */

import type {
  CallToolResult,
  CompleteResult,
  ContentBlock,
  CreateMessageParams,
  ElicitFormParams,
  ElicitUrlParams,
  GetPromptResult,
  Implementation,
  LogMessage,
  Progress,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from '@portico/sdk/client'

/** All members, at every depth. What may have any member (`_meta`, schemas) is filled by hand. */
export type Every<T> = T extends string | number | boolean
  ? T
  : T extends readonly (infer One)[]
    ? Every<One>[]
    : unknown extends T
      ? T
      : string extends keyof T
        ? T
        : { [K in keyof T]-?: Every<T[K]> }

/** What no person and no model may be given as it is; in JSON, controls are spelled. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
export const RAW = /\u001b|\u0007|\u009b|\u202e|\u2066|\u200b|\u{e0041}/u
export const RAW_IN_JSON = new RegExp(`${RAW.source}|\\\\u001b|\\\\u0007|\\\\u009b`, 'u')

let planted = 0

/** A text with everything that hides, and a marker that tells where it was planted. */
export function canary(field: string): string {
  planted++
  return `${markerOf(field, planted)} \u001b]0;owned\u0007\u001b[2J\u009b1m\u202e\u2066\u200b\u{e0041} end`
}

function markerOf(field: string, at: number): string {
  return `CANARY-${1_000_000 + at}-${field.replace(/\W/g, '')}`
}

/** The markers that stand in a text. */
export function markersIn(text: string): Set<string> {
  return new Set(text.match(/CANARY-\d{7}-\w+/g) ?? [])
}

const meta = (field: string) => ({ [canary(`${field} meta name`)]: canary(`${field} meta`) })
const annotations = (field: string) => ({
  audience: ['user' as const],
  priority: 1,
  lastModified: canary(`${field} lastModified`),
})
const icons = (field: string) => [
  {
    src: canary(`${field} icon`),
    mimeType: canary(`${field} icon type`),
    sizes: [canary(`${field} size`)],
    theme: 'dark' as const,
  },
]
const extras = (field: string) => ({ annotations: annotations(field), _meta: meta(field) })
const schema = (field: string) => ({
  type: 'object',
  title: canary(`${field} schema title`),
  properties: { text: { type: 'string', description: canary(`${field} property`), enum: [canary(`${field} enum`)] } },
})

const BLOCKS: { readonly [Type in ContentBlock['type']]: Every<Extract<ContentBlock, { type: Type }>>[] } = {
  text: [{ type: 'text', text: canary('text'), ...extras('text') }],
  image: [{ type: 'image', data: 'aGVsbG8=', mimeType: 'image/png', ...extras('image') }],
  audio: [{ type: 'audio', data: 'aGVsbG8=', mimeType: canary('audio type'), ...extras('audio') }],
  resource_link: [
    {
      type: 'resource_link',
      uri: canary('link uri'),
      name: canary('link name'),
      title: canary('link title'),
      description: canary('link description'),
      mimeType: canary('link type'),
      size: 1,
      icons: icons('link'),
      ...extras('link'),
    },
  ],
  resource: [
    {
      type: 'resource',
      resource: {
        uri: canary('embedded uri'),
        mimeType: canary('embedded type'),
        text: canary('embedded'),
        _meta: meta('e'),
      },
      ...extras('embedded'),
    },
    {
      type: 'resource',
      resource: { uri: canary('blob uri'), mimeType: canary('blob type'), blob: 'aGVsbG8=', _meta: meta('b') },
      ...extras('blob'),
    },
  ],
}
const blocks = (): ContentBlock[] => Object.values(BLOCKS).flat()

export const RESULT: Every<CallToolResult> = {
  content: Object.values(BLOCKS).flat(),
  structuredContent: { [canary('structured name')]: [canary('structured')] },
  isError: false,
  _meta: meta('result'),
}
export const READ: Every<ReadResourceResult> = {
  contents: [
    {
      uri: canary('contents uri'),
      mimeType: canary('contents type'),
      text: canary('contents'),
      _meta: meta('contents'),
    },
    { uri: canary('bytes uri'), mimeType: canary('bytes type'), blob: 'aGVsbG8=', _meta: meta('bytes') },
  ],
  _meta: meta('read'),
}
export const PROMPT: Omit<Every<GetPromptResult>, 'messages'> & Pick<GetPromptResult, 'messages'> = {
  description: canary('prompt description'),
  messages: blocks().map((content) => ({ role: 'user', content })),
  _meta: meta('prompt'),
}
export const COMPLETION: Every<CompleteResult> = {
  completion: { values: [canary('completion')], total: 1, hasMore: false },
  _meta: meta('completion'),
}
export const FAILURE = {
  code: -32000,
  message: canary('error'),
  data: { [canary('error name')]: canary('error data') },
}
export const PROGRESS: Every<Progress> = { progress: 1, total: 2, message: canary('progress') }
export const LOG: Every<LogMessage> = { level: 'error', logger: canary('logger'), data: { text: canary('log') } }
export const INFO: Every<Implementation> = {
  name: canary('info name'),
  version: canary('info version'),
  title: canary('info title'),
  description: canary('info description'),
  websiteUrl: canary('info website'),
  icons: icons('info'),
}
export const INSTRUCTIONS = canary('instructions')

export const tool = (name: string, field = 'tool'): Every<Tool> => ({
  name,
  title: canary(`${field} title`),
  description: canary(`${field} description`),
  icons: icons(field),
  inputSchema: schema(field),
  outputSchema: { type: 'object', description: canary(`${field} output`) },
  annotations: {
    title: canary(`${field} annotation`),
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  execution: { taskSupport: 'optional' },
  _meta: meta(field),
})
export const resource = (uri: string): Every<Resource> => ({
  uri,
  name: canary('resource name'),
  title: canary('resource title'),
  description: canary('resource description'),
  mimeType: canary('resource type'),
  size: 1,
  icons: icons('resource'),
  ...extras('resource'),
})
export const template = (uriTemplate: string): Every<ResourceTemplate> => ({
  uriTemplate,
  name: canary('template name'),
  title: canary('template title'),
  description: canary('template description'),
  mimeType: canary('template type'),
  icons: icons('template'),
  ...extras('template'),
})
export const prompt = (name: string): Every<Prompt> => ({
  name,
  title: canary('prompt title'),
  description: canary('prompt words'),
  icons: icons('prompt'),
  arguments: [{ name: 'who', title: canary('argument title'), description: canary('argument words'), required: false }],
  _meta: meta('prompt item'),
})

const words = (field: string) => ({ title: canary(`${field} title`), description: canary(`${field} words`) })
const choices = (field: string) => [{ const: 'a', title: canary(`${field} choice`) }]

/**
 * Every kind of field that a form has, with members that the protocol does not name besides. Names and values, which an
 * answer repeats, hide nothing here: a form in which they do is not shown at all (`HIDING_FORMS`).
 */
const FIELDS: { readonly [kind: string]: object } = {
  text: {
    type: 'string',
    ...words('field'),
    default: canary('default'),
    // One that compiles.
    pattern: canary('pattern').replace(/[[\]]/g, '\\$&'),
    format: canary('format'),
    examples: [canary('example')],
    $comment: canary('comment'),
  },
  count: { type: 'integer', ...words('count'), default: canary('count default') },
  sure: { type: 'boolean', ...words('sure'), default: canary('sure default') },
  plain: { type: 'string', ...words('plain'), enum: ['a'], default: canary('plain default') },
  named: { type: 'string', ...words('named'), enum: ['a'], enumNames: [canary('enum name')] },
  one: { type: 'string', ...words('one'), oneOf: choices('one'), default: canary('one default') },
  many: { type: 'array', ...words('many'), items: { anyOf: choices('many') }, default: [canary('many default')] },
  several: { type: 'array', ...words('several'), items: { type: 'string', enum: ['a'] } },
}

/** The types promise less than a server may write. */
const form = (properties: object) =>
  ({
    mode: 'form',
    message: canary('form'),
    requestedSchema: { type: 'object', ...words('form'), properties, $defs: { one: words('defs') } },
    _meta: meta('form'),
  }) as unknown as ElicitFormParams

export const FORM = form(FIELDS)
export const HIDING_FORMS = [
  form({ [canary('unshown name')]: { type: 'string' } }),
  form({ a: { type: 'string', enum: [canary('unshown enum')] } }),
  form({ a: { type: 'string', oneOf: [{ const: canary('unshown const'), title: 'a' }] } }),
  form({ a: { type: 'array', items: { type: 'string', enum: [canary('unshown item')] } } }),
  form({ a: { type: 'array', items: { anyOf: [{ const: canary('unshown choice'), title: 'a' }] } } }),
]
export const URL_QUESTION: Every<ElicitUrlParams> = {
  mode: 'url',
  message: canary('url'),
  url: 'https://example.com/',
  elicitationId: 'one',
}
export const SAMPLING: Omit<Every<CreateMessageParams>, 'messages'> & Pick<CreateMessageParams, 'messages'> = {
  messages: [{ role: 'user', content: { type: 'text', text: canary('sampled') } }],
  maxTokens: 10,
  modelPreferences: { hints: [{ name: canary('hint') }], costPriority: 0, speedPriority: 0, intelligencePriority: 0 },
  systemPrompt: canary('system'),
  includeContext: 'none',
  temperature: 0,
  stopSequences: [canary('stop')],
  metadata: { note: canary('metadata') },
  tools: [tool('sampled_tool', 'sampled tool')],
  toolChoice: { mode: 'auto' },
}
