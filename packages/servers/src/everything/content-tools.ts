/** Tools that answer with each kind of content there is, and in each way a tool can fail. */

import { result, ToolError, text, tool } from '@portico/sdk/server'
import { PICTURE, tone } from './samples.ts'

const NOTHING = { type: 'object', properties: {} } as const
const quiet = { readOnly: true, idempotent: true, openWorld: false } as const

export const contentTools = {
  echo: tool(
    {
      title: 'Echo',
      description: 'Says its argument again.',
      input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
      ...quiet,
    },
    ({ message }) => `Echo: ${message}`,
  ),
  add: tool(
    {
      description: 'Adds two numbers; the answer is structured.',
      input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
      output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
      ...quiet,
    },
    ({ a, b }) => {
      if (!Number.isFinite(a + b)) throw new ToolError('The sum is too large to be told as a number')
      return { sum: a + b }
    },
  ),
  table: tool(
    {
      description: 'Rows of a table, as structured content that is an array on the newest revision.',
      input: { type: 'object', properties: { rows: { type: 'integer', minimum: 0, maximum: 10_000, default: 3 } } },
      output: {
        type: 'array',
        items: {
          type: 'object',
          properties: { id: { type: 'integer' }, name: { type: 'string' }, even: { type: 'boolean' } },
          required: ['id', 'name', 'even'],
        },
      },
      ...quiet,
    },
    ({ rows = 3 }) => Array.from({ length: rows }, (_, id) => ({ id, name: `Row ${id}`, even: id % 2 === 0 })),
  ),
  content_types: tool(
    {
      description: 'One block of every type: text, image, audio, a link, embedded text and embedded bytes.',
      input: NOTHING,
      ...quiet,
    },
    () => [
      { ...text('Plain text with *Markdown*.'), annotations: { audience: ['user'], priority: 0.8 } },
      { type: 'image', data: PICTURE, mimeType: 'image/png' },
      { type: 'audio', data: tone(), mimeType: 'audio/wav' },
      {
        type: 'resource_link',
        uri: 'everything://text/1',
        name: 'text-1',
        mimeType: 'text/plain',
        description: 'A link',
      },
      { type: 'resource', resource: { uri: 'everything://text/2', mimeType: 'text/plain', text: 'Embedded text' } },
      {
        type: 'resource',
        resource: { uri: 'everything://bytes/3', mimeType: 'application/octet-stream', blob: 'AAEC' },
      },
    ],
  ),
  meta: tool({ description: 'A result with `_meta` of its own.', input: NOTHING, ...quiet }, () =>
    result({ content: [text('See _meta.')], _meta: { 'example.com/answer': 42 } }),
  ),
  large: tool(
    {
      description: 'A text of the length asked for.',
      input: {
        type: 'object',
        properties: { kilobytes: { type: 'integer', minimum: 1, maximum: 4_096 } },
        required: ['kilobytes'],
      },
      ...quiet,
    },
    ({ kilobytes }) => 'lorem ipsum dolor\n'.repeat(Math.ceil((kilobytes * 1_024) / 18)).slice(0, kilobytes * 1_024),
  ),
  fail: tool(
    {
      description:
        'Fails in the way asked for: with words for the model, with an exception, or with a result of the wrong shape.',
      input: {
        type: 'object',
        properties: { how: { type: 'string', enum: ['told', 'thrown', 'wrong-shape'] } },
        required: ['how'],
      },
      output: { type: 'object', properties: { fine: { type: 'boolean' } }, required: ['fine'] },
      readOnly: true,
    },
    ({ how }) => {
      if (how === 'told') throw new ToolError('This tool fails on purpose. Try another.')
      if (how === 'thrown') throw new Error('Something broke inside')
      // The point of this branch is a value that its own schema refuses.
      return { broken: true } as never
    },
  ),
  unicode: tool(
    {
      title: 'Naïve · 名前 · 🦉',
      description: 'Text beyond ASCII in its title, its argument and its answer: ñ, 名, 🦉.',
      input: { type: 'object', properties: { 名前: { type: 'string' } } },
      ...quiet,
    },
    (args) => `Ünïcødé: ${args.名前 ?? '🦉'}`,
  ),
} as const
