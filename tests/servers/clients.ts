/** Every server of the registry over standard input and output, driven by the official clients: list, and one real call. */

import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { Client as Client2 } from '@modelcontextprotocol/client'
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { SERVER_NAMES, type ServerName } from '@portico/servers'
import type { Trial } from '../support/suite.ts'
import { type FixtureCall, missingFor, openFixture } from './fixtures.ts'

const YES = { action: 'accept', content: { confirm: true } } as const
const ASKED = { capabilities: { elicitation: { form: {} } } }
const TIMEOUT = { timeout: 120_000 }

/** As much as the trial uses of a client, whoever wrote it. */
interface Driver {
  tools(): Promise<string[]>
  lists(): Promise<void>
  call(tool: string, args: FixtureCall['args']): Promise<{ readonly isError: boolean; readonly words: string }>
  close(): Promise<void>
}

type Connect = (command: { command: string; args: string[] }) => Promise<Driver>

const CLIENTS: readonly (readonly [string, Connect])[] = [
  ['the official client 1.32.2', connectSdk1],
  ['the official client 2.4.0', connectSdk2],
]

/** The short form has every second server used by one of them, in turn. */
export const clientTrials: readonly Trial[] = CLIENTS.flatMap(([client, connect], which) =>
  SERVER_NAMES.map((name, at) => ({
    name: `clients: ${name} by ${client}`,
    long: (2 * which + at) % 4 !== 0,
    missing: () => missingFor(name),
    run: () => drive(name, connect),
  })),
)

async function drive(name: ServerName, connect: Connect): Promise<void> {
  const fixture = await openFixture(name)
  try {
    const { values, tool, args, says } = fixture.callOf(name)
    const runner = fileURLToPath(new URL('../../scripts/run.mjs', import.meta.url))
    const program = fileURLToPath(new URL('serve.ts', import.meta.url))
    const client = await connect({ command: process.execPath, args: [runner, program, name, JSON.stringify(values)] })
    try {
      assert.ok((await client.tools()).includes(tool), `${name} has no ${tool}`)
      await client.lists()
      const { isError, words } = await client.call(tool, args)
      assert.ok(!isError, words.slice(0, 500))
      assert.match(words, says)
    } finally {
      await client.close()
    }
  } finally {
    await fixture.close()
  }
}

async function connectSdk1(command: { command: string; args: string[] }): Promise<Driver> {
  const client = new Client1({ name: 'official-1', version: '1.32.2' }, ASKED)
  client.setRequestHandler(ElicitRequestSchema, () => YES)
  await client.connect(new Stdio1({ ...command, env: environment(), stderr: 'inherit' }), TIMEOUT)
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }: { readonly name: string }) => name),
    async lists() {
      const offers = client.getServerCapabilities()
      if (offers?.resources) await client.listResources()
      if (offers?.resources) await client.listResourceTemplates()
      if (offers?.prompts) await client.listPrompts()
    },
    async call(name, args) {
      const result = await client.callTool({ name, arguments: args }, undefined, TIMEOUT)
      return { isError: result.isError === true, words: JSON.stringify(result) }
    },
    close: () => client.close(),
  }
}

async function connectSdk2(command: { command: string; args: string[] }): Promise<Driver> {
  const client = new Client2(
    { name: 'official-2', version: '2.4.0' },
    { ...ASKED, versionNegotiation: { mode: 'auto' } },
  )
  client.setRequestHandler('elicitation/create', () => YES)
  await client.connect(new Stdio2({ ...command, env: environment(), stderr: 'inherit' }), TIMEOUT)
  assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }: { readonly name: string }) => name),
    async lists() {
      const offers = client.getServerCapabilities()
      if (offers?.resources) await client.listResources()
      if (offers?.resources) await client.listResourceTemplates()
      if (offers?.prompts) await client.listPrompts()
    },
    async call(name, args) {
      const result = await client.callTool({ name, arguments: args }, TIMEOUT)
      return { isError: result.isError === true, words: JSON.stringify(result) }
    },
    close: () => client.close(),
  }
}

/** The loader that programs run from source with takes its place from the environment. */
function environment(): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
