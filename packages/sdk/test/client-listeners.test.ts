/** Every function that a client can be given to watch with: what it throws, now or later, ends nothing. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ClientEvents, Emitter, type Warning } from '../src/client/events.ts'
import { connect } from '../src/connect/connect.ts'
import type { ConnectOptions } from '../src/connect/options.ts'
import { PROTOCOL_VERSIONS } from '../src/protocol/revision.ts'
import { resource, tool } from '../src/server/items/definition.ts'
import { createServer } from '../src/server/server.ts'
import { PROCESS_MODERN, scriptedProcess, until } from './client-peers.ts'

const unheard: unknown[] = []
const hear = (error: unknown) => unheard.push(error)
let others: NodeJS.UncaughtExceptionListener[] = []
beforeEach(() => {
  others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', hear)
  process.on('unhandledRejection', hear)
})
afterEach(async () => {
  // Both are reported after the microtasks of a turn.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('uncaughtException', hear)
  process.off('unhandledRejection', hear)
  for (const other of others) process.on('uncaughtException', other)
  expect(unheard.splice(0)).toEqual([])
})

const FAILURES = [
  [
    'throws',
    () => {
      throw new Error('mine')
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('mine')
    },
  ],
] as const

/** Every event there is: a new one that is left out does not compile. */
const EVENTS: { readonly [E in keyof ClientEvents]: true } = {
  log: true,
  change: true,
  warning: true,
  notification: true,
  reconnect: true,
  disconnect: true,
  stderr: true,
  close: true,
}

function makeServer() {
  return createServer({
    name: 's',
    version: '1',
    tools: {
      work: tool({}, async (_, ctx) => {
        ctx.progress(1, 2)
        ctx.log('info', 'working')
        return 'done'
      }),
    },
    resources: { note: resource({ uri: 'a://note' }, () => 'note') },
  })
}

describe.each(FAILURES)('a listener that %s', (_, fail) => {
  it.each(Object.keys(EVENTS) as (keyof ClientEvents)[])(
    'to %s ends nothing, keeps nobody from hearing, and is warned of (attack 7, sec-243)',
    async (event) => {
      const emitter = new Emitter()
      const heard: unknown[] = []
      const warnings: Warning[] = []
      emitter.on(event, fail)
      emitter.on(event, (value) => heard.push(value))
      emitter.on('warning', (warning) => warnings.push(warning))
      emitter.emit(event, 'news' as never)
      expect(heard[0]).toBe('news')
      await new Promise((resolve) => setImmediate(resolve))
      if (event !== 'warning') expect(warnings).toMatchObject([{ kind: 'handler-failed', subject: event }])
    },
  )

  it.each(PROTOCOL_VERSIONS)(
    'to progress, logs, changes or a subscription on %s ends no call (attack 7, sec-243)',
    async (version) => {
      const server = makeServer()
      const client = await connect(server, { versions: [version], logLevel: 'debug' })
      const warned: (string | undefined)[] = []
      client.on('warning', ({ subject }) => warned.push(subject))
      client.on('log', fail)
      client.on('change', fail)
      await client.subscribe('a://note', fail)
      const { content } = await client.callTool('work', {}, { onProgress: fail })
      expect(content).toMatchObject([{ text: 'done' }])
      server.changed('a://note')
      await until(() => ['progress', 'log', 'change', 'a subscription'].every((one) => warned.includes(one)))
      expect(await client.listTools()).toHaveLength(1)
      await client.close()
    },
  )

  it('to a relayed log ends no call (attack 7, sec-243)', async () => {
    const client = await connect(makeServer(), { versions: ['2026-07-28'], logLevel: 'debug' })
    const { content } = await client.callTool('work', {}, { relay: { log: fail, paused: fail } })
    expect(content).toMatchObject([{ text: 'done' }])
    await client.close()
  })

  it('to a program or to its standard error ends no connection (attack 7, sec-243)', async () => {
    const lines: string[] = []
    const onProcess: ConnectOptions['onProcess'] = (started) => {
      started.onStderr(fail)
      started.onStderr((line) => lines.push(line))
      return fail()
    }
    const target = scriptedProcess(PROCESS_MODERN, `process.stderr.write('hello\\n')`)
    const client = await connect(target, { onProcess, negotiations: false })
    client.on('stderr', fail)
    await until(() => lines.includes('hello'))
    await client.close()
  })
})
