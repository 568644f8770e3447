/** Completion, logging, progress, cancellation and pagination (server/utilities and basic/utilities of each revision). */

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/jsonrpc/message.ts'
import { type Bench, textOf } from '../run-matrix.ts'

const GREET = { type: 'ref/prompt', name: 'greet' }
const USERS = { type: 'ref/resource', uri: 'users://{id}/{+path}' }
const SEARCH = { type: 'ref/resource', uri: 'search://{kind}{?q,lang}' }

export function utilitySuite(bench: Bench): void {
  completionSuite(bench)
  loggingSuite(bench)
  progressSuite(bench)
  cancellationSuite(bench)
  paginationSuite(bench)
}

function completionSuite(bench: Bench): void {
  const complete = (ref: JsonObject, argument: JsonObject, context?: JsonObject) =>
    bench.request('completion/complete', { ref, argument, ...(context && { context }) })

  describe('completion/complete', () => {
    it.each([
      ['a prompt argument', GREET, { name: 'name', value: 'Ad' }, ['Ad!']],
      ['a template variable', USERS, { name: 'id', value: 'c' }, ['carol']],
      ['an argument without completer', GREET, { name: 'other', value: '' }, []],
      ['a name that every object has', GREET, { name: 'constructor', value: '' }, []],
    ])('proposes for %s', async (_, ref, argument, values) => {
      expect((await complete(ref, argument)).result.completion).toEqual({ values })
    })

    it('knows what was chosen before', async () => {
      const { result } = await complete(
        USERS,
        { name: 'path', value: 'x' },
        { arguments: { id: 'bob', __proto__: { id: 'eve' } } },
      )
      expect(result.completion).toEqual({ values: ['bob/x'] })
      expect((await complete(USERS, { name: 'path', value: 'x' })).result.completion).toEqual({ values: ['nobody/x'] })
    })

    it('gives at most 100 values and says how many there are', async () => {
      const completion = (await complete(SEARCH, { name: 'q', value: '' })).result.completion as JsonObject
      expect(completion.values).toHaveLength(100)
      expect(completion).toMatchObject({ total: 250, hasMore: true })
    })

    it.each([
      ['a hidden prompt (sec-134)', { type: 'ref/prompt', name: 'hidden' }, { name: 'x', value: '' }, 'ref'],
      [
        'a template beyond the scopes',
        { type: 'ref/resource', uri: 'vault://{key}' },
        { name: 'key', value: '' },
        'ref',
      ],
      ['no such prompt', { type: 'ref/prompt', name: 'nobody' }, { name: 'x', value: '' }, 'ref'],
      ['no such kind', { type: 'ref/tool', name: 'echo' }, { name: 'x', value: '' }, 'ref'],
      ['no argument name', GREET, { value: '' }, 'name'],
      ['a value that is no string', GREET, { name: 'name', value: 1 }, 'value'],
    ])('refuses %s with -32602', async (_, ref, argument, parameter) => {
      expect((await complete(ref, argument)).error).toMatchObject({ code: -32602, data: { parameter } })
    })
  })
}

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

function loggingSuite(bench: Bench): void {
  const logged = (notifications: JsonObject[]) =>
    notifications.filter(({ method }) => method === 'notifications/message').map(({ params }) => params as JsonObject)

  describe('logging', () => {
    it.runIf(bench.modern)('is silent unless the request asks', async () => {
      expect(logged((await bench.call('log')).notifications)).toEqual([])
    })

    it.runIf(bench.modern).each(LEVELS)('follows the level of the request: %s', async (level) => {
      const { notifications } = await bench.call('log', undefined, {
        meta: { 'io.modelcontextprotocol/logLevel': level },
      })
      expect(logged(notifications).map((params) => params.level)).toEqual(LEVELS.slice(LEVELS.indexOf(level)))
    })

    it.runIf(bench.modern)('refuses an unknown level', async () => {
      const { error } = await bench.call('log', undefined, { meta: { 'io.modelcontextprotocol/logLevel': 'loud' } })
      expect(error).toMatchObject({ code: -32602 })
    })

    it.runIf(bench.modern)('has no method to set a level', async () => {
      expect((await bench.request('logging/setLevel', { level: 'debug' })).error).toMatchObject({ code: -32601 })
    })

    it.runIf(!bench.modern).each(LEVELS)('follows the level of the session: %s', async (level) => {
      expect((await bench.request('logging/setLevel', { level })).result).toEqual({})
      const messages = logged((await bench.call('log')).notifications)
      expect(messages.map((params) => params.level)).toEqual(LEVELS.slice(LEVELS.indexOf(level)))
      expect(messages.at(-1)).toEqual({ level: 'emergency', logger: 'matrix', data: { said: 'emergency' } })
    })

    it.runIf(!bench.modern)('refuses an unknown level', async () => {
      for (const level of ['loud', 'toString', 3, undefined]) {
        expect((await bench.request('logging/setLevel', { level })).error).toMatchObject({
          code: -32602,
          data: { parameter: 'level' },
        })
      }
    })

    it('survives data that JSON cannot say', async () => {
      const { result, notifications } = await bench.call('log_odd', undefined, await loud(bench))
      expect(textOf(result)).toBe('logged')
      expect(logged(notifications).map(({ data }) => data)).toEqual(['undefined', '10'])
    })

    it('can be switched off: no capability, no method, no message', async () => {
      const wire = await bench.variant()
      const opening = wire.opening ?? (await wire.request('server/discover')).result
      expect(opening.capabilities).not.toHaveProperty('logging')
      const { notifications } = await wire.request('tools/call', { name: 'log' }, await loud(bench))
      expect(logged(notifications)).toEqual([])
      expect((await wire.request('logging/setLevel', { level: 'debug' })).error).toMatchObject({ code: -32601 })
    })
  })
}

