/** Hooks for the first and the last subscriber of a resource, and log messages outside a request. */

import { expect, test } from 'vitest'
import { connect } from '../src/connect/connect.ts'
import { PROTOCOL_VERSIONS } from '../src/protocol/revision.ts'
import { resource } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'

const define = () =>
  createServer({
    name: 'watched',
    version: '1',
    onError: () => {},
    resources: { file: resource({ uri: 'mem://{name}' }, () => 'text') },
  })

test.each(PROTOCOL_VERSIONS)('sdk 17: onSubscribe and onUnsubscribe, once per resource, on %s', async (version) => {
  const server = define()
  const heard: string[] = []
  server.onSubscribe((uri) => void heard.push(`+${uri}`)).onUnsubscribe((uri) => void heard.push(`-${uri}`))
  const [one, two] = await Promise.all([connect(server, { versions: version }), connect(server, { versions: version })])
  const first = await one.subscribe('mem://a')
  const second = await two.subscribe('mem://a')
  expect(heard).toEqual(['+mem://a'])
  await first.close()
  await second.close()
  await expect.poll(() => heard).toEqual(['+mem://a', '-mem://a'])
  // A client that goes away takes its subscriptions along.
  await two.subscribe('mem://b')
  await two.subscribe('mem://a')
  await two.close()
  await expect.poll(() => heard.slice(2).sort()).toEqual(['+mem://a', '+mem://b', '-mem://a', '-mem://b'])
  await one.close()
})

test('a server that is adopted brings its hooks, and hears of those who are there', async () => {
  const server = define()
  const heard: string[] = []
  server.onUnsubscribe((uri) => void heard.push(`old -${uri}`))
  const client = await connect(server)
  await client.subscribe('mem://a')
  server.adopt(define().onSubscribe((uri) => void heard.push(`new +${uri}`)))
  expect(heard).toEqual(['old -mem://a', 'new +mem://a'])
  await client.close()
})

test('sdk 17: server.log reaches sessions whose level allows', async () => {
  const server = define()
  const logs: unknown[] = []
  const client = await connect(server, { versions: '2025-11-25' })
  client.on('log', ({ level, data }) => void logs.push([level, data]))
  await client.setLogLevel('warning')
  const circular: { self?: unknown } = {}
  circular.self = circular
  server.log('info', 'too quiet')
  server.log('error', { disk: 'full' })
  server.log('error', undefined)
  server.log('error', circular)
  await expect
    .poll(() => logs)
    .toEqual([
      ['error', { disk: 'full' }],
      ['error', 'undefined'],
      ['error', '[object Object]'],
    ])
  await client.close()
})
