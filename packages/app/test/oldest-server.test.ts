import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost } from '@portico/host'
import { defineServer } from '@portico/host/config'
import { type Client, connect } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliArguments, createFolder, runCli } from './cli.ts'
import { cleanUp, startBench, until } from './web/open-workbench.ts'

// Whole processes are started, on machines that may be busy.
const SERVER = fileURLToPath(new URL('./oldest-server.py', import.meta.url))
const PYTHON = ['python3', 'python'].find((name) => spawnSync(name, ['--version']).status === 0)
const command = PYTHON ?? 'python3'
const ALLOW = [{ id: 'all', outcome: 'allow', evenIfTainted: true }]
const oldest = () => defineServer('oldest', { kind: 'stdio', command, args: [SERVER], env: {} })

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
  await mkdir(join(folder.path, 'config'))
  const config = { servers: { oldest: { command, args: [SERVER] } }, policy: { rules: ALLOW } }
  await writeFile(join(folder.path, 'config', 'portico.json'), JSON.stringify(config))
})
afterAll(() => folder.close())

/** Everything that such a server can do, and the list that it does not have. */
async function use(client: Client, prefix = ''): Promise<void> {
  expect((await client.listTools()).map(({ name }) => name)).toEqual([`${prefix}add`])
  expect((await client.listResources()).map(({ uri }) => uri)).toEqual(['note://today'])
  expect((await client.listPrompts()).map(({ name }) => name)).toEqual([`${prefix}greet`])
  expect(await client.listResourceTemplates()).toEqual([])
  expect((await client.callTool(`${prefix}add`, { a: 2, b: 3 })).content).toMatchObject([{ text: '5' }])
  expect((await client.readResource('note://today')).contents).toMatchObject([{ text: 'the note of today' }])
  expect((await client.getPrompt(`${prefix}greet`, { who: 'Ada' })).messages).toHaveLength(1)
}

describe.skipIf(PYTHON === undefined)(
  'a server of 19 lines in another language with the methods of the oldest document (founding 3; skipped without Python)',
  () => {
    it('is used by the client, which warns of the list that is missing', async () => {
      const client = await connect({ command, args: [SERVER] })
      const warnings: string[] = []
      client.on('warning', ({ message }) => warnings.push(message))
      await use(client)
      expect(warnings).toEqual([expect.stringContaining('resources/templates/list')])
      await client.close()
    })

    it.each([
      { words: ['list'], says: /add[\s\S]*note:\/\/today[\s\S]*greet/ },
      { words: ['call', 'add', 'a=2', 'b=3'], says: /^5/ },
      { words: ['read', 'note://today'], says: /the note of today/ },
      { words: ['prompt', 'greet', 'who=Ada'], says: /Greet Ada/ },
    ])('is used by the command line: $words', async ({ words: [verb = '', ...rest], says }) => {
      for (const target of [`${command} ${SERVER}`, 'oldest']) {
        const ran = await runCli([verb, target, ...rest], { cwd: folder.path, env: folder.env })
        expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(says) })
        expect(ran.stderr).not.toMatch(/error/i)
      }
    })

    it('is used by the host, in which it is ready and misses nothing', async () => {
      const host = await createHost({ servers: [oldest()], rules: ALLOW, unattended: true })
      try {
        const { items, missing } = await host.catalogue.list()
        expect(items.map(({ kind }) => kind).sort()).toEqual(['prompt', 'resource', 'tool'])
        expect([missing, host.catalogue.problems()]).toEqual([[], []])
        expect(host.upstreams.state('oldest')?.state).toBe('ready')
        expect((await host.call('oldest_add', { a: 2, b: 3 })).result.content).toMatchObject([{ text: '5' }])
        expect((await host.read('note://today')).result.contents).toMatchObject([{ text: 'the note of today' }])
        expect((await host.prompt('oldest_greet', { who: 'Ada' })).result.messages).toHaveLength(1)
      } finally {
        await host.close()
      }
    })

    it('is used through the gateway', async () => {
      const [program = '', ...args] = [process.execPath, ...cliArguments(), 'serve', '--stdio']
      const env = { PATH: process.env.PATH ?? '', ...folder.env }
      const client = await connect({ command: program, args, env, cwd: folder.path })
      try {
        await use(client, 'oldest_')
      } finally {
        await client.close()
      }
    })

    it('is used in the workbench', async () => {
      const bench = await startBench({ servers: [oldest()] })
      try {
        // It may have been asked before this page listened.
        await until(async () => (await bench.call('inbox.list', {})).questions.length > 0)
        const [asked] = (await bench.call('inbox.list', {})).questions
        await bench.call('inbox.answer', { id: asked?.id ?? '', answer: { action: 'allow' } })
        await bench.workbench.host.catalogue.refresh('oldest')
        const { items } = await bench.call('items.list', {})
        expect(items.map(({ kind }) => kind).sort()).toEqual(['prompt', 'resource', 'tool'])
        const { servers } = await bench.call('servers.list', {})
        expect(servers.find(({ name }) => name === 'oldest')?.state).toMatchObject({ state: 'ready' })
      } finally {
        await cleanUp()
      }
    })
  },
)
