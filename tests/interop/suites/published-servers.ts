/** Our client at published servers that nobody here wrote: every tool, resource, template and prompt that they list. */

import assert from 'node:assert/strict'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Client, type ConnectOptions, connect, RpcError, type Target, type Tool } from '@portico/sdk/client'
import type { Report } from '../../support/report.ts'
import type { Trial } from '../../support/suite.ts'
import { until } from '../../support/wait.ts'
import { createAnswers, type Json } from '../client-under-test.ts'
import { type Case, type Cases, everything, filesystem, memory, sequentialThinking } from '../published/cases.ts'
import { argumentsFor } from '../published/generate.ts'
import { startListening, toPublishedCommand } from '../published/program.ts'
import { allKinds } from '../vocabulary.ts'

export const publishedServerSuites: Trial[] = [
  {
    name: 'our client · server-everything · stdio',
    run: (report) => useEverything(report, toPublishedCommand('everything')),
  },
  { name: 'our client · server-everything · http', run: (report) => useEverythingBy(report, 'streamableHttp', '/mcp') },
  { name: 'our client · server-everything · sse', run: (report) => useEverythingBy(report, 'sse', '/sse') },
  { name: 'our client · server-filesystem · stdio', run: useFilesystem },
  { name: 'our client · server-memory · stdio', run: useMemory },
  {
    name: 'our client · server-sequential-thinking · stdio',
    run: (report) => useServer(report, toPublishedCommand('sequential-thinking'), sequentialThinking),
  },
]

const ROOTS = [{ uri: 'file:///home/ada/project', name: 'project' }]

async function useServer(
  report: Report,
  target: Target,
  cases: Cases,
  more: (client: Client) => Promise<void> = async () => {},
  roots = ROOTS,
): Promise<void> {
  const answers = createAnswers()
  const options: ConnectOptions = {
    roots,
    negotiations: false,
    // The default answers fit what these servers ask.
    sampling: async (params) => (await answers.sample({ ...params })) as never,
    elicitation: {
      form: async (params) => (await answers.elicit({ ...params })) as never,
      url: async (params) => (await answers.elicit({ ...params })) as never,
    },
  }
  let client: Client | undefined
  await report.check('connects and finds the newest common revision', async () => {
    client = await connect(target, options)
    assert.equal(client.version, '2025-11-25')
  })
  if (client === undefined) return
  await useTools(report, client, cases)
  await useResources(report, client, cases)
  await usePrompts(report, client, cases)
  await more(client)
  await report.check('disconnects', () => client?.close())
}

async function useTools(report: Report, client: Client, cases: Cases): Promise<void> {
  let tools: Tool[] = []
  await report.check('lists its tools, and the table knows none that is gone', async () => {
    tools = await client.listTools()
    assert.ok(tools.length > 0)
    const gone = Object.keys(cases.tools).filter((name) => tools.every((tool) => tool.name !== name))
    assert.deepEqual(gone, [])
  })
  for (const { name, inputSchema } of tools) {
    const uses = cases.tools[name] ?? [{ args: argumentsFor(inputSchema) }]
    for (const [at, use] of uses.entries()) {
      const again = uses.length > 1 ? ` (${at + 1})` : ''
      await report.check(`tool ${name}${again}`, () => useTool(client, name, use))
    }
  }
}

async function useTool(client: Client, name: string, { args, says, errors }: Case): Promise<void> {
  const call = client.callTool(name, args)
  if (errors) {
    // A refusal is the server's own word: an error result or a JSON-RPC error, not a timeout or a lost connection.
    const result = await call.catch((error: unknown) => {
      if (error instanceof RpcError) return { isError: true }
      throw error
    })
    assert.equal(result.isError, true, 'is refused')
    return
  }
  const result = await call
  const text = JSON.stringify(result)
  assert.notEqual(result.isError, true, text)
  assert.ok(result.content.length > 0, 'has content')
  if (says !== undefined) assert.match(text, says)
}

async function useResources(report: Report, client: Client, cases: Cases): Promise<void> {
  if (client.server.capabilities.resources === undefined) return
  const uris: string[] = []
  await report.check('lists its resources', async () => {
    uris.push(...(await client.listResources()).map(({ uri }) => uri))
    assert.ok(uris.length > 0)
  })
  await report.check('lists its templates, each with an example here', async () => {
    for (const { uriTemplate } of await client.listResourceTemplates()) {
      const examples = cases.templates[uriTemplate]
      assert.ok(examples !== undefined, `no example of ${uriTemplate}`)
      uris.push(...examples)
    }
  })
  for (const uri of uris) {
    await report.check(`resource ${uri}`, async () => {
      const { contents } = await client.readResource(uri)
      assert.ok(contents.length > 0)
      for (const one of contents) assert.ok('text' in one ? one.text.length > 0 : one.blob.length > 0)
    })
  }
}

