/** Portico in memory with the same tool declared in each schema library, and that library's own validation alone. */

import { connect } from '@portico/sdk/client'
import { type AnySchema, createServer, tool } from '@portico/sdk/server'
import { type } from 'arktype'
import * as v from 'valibot'
import { z } from 'zod'
import { announceCaller } from '../control.ts'
import { ADD, add, INFO, NUMBERS } from '../work.ts'

const zod = z.object({ a: z.number(), b: z.number() })
const valibot = v.object({ a: v.number(), b: v.number() })
const arktype = type({ a: 'number', b: 'number' })
const schemas = { json: NUMBERS, zod, valibot, arktype }
const alone = {
  json: () => undefined,
  zod: () => zod['~standard'].validate({ a: 1, b: 2 }),
  valibot: () => valibot['~standard'].validate({ a: 1, b: 2 }),
  arktype: () => arktype['~standard'].validate({ a: 1, b: 2 }),
}

const name = process.argv[2] as keyof typeof schemas
if (process.argv[3] === 'alone') {
  announceCaller(async () => alone[name]())
} else {
  // Whatever the library, its values are two numbers; their types differ too much to be one union here.
  const input = (name === 'valibot' ? await withJson() : schemas[name]) as AnySchema
  const server = createServer({
    ...INFO,
    tools: {
      add: tool({ description: ADD, input }, (args) => {
        const { a, b } = args as { a: number; b: number }
        return add(a, b)
      }),
    },
  })
  const client = await connect(server, { versions: '2025-11-25' })
  announceCaller(() => client.callTool('add', { a: 1, b: 2 }))
}

/** Valibot's JSON form is in a package of its own; one written by hand does the same here. */
async function withJson(): Promise<unknown> {
  const standard = { ...valibot['~standard'], jsonSchema: { input: () => NUMBERS, output: () => NUMBERS } }
  return { ...valibot, '~standard': standard }
}
