import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createFolder, type Ran, runCli, startCli } from './cli.ts'

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const FIXTURE = `${process.execPath} ${fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))}`
/** Ends in the middle of a call, and says why above a stack. */
const LATE = `
import { createInterface } from 'node:readline'
const ANSWERS = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'late', version: '1' } },
  'tools/list': { tools: [{ name: 'boom', inputSchema: { type: 'object' } }] },
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (method === 'tools/call') {
    process.stderr.write('TypeError: no database\\n    at query (db.js:1:1)\\nbye\\n', () => process.exit(7))
    continue
  }
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: ANSWERS[method] ?? {} }))
}`

const QUITS = `
import { createServer, tool } from '@portico/sdk/server'
const input = { type: 'object', properties: { code: { type: 'integer' } }, required: ['code'] } as const
const quit = tool({ input }, ({ code }) => process.exit(code))
export default createServer({ name: 'quits', version: '1', tools: { quit } })
`

let folder: Awaited<ReturnType<typeof createFolder>>
const gate = createServer((_request, response) => {
  response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end()
})
let url = ''

beforeAll(async () => {
  folder = await createFolder()
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(gate.address() as AddressInfo).port}/mcp`
  await mkdir(join(folder.path, 'config'))
  await writeFile(join(folder.path, 'late.mjs'), LATE)
  await writeFile(join(folder.path, 'ends.ts'), 'process.exit(3)\n')
  await writeFile(join(folder.path, 'quits.ts'), QUITS)
  const servers = {
    late: { command: process.execPath, args: [join(folder.path, 'late.mjs')], comand: 'x' },
    remote: { url, headers: { Authorization: 'Bearer wrong' } },
  }
  await writeFile(join(folder.path, 'config', 'portico.json'), JSON.stringify({ servers }))
})
afterAll(async () => {
  gate.close()
  await folder.close()
})

const run = (...words: string[]): Promise<Ran> => runCli(words, { cwd: folder.path, env: folder.env })

describe.concurrent('what a newcomer is told', () => {
  it.each([
    [
      'a configured server that ends in a call',
      ['call', 'late', 'boom', '-y'],
      4,
      /late ended.*TypeError: no database/,
    ],
    [
      'a program that ends in a call',
      ['call', `${process.execPath} late.mjs`, 'boom'],
      4,
      /late\.mjs ended.*no database/,
    ],
    ['how to look closer', ['call', 'late', 'boom', '-y'], 4, /`portico doctor late`/],
    ['a tool that is not there', ['call', 'late', 'xyzzy', '-y'], 3, /`portico list late tools`/],
    ['a prompt that is not there', ['prompt', FIXTURE, 'xyzzy'], 3, /`portico list '.*fixture-server\.mjs' prompts`/],
    ['a tool that asks in a pipe', ['call', FIXTURE, 'ask'], 5, /nobody can be asked here: run it in a terminal/],
    ['a configured token', ['list', 'remote', '-y'], 5, /The token for "remote" was refused[\s\S]*portico\.json/],
    ['a definition that calls process.exit', ['list', './ends.ts'], 8, /ends\.ts called process\.exit\(3\)/],
    ['a tool that exits with 0', ['call', './quits.ts', 'quit', 'code=0'], 8, /quits\.ts called process\.exit\(0\)/],
    ['a tool that exits with 3', ['call', './quits.ts', 'quit', 'code=3'], 8, /quits\.ts called process\.exit\(3\)/],
    ['a server that nobody signs in to', ['servers', 'sign-out', 'late'], 2, /late has no sign-in/],
  ] as const)('names %s', async (_what, words, code, says) => {
    const ran = await run(...words)
    expect(ran).toMatchObject({ code, stderr: expect.stringMatching(says) })
  })

  it('names a token that was given on the command line', async () => {
    const ran = await run('list', url, '--header', 'Authorization: Bearer wrong')
    expect(ran).toMatchObject({ code: 5, stderr: expect.stringMatching(/was refused[\s\S]*--header/) })
  })

  it('asks whether another name was meant in portico.json and in its gateway', async () => {
    const file = join(folder.path, 'misspelled.json')
    const servers = { one: { command: 'x', comand: 'y' } }
    await writeFile(file, JSON.stringify({ servers, polcy: {}, gateway: { prot: 1, allowAnonymous: true } }))
    const { stderr } = await run('serve', file, '--check')
    expect(stderr).toMatch(/gateway\.prot is not known; did you mean "port"\?/)
    await writeFile(file, JSON.stringify({ servers, polcy: {}, gateway: { allowAnonymous: true } }))
    expect((await run('serve', file)).stderr).toContain(
      'gateway.allowAnonymous is not known; write "auth": { "way": "none" }',
    )
    await writeFile(file, JSON.stringify({ servers, polcy: {}, gateway: { auth: { way: 'none' } } }))
    const { stdout } = await run('serve', file, '--check', '--json')
    expect(stdout).toMatch(/Did you mean \\"policy\\"\?/)
    expect(stdout).toMatch(/Did you mean \\"command\\"\?/)
  })

  it('says nothing of a reload before anything has changed', async () => {
    const file = join(folder.path, 'quiet.json')
    const config = { servers: {}, gateway: { port: 0, auth: { way: 'none' } } }
    await writeFile(file, JSON.stringify(config))
    const serving = startCli(['serve', file], { cwd: folder.path, env: folder.env })
    await serving.until('stderr', /The gateway serves 0 servers/)
    // The next change is told, and was the first to be.
    await writeFile(file, JSON.stringify({ ...config, policy: { rules: [{ id: 'a', outcome: 'deny' }] } }))
    await serving.until('stderr', /reloaded/)
    serving.interrupt()
    const { stderr } = await serving.ended
    expect(stderr.match(/reloaded/g)).toHaveLength(1)
    expect(stderr.indexOf('reloaded')).toBeGreaterThan(stderr.indexOf('The gateway serves'))
  })
})