async function usePrompts(report: Report, client: Client, cases: Cases): Promise<void> {
  if (client.server.capabilities.prompts === undefined) return
  const prompts = await client.listPrompts()
  await report.check('lists its prompts', () => assert.ok(prompts.length > 0))
  for (const { name, arguments: args = [] } of prompts) {
    const made = Object.fromEntries(args.filter(({ required }) => required).map((argument) => [argument.name, '1']))
    for (const [at, given] of (cases.prompts[name] ?? [made]).entries()) {
      await report.check(`prompt ${name} (${at + 1})`, async () => {
        assert.ok((await client.getPrompt(name, given)).messages.length > 0)
      })
    }
  }
}

async function useEverythingBy(report: Report, way: string, path: string): Promise<void> {
  const listening = await startListening(toPublishedCommand('everything', [way]))
  try {
    await useEverything(report, `${listening.origin}${path}`)
  } finally {
    await listening.close()
  }
}

async function useEverything(report: Report, target: Target): Promise<void> {
  await useServer(report, target, everything, async (client) => {
    await report.check('progress of a long operation', async () => {
      const seen: number[] = []
      const onProgress = ({ progress }: { progress: number }) => seen.push(progress)
      await client.callTool('trigger-long-running-operation', { duration: 0.2, steps: 4 }, { onProgress })
      assert.deepEqual(seen, [1, 2, 3, 4])
    })
    await report.check('completion that depends on an earlier choice', async () => {
      const ref = { type: 'ref/prompt' as const, name: 'completable-prompt' }
      const department = await client.complete({ ref, argument: { name: 'department', value: 'E' } })
      assert.deepEqual(department.completion.values, ['Engineering'])
      const context = { arguments: { department: 'Engineering' } }
      const names = await client.complete({ ref, argument: { name: 'name', value: '' }, context })
      assert.ok(names.completion.values.includes('Alice'))
    })
    await report.check('a resource made by a tool is announced, listed and read', async () => {
      const changed = new Promise<void>((resolve) => {
        const remove = client.on('change', ({ kind }) => {
          if (kind !== 'resources') return
          remove()
          resolve()
        })
      })
      await client.callTool('gzip-file-as-resource', { name: 'three.gz', data: 'data:text/plain,hi' })
      await changed
      const made = (await client.listResources()).find(({ uri }) => uri.endsWith('three.gz'))
      assert.ok(made !== undefined)
      assert.equal((await client.readResource(made.uri)).contents.length, 1)
    })
    await report.check('a task, driven by hand', () => runTask(client), { limitMs: 60_000 })
    await report.check('log level, subscription and ping', async () => {
      await client.setLogLevel('error')
      const subscription = await client.subscribe('demo://resource/static/document/features.md')
      await subscription.close()
      await client.ping()
    })
  })
}

/** Tasks are an experiment of 2025-11-25 that this client has no methods for; requests of any name are allowed. */
async function runTask(client: Client): Promise<void> {
  const params = { name: 'simulate-research-query', arguments: { topic: 'doors' }, task: { ttl: 60_000 } }
  const { task } = (await client.request('tools/call', params)) as { task: { taskId: string } }
  const { taskId } = task
  await until(async () => (await client.request('tasks/get', { taskId })).status === 'completed', 'the task', 50_000)
  const result = (await client.request('tasks/result', { taskId })) as Json
  assert.match(JSON.stringify(result), /doors/)
}

async function useFilesystem(report: Report): Promise<void> {
  await withFolder(async (folder) => {
    await writeFile(join(folder, 'notes.txt'), 'one\ntwo\nthree\n')
    const pixel = allKinds().find((block) => block.type === 'image')
    await writeFile(join(folder, 'pixel.png'), Buffer.from(pixel?.data ?? '', 'base64'))
    const roots = [{ uri: pathToFileURL(folder).href, name: 'folder' }]
    await useServer(report, toPublishedCommand('filesystem', [folder]), filesystem(folder), undefined, roots)
  })
}

async function useMemory(report: Report): Promise<void> {
  await withFolder(async (folder) => {
    const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }
    await useServer(report, { ...toPublishedCommand('memory'), env }, memory)
  })
}

async function withFolder(use: (folder: string) => Promise<void>): Promise<void> {
  // The real path: servers compare paths after following links.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'portico-interop-')))
  try {
    await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
