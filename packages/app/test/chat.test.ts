import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Script, type ScriptedProvider, startScriptedProvider } from '@portico/host/model'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFolder, runCli, startCli } from './cli.ts'

// The conversation itself is driven in a real terminal by `tests/cli/chat.ts`.

// Whole processes are started, on machines that may be busy.
const FIXTURE = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))
const CONNECT = { id: 'start', outcome: 'allow', effect: 'connect' }
const GREET = { id: 'hello', outcome: 'allow', effect: 'call', item: 'greet', evenIfTainted: true }
const SCRIPT: Script = {
  replies: [{ calls: [{ name: 'desk_greet', arguments: { name: 'Ada' } }] }, { text: 'I have greeted her.' }],
  topics: { 'talk on': [{ text: 'and on ', endless: true }] },
}

let folder: Awaited<ReturnType<typeof createFolder>>
let provider: ScriptedProvider
beforeEach(async () => {
  folder = await createFolder()
  provider = await startScriptedProvider(SCRIPT)
  await mkdir(join(folder.path, 'config'))
})
afterEach(async () => {
  await provider.close()
  await folder.close()
})

async function configure(rules: readonly object[]): Promise<{ cwd: string; env: { readonly [name: string]: string } }> {
  const config = {
    servers: { desk: { command: process.execPath, args: [FIXTURE] } },
    models: { scripted: { provider: 'openai-compatible', model: 'scripted', baseUrl: provider.url } },
    policy: { rules },
  }
  await writeFile(join(folder.path, 'config', 'portico.json'), JSON.stringify(config))
  return { cwd: folder.path, env: folder.env }
}

describe('portico chat without a terminal', () => {
  it('answers one message: the words on standard output, the calls on standard error', async () => {
    const place = await configure([CONNECT, GREET])
    const { code, stdout, stderr } = await runCli(['chat', 'say', 'hello'], place)
    expect([code, stdout]).toEqual([0, 'I have greeted her.\n'])
    expect(stderr).toMatch(/desk desk_greet \{"name":"Ada"\}\n {2}ok .*Hello, /)
  })

  it('denies what would ask, and tells the model (sec-161)', async () => {
    const { code, stderr } = await runCli(['chat'], { ...(await configure([CONNECT])), input: 'say hello\n' })
    expect([code, stderr]).toEqual([0, expect.stringMatching(/denied .*Nobody is there to be asked/)])
  })

  it('gives every event as JSON', async () => {
    const { stdout } = await runCli(['chat', 'hello', '--json'], await configure([CONNECT, GREET]))
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'done' })
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'call', call: expect.objectContaining({ status: 'ok' }) }),
    )
  })

  it.each([
    { words: ['chat', '-m', 'nobody', 'hi'], code: 7, says: 'There is no model "nobody"' },
    { words: ['chat', '-s', 'nobody', 'hi'], code: 3, says: 'There is no server "nobody"' },
    { words: ['chat'], code: 2, says: 'there is no message' },
  ])('refuses $words with $code', async ({ words, code, says }) => {
    expect(await runCli(words, await configure([CONNECT]))).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(says),
    })
  })

  it('stops on Ctrl-C with 130 and leaves nothing behind', async () => {
    const running = startCli(['chat', 'talk on'], await configure([CONNECT]))
    await running.until('stdout', /and on and on/)
    running.interrupt()
    expect(await running.ended).toMatchObject({ code: 130 })
  })
})
