/** Real repositories for the tests of the git server, made with plain git and nobody's settings. */

import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { cp, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallToolResult } from '@portico/sdk/client'
import { type Answers, type TestClient, testClient } from '@portico/sdk/testing'
import type { GitOptions } from '../../src/git/options.ts'
import { createGitServer } from '../../src/git/server.ts'

export const ERAS = ['2025-06-18', '2026-07-28'] as const

const ENV = {
  PATH: process.env.PATH ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
}

/** Runs git as anybody would, with the repository's own configuration in force. */
export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: folder,
    env: ENV,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 10_000,
  })
}

/** The same where failing is fine. */
export function tryGit(folder: string, ...args: string[]): void {
  try {
    git(folder, ...args)
  } catch {
    // Whether it worked is not the question.
  }
}

export async function makeFolder(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'portico-git-')))
}

let original: Promise<string> | undefined

/** Two commits on main, one on other: a copy of a repository that is made once for the tests of a file. */
export async function makeRepository(folder: string): Promise<void> {
  original ??= makeOriginal()
  // With its times, so that git takes the files for unchanged.
  await cp(await original, folder, { recursive: true, preserveTimestamps: true })
}

async function makeOriginal(): Promise<string> {
  const folder = await makeFolder()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  git(folder, 'init', '--quiet', '--initial-branch=main', '--template=')
  git(folder, 'config', 'user.name', 'Ada')
  git(folder, 'config', 'user.email', 'ada@example.com')
  await writeFile(join(folder, 'a.txt'), 'one\ntwo\nthree\n')
  git(folder, 'add', '.')
  git(folder, 'commit', '--quiet', '-m', 'First\n\nThe reason')
  git(folder, 'branch', 'other')
  await writeFile(join(folder, 'a.txt'), 'one\n2\nthree\n')
  git(folder, 'commit', '--quiet', '-am', 'Second')
  git(folder, 'switch', '--quiet', 'other')
  await writeFile(join(folder, 'b.txt'), 'b\n')
  git(folder, 'add', '.')
  git(folder, 'commit', '--quiet', '-m', 'Elsewhere')
  git(folder, 'switch', '--quiet', 'main')
  return folder
}

/** What a test opened, to be closed when it is over. */
export class Opened {
  readonly #closers: (() => Promise<unknown>)[] = []

  async folder(): Promise<string> {
    const folder = await makeFolder()
    this.#closers.unshift(() => rm(folder, { recursive: true, force: true }))
    return folder
  }

  async client(
    options: GitOptions,
    { version = '2026-07-28', answers = {} }: { version?: (typeof ERAS)[number]; answers?: Answers } = {},
  ): Promise<TestClient> {
    const ready = await createGitServer({ structured: true, ...options })
    const client = await testClient(ready.server, { version, answers })
    this.#closers.push(
      () => client.close(),
      () => ready.close(),
    )
    return client
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close()
  }
}

export async function call(client: TestClient, name: string, args: object = {}): Promise<CallToolResult> {
  return client.callTool(name, args as { [key: string]: unknown }) as Promise<CallToolResult>
}

/** The structured content of a call that must succeed. */
export async function done<T>(client: TestClient, name: string, args: object = {}): Promise<T> {
  const result = await call(client, name, args)
  if (result.isError) throw new Error(`${name} failed: ${JSON.stringify(result.content)}`)
  return result.structuredContent as T
}

/** The words of a call that must fail. */
export async function refusal(client: TestClient, name: string, args: object = {}): Promise<string> {
  const result = await call(client, name, args)
  if (!result.isError) throw new Error(`${name} worked: ${JSON.stringify(result.structuredContent)}`)
  const [block] = result.content
  return block?.type === 'text' ? block.text : ''
}
