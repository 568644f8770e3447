/** Servers that declare a capability and lack one of its lists, over every way to reach them. */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import type { Client } from '../src/client/client.ts'
import type { Warning } from '../src/client/events.ts'
import { connect } from '../src/connect/connect.ts'
import type { Target } from '../src/connect/options.ts'
import { PROTOCOL_VERSIONS } from '../src/protocol/revision.ts'
import {
  discovered,
  error,
  initialized,
  json,
  legacyChannel,
  modernChannel,
  PROCESS_LEGACY,
  result,
  scriptedHttp,
  scriptedProcess,
} from './client-peers.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function client(target: Target): Promise<{ made: Client; warnings: Warning[] }> {
  const made = await connect(target, { negotiations: false })
  open.push(() => made.close())
  const warnings: Warning[] = []
  made.on('warning', (warning) => warnings.push(warning))
  return { made, warnings }
}

const MISSING = -32601
const LISTS = [
  ['tools/list', 'listTools'],
  ['resources/list', 'listResources'],
  ['resources/templates/list', 'listResourceTemplates'],
  ['prompts/list', 'listPrompts'],
] as const

async function http(modern: boolean): Promise<string> {
  const server = await scriptedHttp(({ body }, response) => {
    const { id, method } = body ?? {}
    if (method === 'server/discover' && modern) json(response, 200, result(id, discovered()))
    else if (method === 'initialize' && !modern) json(response, 200, result(id, initialized()))
    else if (id === undefined) response.writeHead(method === undefined ? 405 : 202).end()
    else json(response, modern ? 404 : 200, error(id, MISSING))
  })
  open.push(() => server.close())
  return server.url
}

/** Servers that answer the handshake and nothing else, by the way they are reached. */
const WAYS: [way: string, target: () => Target | Promise<Target>][] = [
  ...PROTOCOL_VERSIONS.map((version): [string, () => Target] => [
    `memory, ${version}`,
    () => {
      const make = version === '2026-07-28' ? modernChannel : legacyChannel
      return make(({ id }, reply) => id !== undefined && reply(error(id, MISSING)), version).channel
    },
  ]),
  ['HTTP, modern', () => http(true)],
  ['HTTP, older', () => http(false)],
  [
    'a process',
    () =>
      scriptedProcess(
        `${PROCESS_LEGACY}; if ('id' in message) reply({ jsonrpc: '2.0', id: message.id, error: { code: ${MISSING}, message: 'no' } })`,
      ),
  ],
]

describe('a list that a server lacks (founding 3)', () => {
  test.each(WAYS)('is empty, with a warning that names it: %s', async (_way, target) => {
    const { made, warnings } = await client(await target())
    for (const [, list] of LISTS) expect(await made[list]()).toEqual([])
    expect(warnings.map(({ kind, subject }) => [kind, subject])).toEqual(
      LISTS.map(([method]) => ['list-missing', method]),
    )
  })

  test('any other error of a list stands, and so does a list that ends in the middle', async () => {
    const { channel } = legacyChannel(({ id, method, params }, reply) => {
      if (method === 'resources/list') reply(error(id, -32603))
      else if (params?.cursor === 'next') reply(error(id, MISSING))
      else if (id !== undefined) reply(result(id, { prompts: [{ name: 'one' }], nextCursor: 'next' }))
    })
    const { made, warnings } = await client(channel)
    await expect(made.listResources()).rejects.toMatchObject({ rpcCode: -32603 })
    await expect(made.listPrompts()).rejects.toMatchObject({ rpcCode: MISSING })
    expect(warnings).toEqual([])
  })

  test.skipIf(spawnSync('python3', ['--version']).status !== 0)(
    'a server in another language with only the methods of the oldest document is used without an error',
    async () => {
      const args = [fileURLToPath(new URL('oldest-server.py', import.meta.url))]
      const { made, warnings } = await client({ command: 'python3', args })
      expect(made.version).toBe('2024-11-05')
      expect((await made.listTools()).map(({ name }) => name)).toEqual(['add'])
      expect(await made.callTool('add', { a: 1, b: 2 })).toMatchObject({ content: [{ text: '3' }] })
      expect(await made.listResourceTemplates()).toEqual([])
      expect(await made.listPrompts()).toEqual([])
      expect(await made.readResource('note://1')).toMatchObject({ contents: [{ text: 'hello' }] })
      expect(warnings.map(({ subject }) => subject)).toEqual(['resources/templates/list', 'prompts/list'])
    },
  )
})
