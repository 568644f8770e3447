/**
 * News of changes: list_changed and updated in sessions, `subscriptions/listen` on the newest revision, all from the same
 * calls on the server; registering and removing while connected; extensions; middleware.
 */

import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/jsonrpc/message.ts'
import type { Wire } from '../../wire.ts'
import { ECHOES } from '../fixture.ts'
import { type Bench, textOf } from '../run-matrix.ts'

export function changeSuite(bench: Bench): void {
  if (bench.modern) listenSuite(bench)
  else sessionSuite(bench)
  registrySuite(bench)
  middlewareSuite(bench)
}

const isNotice = (method: string) => (message: JsonObject) => message.method === method

function sessionSuite(bench: Bench): void {
  describe('changes in a session', () => {
    it.each([
      ['tools', 'notifications/tools/list_changed'],
      ['prompts', 'notifications/prompts/list_changed'],
      ['resources', 'notifications/resources/list_changed'],
    ])('of the list of %s are told', async (what, method) => {
      const before = bench.wire.log.length
      await bench.control('changed', what)
      const notice = await bench.wire.find(
        (message) => isNotice(method)(message) && bench.wire.log.indexOf(message) >= before,
      )
      expect(notice.params ?? {}).toEqual({})
    })

    it('of a resource are told to those who subscribed, until they unsubscribe', async () => {
      const uri = 'file:///readme.txt'
      expect((await bench.request('resources/subscribe', { uri })).result).toEqual({})
      await bench.control('changed', uri)
      const notice = await bench.wire.find(isNotice('notifications/resources/updated'))
      expect(notice.params).toEqual({ uri })
      expect((await bench.request('resources/unsubscribe', { uri })).result).toEqual({})
      const before = bench.wire.log.length
      await bench.control('changed', uri)
      await bench.control('changed', 'tools')
      // The later change is told, so the earlier one would have been.
      await bench.wire.find(
        (message) => isNotice('notifications/tools/list_changed')(message) && bench.wire.log.indexOf(message) >= before,
      )
      expect(bench.wire.log.slice(before).filter(isNotice('notifications/resources/updated'))).toEqual([])
    })

    it.each(['data://secret', 'file:///nothing', 'vault://x'])('%s cannot be subscribed to', async (uri) => {
      expect((await bench.request('resources/subscribe', { uri })).error).toMatchObject({ code: -32002, data: { uri } })
    })

    it('are not told before `initialized`', async () => {
      if (bench.transport === 'stdio') return
      const wire = await bench.open({ handshake: false })
      await wire.request('initialize', {
        protocolVersion: bench.version,
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      })
      await bench.control('changed', 'tools')
      await wire.settle()
      expect(wire.log.filter(({ method }) => method !== undefined)).toEqual([])
    })

    it('made in one go are told once', async () => {
      const wire = bench.wire
      const before = wire.log.length
      await bench.control('add-tool', 'once_a')
      await wire.find(
        (message) => isNotice('notifications/tools/list_changed')(message) && wire.log.indexOf(message) >= before,
      )
      await bench.control('remove-tool', 'once_a')
      await bench.control('changed', 'prompts')
      await wire.find(
        (message) => isNotice('notifications/prompts/list_changed')(message) && wire.log.indexOf(message) >= before,
      )
      expect(wire.log.slice(before).filter(isNotice('notifications/tools/list_changed'))).toHaveLength(2)
    })
  })
}

const ID = 'io.modelcontextprotocol/subscriptionId'

