/** The bounds on what goes on at once: for a process, for a principal, on every way in and over several together. */

import { afterEach, describe, expect, it } from 'vitest'
import { createPrincipal } from '../src/auth/principal.ts'
import { resource, tool } from '../src/server/items/definition.ts'
import { createServer, type Server } from '../src/server/server.ts'
import { KEPT_LIMITS } from '../src/session/kept-text.ts'
import { type Json, type Line, type Place, WAYS, type Way, type WayOptions } from './limits-ways.ts'

/** A server whose calls wait until they are let go. */
class Waiting {
  readonly server: Server
  #begun = 0
  #wake: () => void = () => {}
  #release: () => void = () => {}
  readonly #released = new Promise<void>((resolve) => {
    this.#release = resolve
  })

  constructor() {
    this.server = createServer({
      name: 'waiting',
      version: '1',
      tools: {
        wait: tool({}, async () => {
          this.#begun++
          this.#wake()
          await this.#released
          return 'waited'
        }),
        say: tool({}, async ({ count }, ctx) => {
          for (let at = 0; at < Number(count); at++) ctx.log('info', at)
          return 'said'
        }),
      },
      resources: { any: resource({ uri: 'mem://{+path}' }, () => 'here') },
    })
  }

  async begun(count: number): Promise<void> {
    while (this.#begun < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  release(): void {
    this.#release()
  }
}

const places: Place[] = []
let waiting: Waiting
afterEach(async () => {
  waiting.release()
  await Promise.all(places.splice(0).map((place) => place.close()))
})

async function open(way: Way, options: WayOptions): Promise<Place> {
  const place = await way.open(waiting.server, options)
  places.push(place)
  return place
}

const call = (line: Line, id: string | number) => line.modern('tools/call', { name: 'wait', arguments: {} }, id)

/** Opens a listener and waits until it is one. */
async function listen(line: Line, id: string): Promise<void> {
  const ended = line.modern('subscriptions/listen', { notifications: { toolsListChanged: true } }, id)
  ended.catch(() => {})
  await Promise.race([line.notice((notice) => subscriptionOf(notice) === id), ended])
}

function subscriptionOf({ params }: Json): unknown {
  return params?._meta?.['io.modelcontextprotocol/subscriptionId']
}

const NUMBERS = [
  { under: 1, served: true },
  { under: 2, served: true },
  { under: 3, served: false },
]

