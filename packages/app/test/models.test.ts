import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ScriptedProvider, startScriptedProvider } from '@portico/host/model'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { freePort } from '../../../tests/support/free-port.ts'
import { createFolder, type Ran, type RunOptions, runCli } from './cli.ts'

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000 })

const FIXTURE = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))

let folder: Awaited<ReturnType<typeof createFolder>>
let provider: ScriptedProvider
beforeEach(async () => {
  folder = await createFolder()
  provider = await startScriptedProvider({ replies: [{ text: 'Here I am.' }] })
  await mkdir(join(folder.path, 'config'))
})
afterEach(async () => {
  await provider.close()
  await folder.close()
})

const run = (words: readonly string[], more: RunOptions = {}): Promise<Ran> =>
  runCli(words, { cwd: folder.path, ...more, env: { ...folder.env, ...more.env } })
const file = () => join(folder.path, 'config', 'portico.json')

/** The provider, with a look at the keys that come. */
async function startFront(): Promise<{ readonly url: string; readonly keys: unknown[]; close(): void }> {
  const keys: unknown[] = []
  const server = createServer(async (request, response) => {
    keys.push(request.headers.authorization)
    const body = Buffer.concat(await request.toArray())
    const answer = await fetch(`${provider.url.replace(/\/v1$/, '')}${request.url}`, { method: 'POST', body })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, keys, close: () => void server.close() }
}

describe('portico models', () => {
  it('adds a model by its address, which chat then uses, and removes it', async () => {
    await writeFile(file(), '{\n  // mine\n  "servers": {}\n}\n')
    const added = await run(['models', 'add', 'local', '--url', provider.url, '--model', 'scripted'])
    expect(added).toMatchObject({ code: 0, stderr: expect.stringContaining('portico chat -m local') })
    expect(await readFile(file(), 'utf8')).toMatch(/\/\/ mine[\s\S]*"local"[\s\S]*"model": "scripted"/)
    expect((await run(['models'])).stdout).toMatch(/^local\tready\tconfigured\tscripted at http/m)
    expect(await run(['chat', '-m', 'local', 'hello'])).toMatchObject({ code: 0, stdout: 'Here I am.\n' })
    expect(await run(['models', 'remove', 'local'])).toMatchObject({ code: 0 })
    expect((await run(['models', '--json'])).stdout).toBe('[]\n')
    expect(await run(['models', 'remove', 'local'])).toMatchObject({ code: 3 })
  })

  it('keeps a key in the secret store, never in the file, and forgets it with the model', async () => {
    const front = await startFront()
    const words = ['models', 'add', 'big', '--url', front.url, '--model', 'scripted', '--key']
    expect(await run(words, { input: 'sk-very-secret\n' })).toMatchObject({ code: 0 })
    expect(await readFile(file(), 'utf8')).not.toContain('sk-very-secret')
    expect(await readFile(join(folder.path, 'state', 'secrets'), 'utf8')).not.toContain('sk-very-secret')
    expect(await run(['chat', 'hello'])).toMatchObject({ code: 0, stdout: 'Here I am.\n' })
    expect(front.keys).toEqual(['Bearer sk-very-secret', 'Bearer sk-very-secret'])
    front.close()
    expect((await run(['models', 'remove', 'big'])).stderr).toContain('and its key')
  })

  it('newcomer 6: tries the address when it is added, keeps it all the same, and chat says which one does not answer', async () => {
    const url = `http://127.0.0.1:${await freePort()}/v1`
    const added = await run(['models', 'add', 'off', '--url', url, '--model', 'any'])
    expect(added).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`no model answers at ${url}: ECONNREFUSED`),
    })
    expect(added.stderr).toContain('Start the program that serves the model there')
    expect(await readFile(file(), 'utf8')).toContain('"off"')
    expect((await run(['models'])).stdout).toMatch(/^off\tno answer\t/m)
    const asked = await run(['chat', '-m', 'off', 'hello'])
    expect(asked).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`No model answers at ${new URL(url).origin} (`),
    })
    expect(asked.stderr).toContain('Start the program that serves the model there')
    const other = await run(['models', 'add', 'other', '--url', provider.url, '--model', 'absent'])
    expect(other.stderr).toContain('does not list absent; it has scripted')
  })

  it.each([
    { words: ['models', 'add', 'x'], code: 2, says: 'Give --url <url>, or --provider <name>' },
    { words: ['models', 'add', 'x', '--provider', 'openai'], code: 2, says: 'Give --model' },
    { words: ['models', 'add', 'x', '--url', 'http://127.0.0.1:1/v1'], code: 2, says: 'does not tell its models' },
    { words: ['models', 'ad'], code: 2, says: 'Did you mean `portico models add`' },
    { words: ['chat', '-m', 'gone', 'hello'], code: 7, says: 'There is no model "gone"' },
    { words: ['chat', 'hello'], code: 7, says: 'portico models add <name> --url <url> --model <model>' },
  ])('says what to do after $words', async ({ words, code, says }) => {
    // A server that is allowed to connect would be started, and its end noted in a log that is closed.
    const servers = { desk: { command: process.execPath, args: [FIXTURE] } }
    const policy = { rules: [{ id: 'start', outcome: 'allow', effect: 'connect' }] }
    await writeFile(file(), JSON.stringify({ servers, policy }))
    const ran = await run(words)
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(says) })
    expect(ran.stderr).not.toContain('audit')
  })
})
