/** A name that does not exist is said at once, wherever a program gives one: from JavaScript no compiler has read it. */

import { afterEach, describe, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import { connect } from '../src/connect/connect.ts'
import { createServer, tool } from '../src/doors/server.ts'
import type { Extension } from '../src/server/features/extension.ts'
import type { Server } from '../src/server/server.ts'

const ECHO: Extension = {
  id: 'com.example/echo',
  methods: { 'com.example/echo': { run: (params) => params } },
  notifications: ['notifications/com.example/heard'],
  filter: ({ heard }) => (heard === undefined ? {} : { heard }),
}
const create = () =>
  createServer({
    name: 'named',
    version: '1.0.0',
    tools: {
      loud: tool({}, (_, ctx) => {
        ctx.log('warn' as 'warning', 'x')
        return 'said'
      }),
    },
    extensions: [ECHO],
    onError: (error) => failures.push(error),
  })

const failures: unknown[] = []
const open: Client[] = []
afterEach(async () => {
  failures.length = 0
  for (const client of open.splice(0)) await client.close()
})

/** The names are typed; a program in JavaScript is not held by that. */
const named = <Name>(name: string): Name => name as Name

describe('sdk 17: a name that there is not, on a server', () => {
  const ways: readonly (readonly [string, (server: Server) => unknown, string])[] = [
    ['on', (it) => it.on('tools/cal', () => {}), 'method "tools/cal". Did you mean "tools/call"?'],
    ['on, of an extension', (it) => it.on('com.example/ecko', () => {}), '"com.example/echo"?'],
    ['on, from the server', (it) => it.on('roots/list', () => {}), '"tools/list"?'],
    ['on, a notice', (it) => it.on('notifications/cancelled', () => {}), '; there are initialize, '],
    ['on, a method of every object', (it) => it.on('constructor', () => {}), '; there are initialize, '],
    ['use', (it) => it.use(named<'prompts/get'>('prompt/get'), (_, next) => next()), '"prompts/get"?'],
    ['remove', (it) => it.remove(named<'tool'>('tools'), 'a'), 'kind of item "tools". Did you mean "tool"?'],
    ['describe', (it) => it.describe(named<'tool'>('resources'), 'a'), '"resource"?'],
    ['changed', (it) => it.changed('tool'), 'list or resource "tool". Did you mean "tools"?'],
    ['changed, a path', (it) => it.changed('/notes/today'), '; there are tools, '],
    ['changed, nothing', (it) => it.changed(named<'tools'>(undefined as never)), '"undefined"; there are tools, '],
    ['log', (it) => it.log(named<'error'>('eror'), 'x'), 'log level "eror". Did you mean "error"?'],
    ['announce', (it) => it.announce('heard', 'notifications/com.example/herd', {}), 'example/heard"?'],
  ]
  test.each(ways)('%s', (_, use, says) => {
    expect(() => use(create())).toThrow(expect.objectContaining({ code: 'invalid-definition' }))
    expect(() => use(create())).toThrow(says)
  })

  test('ctx.log', async () => {
    const client = await connect(create())
    open.push(client)
    await expect(client.callTool('loud')).resolves.toMatchObject({ isError: true })
    expect(String(failures[0])).toContain('log level "warn"; there are debug, info, notice, warning')
  })

  test('what exists is taken: requests of every revision, lists, URIs, an extension’s own, keys that are gone', () => {
    const server = create()
    for (const method of ['initialize', 'ping', 'server/discover', 'tools/call', 'com.example/echo']) {
      server.on(method, () => {}).use(named<'tools/call'>(method), (_, next) => next())
    }
    for (const what of ['tools', 'prompts', 'resources', 'note://a', 'note:1', 'mem://x/{y}']) server.changed(what)
    server.announce('heard', 'notifications/com.example/heard', {})
    // A newer client asks for it by a filter, and it need not be named for older ones.
    server.announce('other', 'notifications/com.example/moved', {})
    expect(server.remove('tool', 'gone')).toBe(false)
    expect(server.describe('template', 'gone')).toBeUndefined()
  })
})

describe('sdk 17: a name that there is not, on a client', () => {
  const ways: readonly (readonly [string, (client: Client) => unknown, string])[] = [
    ['on', (it) => it.on(named<'change'>('changed'), () => {}), 'event "changed". Did you mean "change"?'],
    ['on, another', (it) => it.on(named<'close'>('exit'), () => {}), '; there are log, change, '],
    ['setLogLevel', (it) => it.setLogLevel(named<'info'>('inof')), 'log level "inof"'],
    [
      'subscribe',
      (it) => it.subscribe({ toolListChanged: true }),
      '"toolListChanged". Did you mean "toolsListChanged"?',
    ],
    ['subscribe, a URI', (it) => it.subscribe({ resourceSubscription: ['a://b'] }), '"resourceSubscriptions"?'],
    ['connect', () => connect(create(), { logLevel: named<'info'>('warn') }), 'log level "warn"; there are debug, '],
    ['connect, an option', () => connect(create(), { named: 1, timeout: {} } as object), '"timeouts"?'],
  ]
  test.each(ways)('%s', async (_, use, says) => {
    const client = await connect(create())
    open.push(client)
    await expect((async () => use(client))()).rejects.toThrow(says)
  })

  test('a filter of an extension is taken', async () => {
    const server = create()
    const client = await connect(server, { versions: '2026-07-28' })
    open.push(client)
    const subscription = await client.subscribe({ heard: true })
    await subscription.close()
  })
})