describe.each(WAYS)('over $name', (way) => {
  it.each(NUMBERS)('maxInFlight 3 with $under under way serves another: $served', async ({ under, served }) => {
    waiting = new Waiting()
    const line = await (await open(way, { limits: { maxInFlight: 3 } })).line()
    const before = Array.from({ length: under }, (_, at) => call(line, at))
    await waiting.begun(under)
    const next = line.modern('tools/list', {}, 'next')
    if (served) expect((await next).message.result.tools).toHaveLength(2)
    else expectRefusal(await next, way, 503, 'maxInFlight (3)')
    waiting.release()
    for (const one of before) expect((await one).message.result.content[0].text).toBe('waited')
    expect((await line.modern('tools/list', {}, 'last')).message.result.tools).toHaveLength(2)
  })

  it.each(NUMBERS)(
    'maxInFlightPerPrincipal 3 with $under under way serves another: $served',
    async ({ under, served }) => {
      waiting = new Waiting()
      const place = await open(way, { limits: { maxInFlightPerPrincipal: 3 }, principal: createPrincipal('ada') })
      // Standard streams have no principal, so no such bound.
      if (way.name === 'stdio') return
      const line = await place.line('ada')
      for (let at = 0; at < under; at++) void call(line, at)
      await waiting.begun(under)
      // A second connection of the same principal is no way around it.
      const other = await place.line('ada')
      const next = other.modern('tools/list', {}, 'next')
      if (served) expect((await next).message.result.tools).toHaveLength(2)
      else expectRefusal(await next, way, 429, 'maxInFlightPerPrincipal (3)')
      if (!way.named) return
      const stranger = await place.line('bob')
      expect((await stranger.modern('tools/list', {}, 'theirs')).message.result.tools).toHaveLength(2)
    },
  )

  it.each(NUMBERS)('maxListeners 3 with $under open takes another: $served', async ({ under, served }) => {
    waiting = new Waiting()
    const line = await (await open(way, { limits: { maxListeners: 3 + way.streams, maxInFlight: 1 } })).line()
    for (let at = 0; at < under; at++) await listen(line, `listener ${at}`)
    if (served) await listen(line, 'next')
    else {
      const refused = await line.modern('subscriptions/listen', { notifications: {} }, 'next')
      expectRefusal(refused, way, 503, `maxListeners (${3 + way.streams})`)
    }
    // Listeners are not requests in flight.
    expect((await line.modern('tools/list', {}, 'last')).message.result.tools).toHaveLength(2)
  })

  it.each(NUMBERS)('maxListenersPerPrincipal 3 with $under open takes another: $served', async ({ under, served }) => {
    waiting = new Waiting()
    if (way.name === 'stdio') return
    const limits = { maxListenersPerPrincipal: 3 + way.streams }
    const place = await open(way, { limits, principal: createPrincipal('ada') })
    const line = await place.line('ada')
    for (let at = 0; at < under; at++) await listen(line, `listener ${at}`)
    if (served) await listen(line, 'next')
    else {
      const refused = await line.modern('subscriptions/listen', { notifications: {} }, 'next')
      expectRefusal(refused, way, 429, `maxListenersPerPrincipal (${3 + way.streams})`)
    }
    if (way.named) await listen(await place.line('bob'), 'theirs')
  })

  it('callers without a name leave room for those with one: requests (sec-183)', async () => {
    waiting = new Waiting()
    if (!way.named) return
    const place = await open(way, { limits: { maxInFlight: 8 } })
    const line = await place.line()
    for (let at = 0; at < 7; at++) void call(line, at)
    await waiting.begun(7)
    expectRefusal(await line.modern('tools/list', {}, 'next'), way, 503, 'maxInFlight (8)')
    const named = await place.line('ada')
    expect((await named.modern('tools/list', {}, 'theirs')).message.result.tools).toHaveLength(2)
  })

  it('callers without a name leave room for those with one: listeners (sec-183)', async () => {
    waiting = new Waiting()
    if (!way.named) return
    const place = await open(way, { limits: { maxListeners: 16 } })
    const line = await place.line()
    for (let at = way.streams; at < 14; at++) await listen(line, `listener ${at}`)
    const refused = await line.modern('subscriptions/listen', { notifications: {} }, 'next')
    expectRefusal(refused, way, 503, 'maxListeners (16)')
    await listen(await place.line('ada'), 'theirs')
  })

  it('a listener that is cancelled makes room for another', async () => {
    waiting = new Waiting()
    const place = await open(way, { limits: { maxListeners: 1 + way.streams } })
    const line = await place.line()
    await listen(line, 'first')
    if (way.name === 'http' || way.name === 'fetch') line.hangUp()
    else await line.tell({ method: 'notifications/cancelled', params: { requestId: 'first' } })
    const again = way.name === 'http' || way.name === 'fetch' ? await place.line() : line
    // Over HTTP the server notices a moment later that the client has gone.
    await expect
      .poll(async () => {
        await listen(again, 'second')
        return again.notices.some((notice) => subscriptionOf(notice) === 'second')
      })
      .toBe(true)
  })

  it.each([4, 5, 6])('notificationsPerSecond 5 lets through of %i logs at once', async (count) => {
    waiting = new Waiting()
    const line = await (await open(way, { limits: { notificationsPerSecond: 5 } })).line()
    const _meta = { 'io.modelcontextprotocol/logLevel': 'info' }
    const said = await line.modern('tools/call', { name: 'say', arguments: { count }, _meta })
    expect(said.message.result.content[0].text).toBe('said')
    const logs = line.notices.filter(({ method }) => method === 'notifications/message')
    expect(logs.map(({ params }) => params.data)).toEqual([0, 1, 2, 3, 4].slice(0, Math.min(count, 5)))
  })

  const { maxSubscriptionLength } = KEPT_LIMITS
  it.each([-1, 0, 1])(
    `a listener subscribes to URIs of ${maxSubscriptionLength} and %i characters in all`,
    async (extra) => {
      waiting = new Waiting()
      const line = await (await open(way, {})).line()
      const resourceSubscriptions = uris(maxSubscriptionLength + extra)
      const ended = line.modern('subscriptions/listen', { notifications: { resourceSubscriptions } }, 'long')
      ended.catch(() => {})
      if (extra <= 0) {
        const { params } = await line.notice((notice) => subscriptionOf(notice) === 'long')
        expect(params.notifications.resourceSubscriptions).toEqual(resourceSubscriptions)
      } else {
        const { message } = await ended
        expect(message.error.code).toBe(-32602)
        expect(message.error.message).toContain(`maxSubscriptionLength (${maxSubscriptionLength})`)
      }
    },
  )

  it('a session subscribes to as much, and to more after it has let go of some', async () => {
    waiting = new Waiting()
    const line = await (await open(way, {})).line()
    await line.initialize('2025-11-25')
    const subscribe = (uri: string) => line.request('resources/subscribe', { uri })
    const all = uris(maxSubscriptionLength)
    // The first again is no more.
    for (const uri of [all[0] ?? '', ...all]) expect((await subscribe(uri)).message.result).toEqual({})
    expect((await subscribe('mem://z')).message.error.message).toContain('maxSubscriptionLength')
    await line.request('resources/unsubscribe', { uri: all[0] })
    expect((await subscribe('mem://z')).message.result).toEqual({})
  })
})