function listenSuite(bench: Bench): void {
  const listen = async (wire: Wire, notifications: JsonObject, id: string) => {
    const seen: JsonObject[] = []
    const started = wire.start(
      'subscriptions/listen',
      { notifications },
      { id, seen: (message) => void seen.push(message) },
    )
    started.outcome.catch(() => {})
    const isMine = (message: JsonObject) =>
      ((message.params as JsonObject | undefined)?._meta as JsonObject | undefined)?.[ID] === id
    const acknowledged = await wire.find(
      (message) => isNotice('notifications/subscriptions/acknowledged')(message) && isMine(message),
    )
    return {
      ...started,
      isMine,
      acknowledged,
      mine: () => wire.log.filter((message) => 'method' in message && isMine(message)),
    }
  }
  const end = async (wire: Wire, id: string, abort: () => void) => {
    if (wire.transport === 'memory' || wire.transport === 'stdio')
      await wire.notify('notifications/cancelled', { requestId: id })
    else abort()
  }

  describe('subscriptions/listen', () => {
    it('acknowledges what is honoured, first', async () => {
      const { acknowledged, mine, id, abort } = await listen(
        bench.wire,
        {
          toolsListChanged: true,
          promptsListChanged: false,
          resourceSubscriptions: ['file:///readme.txt', 'data://secret', 'file:///nothing', 5],
          unheard: true,
          [ECHOES]: true,
        },
        'l1',
      )
      expect(acknowledged.params).toMatchObject({
        notifications: { toolsListChanged: true, resourceSubscriptions: ['file:///readme.txt'], [ECHOES]: true },
      })
      expect((acknowledged.params as { notifications: JsonObject }).notifications).not.toHaveProperty('unheard')
      expect(mine()[0]).toBe(acknowledged)
      await end(bench.wire, String(id), abort)
    })

    it('tells by filter and under its own id', async () => {
      const tools = await listen(bench.wire, { toolsListChanged: true, [ECHOES]: true }, 'l-tools')
      const both = await listen(
        bench.wire,
        { resourcesListChanged: true, promptsListChanged: true, resourceSubscriptions: ['data://json'] },
        'l-both',
      )
      await bench.control('changed', 'tools')
      await bench.control('changed', 'prompts')
      await bench.control('changed', 'resources')
      await bench.control('changed', 'data://json')
      await bench.control('changed', 'file:///readme.txt')
      await bench.control('echo')
      await bench.wire.find((message) => isNotice('notifications/resources/updated')(message) && both.isMine(message))
      await bench.wire.find((message) => isNotice('notifications/com.example/echoed')(message) && tools.isMine(message))
      expect(
        both
          .mine()
          .slice(1)
          .map(({ method, params }) => [method, (params as JsonObject).uri]),
      ).toEqual([
        ['notifications/prompts/list_changed', undefined],
        ['notifications/resources/list_changed', undefined],
        ['notifications/resources/updated', 'data://json'],
      ])
      expect(
        tools
          .mine()
          .slice(1)
          .map(({ method }) => method),
      ).toEqual(['notifications/tools/list_changed', 'notifications/com.example/echoed'])
      await end(bench.wire, 'l-tools', tools.abort)
      await end(bench.wire, 'l-both', both.abort)
    })

    it('needs a filter', async () => {
      for (const params of [{}, { notifications: 5 }, { notifications: [] }]) {
        expect((await bench.request('subscriptions/listen', params)).error).toMatchObject({
          code: -32602,
          data: { parameter: 'notifications' },
        })
      }
    })

    it('hears nothing more once it is cancelled', async () => {
      const first = await listen(bench.wire, { toolsListChanged: true }, 'l-gone')
      await end(bench.wire, 'l-gone', first.abort)
      const second = await listen(bench.wire, { toolsListChanged: true }, 'l-here')
      const before = first.mine().length
      await bench.control('changed', 'tools')
      await bench.wire.find(
        (message) => isNotice('notifications/tools/list_changed')(message) && second.isMine(message),
      )
      expect(first.mine()).toHaveLength(before)
      await end(bench.wire, 'l-here', second.abort)
    })
  })

  describe('extensions', () => {
    it('bring methods of their own', async () => {
      const { result } = await bench.request('com.example/echo/say', { text: 'hi' })
      expect(result).toMatchObject({ said: 'hi', resultType: 'complete' })
    })

    it('may insist that the client knows them', async () => {
      const refused = await bench.request('com.example/echo/strict')
      expect(refused.error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { 'com.example/echo': {} } } },
      })
      const capabilities = { extensions: { 'com.example/echo': {} } }
      expect((await bench.request('com.example/echo/strict', {}, { capabilities })).result).toMatchObject({ ok: true })
    })
  })
}

function registrySuite(bench: Bench): void {
  describe('a running server', () => {
    const names = async (method: string, member: string, key: string) =>
      ((await bench.request(method)).result[member] as JsonObject[]).map((item) => item[key])

    it('takes tools, and lets them go', async () => {
      await bench.control('add-tool', 'newcomer')
      expect(await names('tools/list', 'tools', 'name')).toContain('newcomer')
      expect(textOf((await bench.call('newcomer')).result)).toBe('new')
      expect(await bench.control('remove-tool', 'newcomer')).toEqual({ value: true })
      expect(await bench.control('remove-tool', 'newcomer')).toEqual({ value: false })
      expect(await names('tools/list', 'tools', 'name')).not.toContain('newcomer')
      expect((await bench.call('newcomer')).error).toMatchObject({ code: -32602 })
    })

    it('takes resources and prompts', async () => {
      await bench.control('add-resource', 'data://new')
      expect(await names('resources/list', 'resources', 'uri')).toContain('data://new')
      expect((await bench.request('resources/read', { uri: 'data://new' })).result.contents).toMatchObject([
        { text: 'new' },
      ])
      await bench.control('remove-resource', 'data://new')
      expect((await bench.request('resources/read', { uri: 'data://new' })).error).toBeDefined()
    })
  })

  if (!bench.modern) {
    it('methods of extensions are for modern clients', async () => {
      expect((await bench.request('com.example/echo/say', { text: 'hi' })).error).toMatchObject({ code: -32601 })
    })
  }
}

function middlewareSuite(bench: Bench): void {
  describe('use and on', () => {
    it('middleware alters arguments and result', async () => {
      const { result } = await bench.call('wrapped', { text: 'as sent' })
      expect(textOf(result)).toBe('altered\nand more')
    })

    it('an observer sees every call and what went wrong', async () => {
      await bench.call('annotated')
      await bench.call('nobody')
      const { observed } = await bench.control('read')
      const calls = (observed as JsonObject[]).filter(({ method }) => method === 'tools/call')
      expect(calls.some(({ error }) => error === undefined)).toBe(true)
      expect(calls.at(-1)?.error).toContain('Unknown tool')
    })
  })
}
