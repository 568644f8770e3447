/** A directory to serve, something secret beside it, and clients for the tests of the files server. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallToolResult } from '@portico/sdk/client'
import { type Answers, type TestClient, testClient } from '@portico/sdk/testing'
import type { ReadyServer } from '../../src/entry.ts'
import type { FilesOptions } from '../../src/files/options.ts'
import { createFilesServer } from '../../src/files/server.ts'

export const ERAS = ['2025-06-18', '2026-07-28'] as const
export const SECRET = 'the secret outside'

/** Made anew before each test. */
export let base: string
export let inside: string
export let outside: string
const closers: (() => Promise<unknown>)[] = []

export async function prepare(): Promise<void> {
  base = await realpath(await mkdtemp(join(tmpdir(), 'portico-files-')))
  inside = join(base, 'inside')
  outside = join(base, 'outside')
  await mkdir(join(inside, 'sub', 'deep'), { recursive: true })
  await mkdir(outside)
  await writeFile(join(outside, 'secret.txt'), SECRET)
  await writeFile(join(inside, 'hello.txt'), 'one\ntwo\nthree\n')
  await writeFile(join(inside, 'sub', 'note.md'), '# Note\nneedle here\n')
  await writeFile(join(inside, 'sub', 'deep', 'x.ts'), 'const needle = 1\n')
}

export async function cleanUp(): Promise<void> {
  for (const close of closers.splice(0)) await close()
  await rm(base, { recursive: true, force: true })
}

export async function start(options: Partial<FilesOptions> = {}): Promise<ReadyServer> {
  const ready = await createFilesServer({ directories: [inside], structured: true, ...options })
  closers.push(() => ready.close())
  return ready
}

export async function begin(
  options: Partial<FilesOptions> = {},
  { version = '2026-07-28', answers = {} }: { version?: (typeof ERAS)[number]; answers?: Answers } = {},
): Promise<TestClient> {
  const client = await testClient((await start(options)).server, { version, answers })
  closers.push(() => client.close())
  return client
}

export async function call(client: TestClient, name: string, args: object): Promise<CallToolResult> {
  return (await client.callTool(name, args as { [key: string]: unknown })) as CallToolResult
}

/** The structured content of a call that must succeed. */
export async function done<T = unknown>(client: TestClient, name: string, args: object): Promise<T> {
  const result = await call(client, name, args)
  if (result.isError) throw new Error(`${name} failed: ${JSON.stringify(result.content)}`)
  return result.structuredContent as T
}

/** The words of a call that must fail. */
export async function refusal(client: TestClient, name: string, args: object): Promise<string> {
  const result = await call(client, name, args)
  if (!result.isError) throw new Error(`${name} worked: ${JSON.stringify(result.structuredContent)}`)
  const [block] = result.content
  return block?.type === 'text' ? block.text : ''
}