/** Different URIs with so many characters in all. */
function uris(total: number): string[] {
  const EACH = 8192
  const count = Math.floor(total / EACH)
  const last = total - count * EACH
  const make = (at: number, length: number) => `mem://${at}-`.padEnd(length, 'x')
  const whole = Array.from({ length: count }, (_, at) => make(at, EACH))
  if (last >= 12) return [...whole, make(count, last)]
  return [...whole.slice(0, -1), make(count, EACH + last)]
}

function expectRefusal(heard: Awaited<ReturnType<Line['request']>>, way: Way, status: number, names: string): void {
  expect(heard.message.error.message).toContain(names)
  expect(heard.message.id).toBe('next')
  if (way.name === 'http+sse') expect(heard.status).toBe(202)
  else if (way.http) expect([heard.status, heard.retryAfter]).toEqual([status, '1'])
  else expect(heard.message.error.code).toBe(-32603)
}

describe('one server, served in several ways', () => {
  const ways = WAYS.filter(({ name }) => name !== 'stdio')

  it('counts what is under way on all of them together', async () => {
    waiting = new Waiting()
    const limits = { maxInFlight: ways.length }
    const lines: Line[] = []
    for (const way of ways) lines.push(await (await open(way, { limits })).line())
    const begun = lines.map((line) => call(line, 'waits'))
    await waiting.begun(ways.length)
    for (const [at, line] of lines.entries()) {
      const { message } = await line.modern('tools/list', {}, 'next')
      expect([ways[at]?.name, message.error?.message]).toEqual([ways[at]?.name, expect.stringContaining('maxInFlight')])
    }
    waiting.release()
    for (const one of begun) expect((await one).message.result.content[0].text).toBe('waited')
    for (const line of lines) expect((await line.modern('tools/list')).message.result.tools).toHaveLength(2)
  })

  it('counts what one principal has under way on all of them together, and closes one without the others', async () => {
    waiting = new Waiting()
    const named = ways.filter((way) => way.named)
    const limits = { maxInFlightPerPrincipal: named.length }
    const opened: Place[] = []
    for (const way of named) opened.push(await open(way, { limits }))
    const lines = await Promise.all(opened.map((place) => place.line('ada')))
    for (const line of lines) void call(line, 'waits').catch(() => {})
    await waiting.begun(named.length)
    for (const line of lines) {
      const { message } = await line.modern('tools/list', {}, 'next')
      expect(message.error.message).toContain('maxInFlightPerPrincipal')
    }
    waiting.release()
    await opened[0]?.close()
    expect((await lines.at(-1)?.modern('tools/list'))?.message.result.tools).toHaveLength(2)
  })
})
