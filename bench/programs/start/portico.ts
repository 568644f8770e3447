/** The smallest Portico server on stdio, its input in JSON Schema. */

import { createServer, tool } from '@portico/sdk/server'
import { serveStdio } from '@portico/sdk/stdio'
import { cost } from './cost.ts'

const NUMBERS = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
} as const

serveStdio(createServer({ name: 'start', version: '1.0.0', tools: { cost: tool({ input: NUMBERS }, () => cost()) } }))
