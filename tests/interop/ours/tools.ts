/** Tools of the server under test that return something: every kind of content, structured output, and errors. */

import { ToolError, tool } from '@portico/sdk/server'
import { z } from 'zod'
import { allKinds } from '../vocabulary.ts'

export const contentTools = {
  echo: tool(
    {
      title: 'Echo',
      description: 'Says it again',
      input: z.object({ text: z.string() }),
      readOnly: true,
      idempotent: true,
      icons: [{ src: 'https://example.com/echo.png' }],
    },
    ({ text }) => text,
  ),
  add: tool(
    {
      description: 'Adds two numbers',
      input: z.object({ a: z.number(), b: z.number().describe('The other one') }),
      output: z.object({ sum: z.number() }),
    },
    ({ a, b }) => ({ sum: a + b }),
  ),
  report: tool(
    {
      description: 'A deep structure',
      output: z.object({
        days: z.array(z.object({ name: z.string(), degrees: z.number().nullable(), sunny: z.boolean().optional() })),
        source: z.union([z.literal('station'), z.literal('satellite')]),
      }),
    },
    () => ({
      days: [
        { name: 'Monday', degrees: 21.5, sunny: true },
        { name: 'Tuesday', degrees: null },
      ],
      source: 'station' as const,
    }),
  ),
  numbers: tool(
    { description: 'A list, not an object', input: z.object({ count: z.int() }), output: z.array(z.number()) },
    ({ count }) => Array.from({ length: count }, (_, at) => at),
  ),
  kinds: tool({ description: 'Every kind of content' }, () => allKinds()),
  refuse: tool({ description: 'Reports a failure to the model' }, () => {
    throw new ToolError('The door is closed')
  }),
  crash: tool({ description: 'Fails unexpectedly' }, () => {
    throw new Error('password=hunter2')
  }),
  broken: tool(
    {
      description: 'Breaks its own schema',
      output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
    },
    // Deliberately not what the schema says.
    () => ({ n: 'nine' }) as never,
  ),
  large: tool({ description: 'A long text', input: z.object({ length: z.int() }) }, ({ length }) => 'ä'.repeat(length)),
}
