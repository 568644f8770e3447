/** The versions of Zod that people have installed: each writes a tool, in the form that the guide gives for it, and is called. */

import assert from 'node:assert/strict'
import { pathToFileURL } from 'node:url'
import { connect } from '@portico/sdk/client'
import { createServer, tool } from '@portico/sdk/server'
import type { z } from 'zod'
import { installedPackage } from '../../support/install.ts'
import type { Trial } from '../../support/suite.ts'
import { folder } from '../bundle.ts'

/** What of the library is used here: the same in every version, and in mini. */
interface Zod {
  readonly object: typeof z.object
  readonly string: typeof z.string
  readonly optional: typeof z.optional
  readonly toJSONSchema: typeof z.toJSONSchema
}

interface Library {
  readonly name: string
  readonly path: readonly string[]
  /** Whether its schemas describe themselves as JSON Schema; others are given as a pair. */
  readonly describes: boolean
}

const LIBRARIES: readonly Library[] = [
  { name: 'zod 4.0', path: ['zod-4-0', 'index.js'], describes: false },
  { name: 'zod 4.0 mini', path: ['zod-4-0', 'mini', 'index.js'], describes: false },
  { name: 'zod 4.1', path: ['zod-4-1', 'index.js'], describes: false },
  { name: 'zod 4.1 mini', path: ['zod-4-1', 'mini', 'index.js'], describes: false },
  { name: 'zod newest', path: ['zod', 'index.js'], describes: true },
  { name: 'zod newest mini', path: ['zod', 'mini', 'index.js'], describes: false },
]

export const schemaSuites: Trial[] = LIBRARIES.map((library) => ({
  name: library.name,
  run: (report) => report.checkIn('modern', 'a tool is written with it and called', () => tryOut(library)),
}))

async function tryOut({ path, describes }: Library): Promise<void> {
  const zod: Zod = await import(pathToFileURL(installedPackage(folder, ...path)).href)
  const schema = zod.object({ name: zod.string(), title: zod.optional(zod.string()) })
  type Input = typeof schema | { readonly schema: typeof schema; readonly json: { [key: string]: unknown } }
  const write = (input: Input) =>
    createServer({
      name: 'greeter',
      version: '1.0.0',
      tools: { greet: tool({ input }, ({ name }) => `Hello, ${name}!`) },
    })
  if (!describes) assert.throws(() => write(schema), /z\.toJSONSchema\(schema, \{ io: 'input' \}\)/)
  const json = zod.toJSONSchema(schema, { io: 'input' }) as { [key: string]: unknown }
  for (const input of describes ? [schema, { schema, json }] : [{ schema, json }]) {
    const client = await connect<unknown>(write(input))
    const [listed] = await client.listTools()
    assert.deepEqual(listed?.inputSchema.required, ['name'])
    assert.deepEqual((await client.callTool('greet', { name: 'Ada' })).content, [{ type: 'text', text: 'Hello, Ada!' }])
    assert.equal((await client.callTool('greet', { name: 7 })).isError, true)
    await client.close()
  }
}
