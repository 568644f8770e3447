/** What a tool gives is what the client's function gives, whether or not the revision can carry it as it is. */

import { expect, test } from 'vitest'
import { z } from 'zod'
import { connect } from '../src/connect/connect.ts'
import { text } from '../src/doors/server.ts'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'

const server = createServer({
  name: 'values',
  version: '1.0.0',
  tools: {
    number: tool({ output: z.number() }, () => 590),
    text: tool({ output: z.string() }, () => '[1]'),
    flag: tool({ output: z.boolean() }, () => false),
    nothing: tool({ output: z.null() }, () => null),
    list: tool({ output: z.array(z.number()) }, () => [8]),
    object: tool({ output: z.object({ a: z.number() }) }, () => ({ a: 1 })),
    told: tool({ output: z.array(z.number()) }, () => ({ content: [text('One number')], structuredContent: [8] })),
    // An object that looks as if it were wrapped is not.
    alike: tool({ output: z.object({ result: z.number() }) }, () => ({ result: 1 })),
  },
})

test.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
  'sdk 17: on %s a value that is no object reaches the typed client as itself',
  async (versions) => {
    const client = await connect<typeof server>(server, { versions })
    const { tools } = client
    expect([await tools.number(), await tools.text(), await tools.flag(), await tools.nothing()]).toEqual([
      590,
      '[1]',
      false,
      null,
    ])
    expect(await tools.list()).toEqual([8])
    expect(await tools.told()).toEqual([8])
    expect(await tools.object()).toEqual({ a: 1 })
    expect(await tools.alike()).toEqual({ result: 1 })
    const { structuredContent } = await client.callTool('list')
    expect(structuredContent).toEqual(versions === '2026-07-28' ? [8] : { result: [8] })
    await client.close()
  },
)
