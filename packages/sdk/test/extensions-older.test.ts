/** Extensions on every revision: methods and notices for older clients that negotiated them by `experimental` (founding 9). */

import { afterEach, describe, expect, test } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions } from '../src/connect/options.ts'
import type { JsonObject } from '../src/jsonrpc/message.ts'
import { PROTOCOL_VERSIONS, type ProtocolVersion } from '../src/protocol/revision.ts'
import { serveHttp } from '../src/serve/adapters/http.ts'
import type { Extension } from '../src/server/features/extension.ts'
import { createServer } from '../src/server/server.ts'
import { deferred } from './client-peers.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

const ID = 'com.example/marks'
const LEGACY = PROTOCOL_VERSIONS.slice(0, 4)

function marks() {
  const heard = deferred<JsonObject>()
  const extension: Extension = {
    id: ID,
    settings: { most: 3 },
    methods: { 'marks/count': { run: () => ({ count: 2 }), requiresClient: true } },
    notifications: ['notifications/marks/added'],
    onNotification: { 'notifications/marks/seen': (params) => heard.resolve(params) },
  }
  return { server: createServer({ name: 'marked', version: '1', extensions: [extension] }), heard: heard.promise }
}

type Way = 'memory' | 'HTTP'
async function client(way: Way, versions: ProtocolVersion, options: ConnectOptions = {}) {
  const { server, heard } = marks()
  let target: Parameters<typeof connect>[0] = server
  if (way === 'HTTP') {
    const http = await serveHttp(server, { port: 0 })
    open.push(() => http.close())
    target = http.url
  }
  const made = await connect(target, { versions, negotiations: false, ...options })
  open.push(() => made.close())
  return { made, server, heard }
}

const WITH: ConnectOptions = { extensions: { [ID]: {} } }
const CASES = PROTOCOL_VERSIONS.flatMap((version) => [['memory', version] as const, ['HTTP', version] as const])

describe('an extension that both sides declare (founding 9)', () => {
  test.each(CASES)('answers its methods and hears notices: %s, %s', async (way, version) => {
    const { made, heard } = await client(way, version, WITH)
    expect(await made.request('marks/count')).toMatchObject({ count: 2 })
    await made.notify('notifications/marks/seen', { mark: 1 })
    expect(await heard).toMatchObject({ mark: 1 })
  })

  test.each(LEGACY)('is declared to older clients under `experimental`: %s', async (version) => {
    const { made } = await client('memory', version)
    expect(made.server.capabilities).toMatchObject({ experimental: { [ID]: { most: 3 } } })
    expect(made.server.capabilities).not.toHaveProperty('extensions')
  })

  test.each(LEGACY)('sends its notices to older clients: %s', async (version) => {
    const { made, server } = await client('memory', version, WITH)
    const notice = deferred<object>()
    made.on('notification', notice.resolve)
    server.announce('marks', 'notifications/marks/added', { mark: 2 })
    expect(await notice.promise).toMatchObject({ method: 'notifications/marks/added', params: { mark: 2 } })
  })
})

describe('an extension that the client does not declare (founding 9)', () => {
  test.each(LEGACY)('is not there: %s', async (version) => {
    const { made, server, heard } = await client('memory', version)
    await expect(made.request('marks/count')).rejects.toMatchObject({ rpcCode: -32601 })
    const told: string[] = []
    made.on('notification', ({ method }) => told.push(method))
    let seen = false
    void heard.then(() => {
      seen = true
    })
    server.announce('marks', 'notifications/marks/added', {})
    await made.notify('notifications/marks/seen', {})
    await made.ping()
    expect([told, seen]).toEqual([[], false])
  })
})

test('`client.notify` does not send what the client sends by itself (founding 9)', async () => {
  const { made } = await client('memory', '2025-11-25')
  await expect(made.notify('notifications/initialized')).rejects.toMatchObject({ code: 'invalid-arguments' })
})
