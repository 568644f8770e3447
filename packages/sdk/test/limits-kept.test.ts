/** The bounds on what is kept of a client for as long as its session or listener stays (security D2, sec-162). */

import { afterEach, describe, expect, it } from 'vitest'
import { tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { KEPT_LIMITS, KeptText } from '../src/session/kept-text.ts'
import { ENVELOPE, type Json, type Place, WAYS, type Way } from './limits-ways.ts'

const places: Place[] = []
afterEach(async () => {
  await Promise.all(places.splice(0).map((place) => place.close()))
})

const server = createServer({
  name: 'kept',
  version: '1',
  tools: { who: tool({}, (_, ctx) => JSON.stringify(ctx.client.info)) },
})

async function dial(way: Way) {
  const place = await way.open(server)
  places.push(place)
  return place.line()
}

const { maxCapabilitiesLength, maxClientInfoLength, keptShare, maxTotalKeptLength, maxIdLength } = KEPT_LIMITS

/** Capabilities that are so long as text. */
function capabilitiesOf(length: number): Json {
  const empty = JSON.stringify({ experimental: { x: { y: '' } } }).length
  return { experimental: { x: { y: 'c'.repeat(length - empty) } } }
}

describe.each(WAYS)('over $name', (way) => {
  it.each([-1, 0, 1])('a session keeps capabilities of maxCapabilitiesLength and %i characters', async (extra) => {
    const line = await dial(way)
    const capabilities = capabilitiesOf(maxCapabilitiesLength + extra)
    const clientInfo = { name: 'test', version: '1' }
    const { message } = await line.request('initialize', { protocolVersion: '2025-06-18', capabilities, clientInfo })
    if (extra <= 0) expect(message.result.protocolVersion).toBe('2025-06-18')
    else
      expect(message.error).toMatchObject({ code: -32602, message: expect.stringContaining('maxCapabilitiesLength') })
  })

  it('a session keeps no more of a long clientInfo than its names, cut short', async () => {
    const line = await dial(way)
    const long = 'n'.repeat(1_000_000)
    const clientInfo = { name: long, version: long, title: 'T', icons: [{ src: long }], other: long }
    const opened = await line.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    expect(opened.message.result.protocolVersion).toBe('2025-06-18')
    await line.tell({ method: 'notifications/initialized' })
    const { message } = await line.request('tools/call', { name: 'who', arguments: {} })
    const cut = long.slice(0, maxClientInfoLength)
    expect(JSON.parse(message.result.content[0].text)).toEqual({ name: cut, version: cut, title: 'T' })
  })

  it.each([-1, 0, 1])('a listener says no more than maxCapabilitiesLength and %i characters', async (extra) => {
    const line = await dial(way)
    const empty = JSON.stringify({ _meta: { ...ENVELOPE, pad: '' } }).length
    const _meta = { pad: 'p'.repeat(maxCapabilitiesLength + extra - empty) }
    const ended = line.modern('subscriptions/listen', { notifications: { toolsListChanged: true }, _meta }, 'l')
    ended.catch(() => {})
    if (extra <= 0) await line.notice(({ method }) => method === 'notifications/subscriptions/acknowledged')
    else expect((await ended).message.error.message).toContain('maxCapabilitiesLength')
  })

  it.each([-1, 0, 1])('a request has an id of maxIdLength and %i characters', async (extra) => {
    const line = await dial(way)
    const { message } = await line.modern('tools/list', {}, 'i'.repeat(maxIdLength + extra))
    if (extra <= 0) expect(message.result.tools).toHaveLength(1)
    else expect(message.error.message).toContain('maxIdLength')
  })
})

describe('the room beyond the shares', () => {
  const held: KeptText[] = []
  afterEach(() => {
    for (const one of held.splice(0)) one.clear()
  })
  const make = () => {
    const one = new KeptText()
    held.push(one)
    return one
  }

  it.each([
    { extra: -1, fits: true },
    { extra: 0, fits: true },
    { extra: 1, fits: false },
  ])('takes maxTotalKeptLength and $extra: $fits', ({ extra, fits }) => {
    expect(make().add(keptShare + maxTotalKeptLength + extra)).toBe(fits)
  })

  it("is nobody's alone: when it is full, everybody still has a share (sec-162)", () => {
    expect(make().add(keptShare + maxTotalKeptLength)).toBe(true)
    const other = make()
    expect([other.add(keptShare), other.add(1)]).toEqual([true, false])
    other.remove(1)
    expect(other.add(1)).toBe(true)
  })
})
