import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from '@portico/sdk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliArguments, createFolder, runCli, startCli } from './cli.ts'

const SERVER = `import { createServer, tool } from '@portico/sdk/server'
import { greeting } from './words.ts'
const input = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
const greet = tool({ description: 'Greets', input }, ({ name }) => greeting + ', ' + name)
export default createServer({ name: 'greeter', version: '1.2.3', tools: { greet } })
`

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
  // No SDK is installed beside it: a definition gets ours.
  await writeFile(join(folder.path, 'server.ts'), SERVER)
  await writeFile(join(folder.path, 'words.ts'), "export const greeting: string = 'Hello'\n")
  await writeFile(join(folder.path, 'broken.ts'), 'export default {\n')
  await writeFile(join(folder.path, 'plain.ts'), 'export default 7\n')
  await writeFile(join(folder.path, 'needy.ts'), "import 'a-package-that-is-not-there'\nexport default 1\n")
  await mkdir(join(folder.path, 'docs'))
  await writeFile(join(folder.path, 'docs', 'note.txt'), 'a note')
})
afterAll(() => folder.close())

const place = () => ({ cwd: folder.path, env: folder.env })
const portico = (...words: string[]) => ({
  command: process.execPath,
  args: [...cliArguments(), ...words],
  cwd: folder.path,
  env: folder.env,
})

describe.concurrent('portico run', () => {
  it('serves a TypeScript file to the client that started it, and ends with it', async () => {
    const client = await connect(portico('run', 'server.ts'))
    expect(client.server.info).toMatchObject({ name: 'greeter', version: '1.2.3' })
    expect(await client.callTool('greet', { name: 'Ada' })).toMatchObject({ content: [{ text: 'Hello, Ada' }] })
    const pid = client.process?.pid
    await client.close()
    expect(() => process.kill(pid ?? -1, 0)).toThrow()
  })

  it('serves a ready-made server with its arguments', async () => {
    const client = await connect(portico('run', 'files', join(folder.path, 'docs'), '--max-results', '5'))
    const names = (await client.listTools()).map(({ name }) => name)
    expect(names.length).toBeGreaterThan(2)
    await client.close()
  })

  it('serves on a port, writes the address to standard output, and ends on Ctrl-C', async () => {
    const running = startCli(['run', 'server.ts', '--http', '0', '--socket', join(folder.path, 's.sock')], place())
    const [url] = await running.until('stdout', /http:\S+/)
    const [socket] = await running.until('stdout', /unix:\S+/)
    await running.until('stderr', /Serving greeter 1\.2\.3/)
    for (const address of [url, socket]) {
      const client = await connect(address)
      expect(await client.callTool('greet', { name: 'Bo' })).toMatchObject({ content: [{ text: 'Hello, Bo' }] })
      await client.close()
    }
    running.interrupt()
    expect(await running.ended).toMatchObject({ code: 0 })
  })

  it('serves a ready-made server on a port to nobody without the token (sec-95)', async () => {
    const running = startCli(['run', 'time', '--http', '0'], place())
    const [url] = await running.until('stdout', /http:\S+/)
    const [, token = ''] = await running.until('stderr', /Bearer (\S+)/)
    await expect(connect(url)).rejects.toThrow('HTTP 401')
    const client = await connect(url, { headers: { authorization: `Bearer ${token}` } })
    expect((await client.callTool('now')).isError).not.toBe(true)
    await client.close()
    running.interrupt()
    expect(await running.ended).toMatchObject({ code: 0 })
  })

  it('is listed over a WebSocket by who brings the token in a header (founding 2)', async () => {
    const running = startCli(['run', 'time', '--websocket', '0'], place())
    const [url] = await running.until('stdout', /ws:\S+/)
    const [, token = ''] = await running.until('stderr', /Bearer (\S+)/)
    const refused = await runCli(['list', url], place())
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining("--header 'Authorization: Bearer") })
    const listed = await runCli(['list', url, '--header', `Authorization: Bearer ${token}`], place())
    expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('now') })
    running.interrupt()
    expect(await running.ended).toMatchObject({ code: 0 })
  })

  it('tells programs the address as JSON', async () => {
    const running = startCli(['run', '--json', '--http', '0', 'server.ts'], place())
    const [line] = await running.until('stdout', /.*\n/)
    expect(JSON.parse(line)).toMatchObject({ name: 'greeter', urls: [expect.stringMatching(/^http:/)] })
    running.interrupt()
    await running.ended
  })

  it('shows the options of a ready-made server', async () => {
    const { stdout, code } = await runCli(['run', 'files', '--help'], place())
    expect(stdout).toContain('--max-read-bytes <number>')
    expect(stdout).toContain('--http <port>')
    expect(code).toBe(0)
  })
})

describe.concurrent('portico run with something else than a server says so in one line and what to do', () => {
  it.each([
    ['a name that nobody has', ['run', 'nobody'], 3, 'no file and no ready-made server "nobody"', 'Ready-made are'],
    ['a file that is not there', ['run', 'gone.ts'], 3, 'There is no file gone.ts', 'path'],
    ['a file that cannot be read', ['run', 'broken.ts'], 1, 'broken.ts cannot be loaded: Unexpected token', 'Correct'],
    [
      'a default export of another kind',
      ['run', 'plain.ts'],
      1,
      'plain.ts is no server',
      'export default createServer',
    ],
    ['a package that is not there', ['run', 'needy.ts'], 1, "'a-package-that-is-not-there'", 'npm install a-package'],
    ['an option of the wrong type', ['run', 'files', '--max-depth', 'deep'], 2, '--max-depth takes a number', '--help'],
    ['a port out of range', ['run', 'server.ts', '--http', '70000'], 2, '--http takes a port', ''],
    ['an unknown option', ['run', 'server.ts', '--fast'], 2, "Unknown option '--fast'", '--help'],
  ])('%s', async (_, words, code, message, remedy) => {
    const ran = await runCli(words, place())
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(ran.stderr).toContain(remedy)
    expect(ran.stderr).not.toMatch(/^\s+at /m)
    expect(ran.stderr.trim().split('\n').length).toBeLessThanOrEqual(2)
  })
})

describe('portico new', () => {
  it('makes a folder whose test passes and whose server answers', async () => {
    const { code, stdout, stderr } = await runCli(['new', 'My Weather'], place())
    expect(code).toBe(0)
    expect(stdout).toContain('server.test.ts')
    expect(stderr).toContain('npm test')
    const made = join(folder.path, 'My Weather')
    const client = await connect(portico('run', join(made, 'server.ts')))
    expect(client.server.info).toMatchObject({ name: 'my-weather' })
    expect(await client.callTool('to_fahrenheit', { celsius: 100 })).toMatchObject({
      content: [{ text: '100 °C is 212 °F' }],
    })
    await client.close()
  })

  it('writes nothing into a folder that is not empty', async () => {
    const ran = await runCli(['new', 'docs'], place())
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toContain('is not empty')
    const found = execFileSync('ls', [join(folder.path, 'docs')], { encoding: 'utf8' })
    expect(found).toBe('note.txt\n')
  })
})
