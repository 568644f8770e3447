/** The bounds on what one message may be, at the bound, one below and one beyond, on every way in. */

import { afterEach, describe, expect, it } from 'vitest'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { ENVELOPE, type Place, WAYS, type Way, type WayOptions } from './limits-ways.ts'

const places: Place[] = []
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.close()))
})

const server = createServer({ name: 'bounded', version: '1', tools: { any: tool({}, () => 'taken') } })

async function dial(way: Way, options: WayOptions) {
  const place = await way.open(server, options)
  places.push(place)
  return place.line()
}

/** A call whose arguments are the JSON text given. */
function callWith(args: string): string {
  const params = `"name":"any","arguments":${args},"_meta":${JSON.stringify(ENVELOPE)}`
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${params}}}`
}

const repeat = (count: number, item: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => item(at)).join()

/** Arrays, objects and members of objects. */
function nodesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const members = Object.values(value)
  return members.reduce((sum: number, member) => sum + nodesOf(member), Array.isArray(value) ? 1 : 1 + members.length)
}

/** Of a call whose arguments are an empty array. */
const BARE = nodesOf(JSON.parse(callWith('{"a":[]}')))

/** Three levels are the message, its parameters and the arguments. */
const SHAPES = [
  { option: 'maxDepth', at: 12, args: (n: number) => `{"a":${'['.repeat(n - 3)}${']'.repeat(n - 3)}}` },
  { option: 'maxKeys', at: 30, args: (n: number) => `{${repeat(n, (at) => `"k${at}":0`)}}` },
  { option: 'maxItems', at: 30, args: (n: number) => `{"a":[${repeat(n, () => '0')}]}` },
  { option: 'maxNodes', at: 60, args: (n: number) => `{"a":[${repeat(n - BARE, () => '[]')}]}` },
  { option: 'maxStringLength', at: 200, args: (n: number) => `{"a":"${'x'.repeat(n)}"}` },
]

describe.each(WAYS)('a message over $name', (way) => {
  const rows = SHAPES.flatMap((shape) => [-1, 0, 1].map((extra) => ({ ...shape, size: shape.at + extra })))
  it.each(rows)('of $size under $option $at', async ({ option, at, args, size }) => {
    const line = await dial(way, { json: { [option]: at } })
    const heard = await line.say(callWith(args(size)))
    if (size <= at) {
      expect(heard.message.result.content[0].text).toBe('taken')
      return
    }
    expect(heard.message.error.code).toBe(-32600)
    expect(heard.message.error.message).toContain(`${option} (${at}) exceeded`)
    // By its own id, or the caller would wait for ever (servers 7).
    expect(heard.message.id).toBe(1)
    expect(heard.status).toBe(way.http ? 400 : undefined)
    // Refused is the message, not the client.
    expect((await line.modern('tools/list', {}, 'next')).message.result.tools).toHaveLength(1)
  })

  const SIZE = 2000
  const option = way.http ? 'maxBodyBytes' : way.name === 'websocket' ? 'maxFrameBytes' : 'maxLineBytes'
  it.each([-1, 0, 1])(`of ${SIZE} and %i bytes under ${option} ${SIZE}`, async (extra) => {
    const line = await dial(way, { limits: { [option]: SIZE } })
    const text = callWith('{}')
    const answer = line.say(text + ' '.repeat(SIZE + extra - text.length))
    if (extra <= 0) {
      expect((await answer).message.result.content[0].text).toBe('taken')
    } else if (option === 'maxFrameBytes') {
      // Message too big (RFC 6455, 7.4.1): there is no place for words.
      expect(await line.closed).toBe(1009)
    } else {
      const { message, status } = await answer
      expect(message.error.message).toContain(`${option} (${SIZE}) exceeded`)
      expect([message.error.code, status]).toEqual([-32600, way.http ? 413 : undefined])
      if (!way.http) expect(message.id).toBe(1)
    }
  })

  it.each([2, 3, 4])('that is a batch of %i under maxBatch 3', async (count) => {
    const line = await dial(way, { limits: { maxBatch: 3 } })
    await line.initialize('2025-03-26')
    const { message, status } = await line.say(
      `[${repeat(count, (at) => `{"jsonrpc":"2.0","id":${at},"method":"ping"}`)}]`,
    )
    if (count <= 3) {
      expect(message.result).toEqual({})
      return
    }
    expect(message.error.code).toBe(-32600)
    expect(message.error.message).toContain('maxBatch (3)')
    // The old transport has taken the text before it looks into it.
    expect(status).toBe(way.name === 'http+sse' ? 202 : way.http ? 400 : undefined)
  })
})
