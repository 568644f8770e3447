/** fastmcp as its README starts it. */

import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { FastMCP } from 'fastmcp'
import { z } from 'zod'
import { announce } from '../control.ts'
import { ADD, add, fillers, INFO, STEPS, TEXT, textOf } from '../work.ts'
import { count, numbers, query, size } from '../work-zod.ts'

const server = new FastMCP(INFO)
server.addTool({ name: 'add', description: ADD, parameters: z.object(numbers), execute: async ({ a, b }) => add(a, b) })
server.addTool({
  name: 'text',
  description: TEXT,
  parameters: z.object(size),
  execute: async (args) => textOf(args.size),
})
server.addTool({
  name: 'steps',
  description: STEPS,
  parameters: z.object(count),
  execute: async ({ count: total }, { reportProgress }) => {
    for (let progress = 1; progress <= total; progress++) await reportProgress({ progress, total })
    return 'done'
  },
})
for (const { name, description } of fillers()) {
  server.addTool({ name, description, parameters: z.object(query), execute: async () => name })
}

if (process.argv[2] === 'stdio') {
  await server.start({ transportType: 'stdio' })
  announce()
} else {
  const port = await freePort()
  await server.start({ transportType: 'httpStream', httpStream: { port } })
  announce(port)
}

/** It does not say which port it took when given none. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}
