/** What the compiler says of `client.tools` is what comes back, on every revision. */

import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { type CallToolResult, connect, PROTOCOL_VERSIONS } from '../src/doors/client.ts'
import { createServer, image, result, text, tool } from '../src/doors/server.ts'

const drawn = image('AAAA', 'image/png')

const server = createServer({
  name: 'typed',
  version: '1',
  tools: {
    text: tool({}, () => 'hello'),
    number: tool({}, () => 5),
    nothing: tool({}, () => {}),
    object: tool({}, () => ({ n: 1, when: new Date(0), gone: undefined })),
    list: tool({}, () => [1, 2]),
    rows: tool({ output: z.array(z.object({ id: z.number() })) }, () => [{ id: 1 }]),
    named: tool({}, () => ({ result: [1, 2] })),
    whole: tool({}, () => ({ content: [text('in words')], structuredContent: { n: 1 } })),
    marked: tool({ output: z.object({ n: z.number() }) }, () =>
      result({ content: [text('{"n":1}')], structuredContent: { n: 1 } }),
    ),
    blocks: tool({}, () => [text('a'), text('b')]),
    drawn: tool({}, () => drawn),
  },
})

describe.each(PROTOCOL_VERSIONS)('%s', (versions) => {
  const open = () => connect(server, { versions })

  test('sdk 17: a tool without output gives what its handler returned, as the types say', async () => {
    const client = await open()
    const { tools } = client
    expect(await tools.text()).toBe('hello')
    expect(await tools.number()).toBe('5')
    expect(await tools.nothing()).toBe('')
    const object = await tools.object()
    expectTypeOf(object.when).toEqualTypeOf<string>()
    expect(object).toEqual({ n: 1, when: '1970-01-01T00:00:00.000Z' })
    expect(await tools.blocks()).toBe('a\nb')
    const whole = await tools.drawn()
    expectTypeOf(whole).toEqualTypeOf<CallToolResult>()
    expect(whole.content).toEqual([drawn])
    await client.close()
  })

  test('sdk 17: a list comes back as a list, and an object with a member "result" as that object', async () => {
    const client = await open()
    const list: number[] = await client.tools.list()
    expect(list).toEqual([1, 2])
    const rows: { id: number }[] = await client.tools.rows()
    expect(rows).toEqual([{ id: 1 }])
    expect(await client.tools.named()).toEqual({ result: [1, 2] })
    await client.close()
  })

  test('sdk 17: callTool gives the whole result', async () => {
    const client = await open()
    const { content, structuredContent } = await client.callTool('marked')
    expectTypeOf(structuredContent).toEqualTypeOf<{ n: number } | undefined>()
    expect(content).toEqual([{ type: 'text', text: '{"n":1}' }])
    expect(structuredContent).toEqual(versions < '2025-06-18' ? undefined : { n: 1 })
    await client.close()
  })
})
