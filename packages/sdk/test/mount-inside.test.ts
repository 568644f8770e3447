/** A mounted server's own middleware, context and limits. */

import { describe, expect, it } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { ToolError } from '../src/server/features/tool-result.ts'
import { prompt, resource, tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'

describe('what a mounted server puts around its items (sec-180)', () => {
  const inner = () =>
    createServer({
      name: 'inner',
      version: '1',
      context: () => 'of the inner',
      maxResultBytes: 4096,
      tools: {
        state: tool({}, (_, ctx) => String(ctx.state)),
        large: tool({}, () => 'x'.repeat(10_000)),
      },
      resources: { r: resource({ uri: 'x://r' }, (_, ctx) => String(ctx.state)) },
      prompts: { p: prompt({}, (_, ctx) => String(ctx.state)) },
    })

  it.each(['2025-06-18', '2026-07-28'] as const)('goes with them, also through two mounts, on %s', async (versions) => {
    const seen: unknown[] = []
    const small = inner()
    for (const method of ['tools/call', 'resources/read', 'prompts/get'] as const) {
      small.use(method, async ({ params }, next) => {
        seen.push(params.name ?? params.uri)
        if (params.name === 'large' && params.arguments !== undefined && 'refused' in (params.arguments as object)) {
          throw new ToolError('the inner server says no')
        }
        return next() as never
      })
    }
    const middle = createServer({ name: 'middle', version: '1' })
    middle.mount('b', small)
    const outer = createServer({
      name: 'outer',
      version: '1',
      context: () => 'of the outer',
      tools: { own: tool({}, (_, ctx) => String(ctx.state)) },
    })
    outer.mount('a', middle)
    const client = await connect<unknown>(outer, { versions })
    const textOf = async (name: string) => JSON.stringify((await client.callTool(name)).content)
    expect(await textOf('a_b_state')).toContain('of the inner')
    expect(await textOf('own')).toContain('of the outer')
    expect((await textOf('a_b_large')).length).toBeLessThan(5000)
    expect(JSON.stringify(await client.readResource('x://r'))).toContain('of the inner')
    expect(JSON.stringify(await client.getPrompt('a_b_p'))).toContain('of the inner')
    await expect(client.callTool('a_b_large', { refused: true })).rejects.toThrow('the inner server says no')
    expect(seen).toEqual(['state', 'large', 'x://r', 'p', 'large'])
    await client.close()
  })

  it('makes mounting fail where it could not be kept, before and after', () => {
    const lists = createServer({ name: 'inner', version: '1', tools: {} })
    lists.use('tools/list', (_, next) => next())
    const outer = createServer({ name: 'outer', version: '1' })
    expect(() => outer.mount('a', lists)).toThrow('Middleware for tools/list of the server "inner" cannot be kept')
    const later = createServer({ name: 'later', version: '1', tools: {} })
    const mounted = outer.mount('b', later)
    expect(() => later.use('completion/complete', (_, next) => next())).toThrow('cannot be kept')
    mounted.unmount()
    expect(() => later.use('completion/complete', (_, next) => next())).not.toThrow()
  })
})