/** Asks for every log message: per request on the newest revision, beforehand on the others. */
async function loud(bench: Bench): Promise<{ meta?: JsonObject }> {
  if (bench.modern) return { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } }
  await bench.request('logging/setLevel', { level: 'debug' })
  return {}
}

function progressSuite(bench: Bench): void {
  describe('progress', () => {
    const reports = async (meta: JsonObject) => {
      const { notifications } = await bench.call('progress', undefined, { meta })
      return notifications.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params)
    }

    it.each(['token', 7, 0, ''])('goes out under the token %j, only upwards, and in numbers', async (progressToken) => {
      const message = (text: string) => (bench.atLeast('2025-03-26') ? { message: text } : {})
      expect(await reports({ progressToken })).toEqual([
        { progressToken, progress: 1, total: 4, ...message('at 1') },
        { progressToken, progress: 2 },
        { progressToken, progress: 4, total: 4, ...message('done') },
      ])
    })

    it.each([{}, { progressToken: null }, { progressToken: { a: 1 } }])('does not go out for %j', async (meta) => {
      expect(await reports(meta)).toEqual([])
    })
  })
}

function cancellationSuite(bench: Bench): void {
  describe('cancellation', () => {
    it.runIf(!bench.modern || bench.transport === 'memory' || bench.transport === 'stdio')(
      'by notification reaches the handler; nothing is sent for the request any more (sec-42)',
      async () => {
        const seen: JsonObject[] = []
        const hanging = hang(bench, seen, await loud(bench))
        await hanging.begun
        await bench.wire.notify('notifications/cancelled', { requestId: hanging.id, reason: 'bored' })
        await noted(bench, 'bored')
        expect(bench.wire.log.filter(({ id }) => id === hanging.id)).toEqual([])
        expect(JSON.stringify(seen)).not.toContain('after the end')
      },
    )

    it.runIf(bench.modern && (bench.transport === 'http' || bench.transport === 'fetch'))(
      'by going away reaches the handler (sec-15)',
      async () => {
        const hanging = hang(bench, [], await loud(bench))
        await hanging.begun
        hanging.abort()
        // The client's own stream ends or breaks; either way nothing was answered.
        const ended = await hanging.outcome.catch(() => undefined)
        expect(ended?.response ?? {}).toEqual({})
        await noted(bench, 'The client closed the connection')
      },
    )

    it('of what is unknown, done or ill-typed changes nothing', async () => {
      for (const requestId of ['nobody', 1, -1, 1.5, null, { a: 1 }])
        await bench.wire.notify('notifications/cancelled', { requestId })
      await bench.wire.notify('notifications/cancelled')
      expect(textOf((await bench.call('annotated')).result)).toBe('annotated')
    })
  })
}

function hang(bench: Bench, seen: JsonObject[], options: { meta?: JsonObject }) {
  let begin = (): void => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const started = bench.wire.start(
    'tools/call',
    { name: 'hang' },
    {
      ...options,
      seen: (message) => {
        seen.push(message)
        begin()
      },
    },
  )
  started.outcome.catch(() => {})
  return { ...started, begun }
}

/** Waits until the handler has noted its cancellation. */
async function noted(bench: Bench, reason: string): Promise<void> {
  await expect
    .poll(async () => (await bench.control('read')).cancelled, { interval: 5, timeout: 10_000 })
    .toEqual([reason])
}

const LISTS = [
  ['tools/list', 'tools', 'name'],
  ['resources/list', 'resources', 'uri'],
  ['resources/templates/list', 'resourceTemplates', 'uriTemplate'],
  ['prompts/list', 'prompts', 'name'],
] as const

function paginationSuite(bench: Bench): void {
  describe('pagination', () => {
    it('is off unless a page size is set', async () => {
      for (const [method] of LISTS) expect((await bench.request(method)).result).not.toHaveProperty('nextCursor')
    })

    it('shows every item once, page by page, on all four lists', async () => {
      const wire = await bench.variant()
      for (const [method, member, key] of LISTS) {
        const whole = (await bench.request(method)).result[member] as JsonObject[]
        const seen: unknown[] = []
        let cursor: unknown
        do {
          const { result } = await wire.request(method, cursor === undefined ? {} : { cursor })
          const items = result[member] as JsonObject[]
          seen.push(...items.map((item) => item[key]))
          cursor = result.nextCursor
          expect(items.length).toBeGreaterThan(0)
        } while (cursor !== undefined)
        expect(seen, method).toEqual(whole.map((item) => item[key]))
      }
    })

    it.each(['nonsense', 'bm9uc2Vuc2U=', 5, {}])('refuses the cursor %j with -32602', async (cursor) => {
      for (const [method] of LISTS) {
        expect((await bench.request(method, { cursor })).error).toMatchObject({
          code: -32602,
          data: { parameter: 'cursor' },
        })
      }
    })

    it('takes no cursor of another list, and survives changes between pages', async () => {
      const wire = await bench.variant()
      const first = (await wire.request('tools/list')).result
      const cursor = first.nextCursor
      expect((await wire.request('prompts/list', { cursor })).error).toMatchObject({ code: -32602 })
      const expected = ((await wire.request('tools/list', { cursor })).result.tools as JsonObject[]).map(
        ({ name }) => name,
      )
      expect(expected).toEqual(['numbers', 'annotated'])
      await bench.control('remove-tool', 'add', wire)
      await bench.control('remove-tool', 'echo', wire)
      await bench.control('add-tool', 'zzz', wire)
      const { result } = await wire.request('tools/list', { cursor })
      expect((result.tools as JsonObject[]).map(({ name }) => name)).toEqual(expected)
    })
  })
}
