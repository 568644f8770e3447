/** What goes on around requests: the handshake, ping, logging, progress, cancellation, context, resumption. */

import assert from 'node:assert/strict'
import { until } from '../../support/wait.ts'
import { jsonOf, type Progress, textOf } from '../client-under-test.ts'
import { type Check, spokenIn } from '../server-under-test.ts'

export const sessionChecks: Check[] = [
  {
    name: 'the server introduces itself: name, instructions, capabilities',
    async run({ client, server }) {
      assert.equal(client.server.name, server.maker === 'ours' ? 'portico-interop' : `official-${server.maker.at(-1)}`)
      assert.equal(client.server.instructions, 'Ring the bell before you enter.')
      for (const name of ['tools', 'resources', 'prompts', 'logging']) {
        assert.ok(client.server.capabilities[name] !== undefined, `declares ${name}`)
      }
    },
  },
  {
    name: 'experimental capabilities can be read',
    when: ({ server }) => server.maker === 'ours',
    async run({ client }) {
      const { experimental } = client.server.capabilities as { experimental?: { [name: string]: unknown } }
      assert.deepEqual(experimental?.['com.example/bell'], { rings: 2 })
    },
  },
  {
    name: 'ping, or discovery where there is no ping',
    async run({ client }) {
      await client.ping()
    },
  },
  {
    name: 'log messages from the level on that was asked for',
    async run({ client }) {
      for (const [level, expected] of [
        ['warning', ['warning', 'error']],
        ['debug', ['debug', 'info', 'warning', 'error']],
      ] as const) {
        await client.setLevel(level)
        client.heard.clear()
        await client.callTool('chat')
        await client.heard.next('notifications/message', ({ level }) => level === 'error')
        const messages = client.heard.of('notifications/message')
        assert.deepEqual(
          messages.map(({ params }) => params.level),
          expected,
        )
        assert.deepEqual([messages[0]?.params.logger, messages[0]?.params.data], ['chatter', { about: expected[0] }])
      }
    },
  },
  {
    name: 'progress in order, before the result, with a message where the revision has one',
    async run(pair) {
      const { client } = pair
      const seen: Progress[] = []
      const result = await client.callTool('count', { to: 5 }, { onProgress: (progress) => seen.push(progress) })
      assert.equal(textOf(result), 'counted to 5')
      assert.deepEqual(
        seen.map(({ progress, total }) => [progress, total]),
        [1, 2, 3, 4, 5].map((at) => [at, 5]),
      )
      assert.equal(seen[0]?.message, spokenIn(pair) >= '2025-03-26' ? 'at 1' : undefined)
    },
  },
  {
    name: 'progress that comes together with the result is not lost',
    // The official clients lose it; see the README.
    when: ({ client, server }) => server.maker === 'ours' && (client.maker === 'raw' || client.maker === 'ours'),
    async run({ client }) {
      for (let call = 0; call < 10; call += 1) {
        const seen: number[] = []
        await client.callTool('burst', {}, { onProgress: ({ progress }) => seen.push(progress) })
        assert.deepEqual(seen, [1, 2, 3, 4, 5])
      }
    },
  },
  {
    name: 'cancellation reaches the handler',
    async run({ client }) {
      const before = Number(textOf(await client.callTool('waited')))
      const controller = new AbortController()
      const call = client.callTool('wait', {}, { signal: controller.signal, onProgress: () => controller.abort() })
      await assert.rejects(call)
      await until(
        async () => Number(textOf(await client.callTool('waited'))) === before + 1,
        'the handler heard of the cancellation',
      )
    },
  },
  {
    name: 'the request’s revision, client and trace context reach the handler',
    when: ({ server }) => server.maker === 'ours',
    async run({ client, version }) {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
      const seen = jsonOf(await client.callTool('context', {}, { meta: { traceparent } }))
      assert.equal(seen.version, version)
      assert.equal(seen.traceparent, traceparent)
      assert.equal(typeof seen.client, 'string')
    },
  },
  {
    name: 'an argument is mirrored in its header over modern HTTP',
    when: ({ modern, server }) => server.maker === 'ours' && modern && server.address.kind === 'http',
    async run({ client }) {
      await client.list('tools')
      const seen = jsonOf(await client.callTool('route', { region: 'eu-west' }))
      assert.deepEqual(seen, { region: 'eu-west', header: 'eu-west' })
    },
  },
  {
    name: 'a connection that the server lets go is resumed and nothing is lost',
    when: ({ version, server }) =>
      server.maker !== 'sdk-2' && version === '2025-11-25' && server.address.kind === 'http',
    async run({ client }) {
      assert.equal(textOf(await client.callTool('nap', {}, { onProgress: () => {} })), 'rested')
    },
  },
]
