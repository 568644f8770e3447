/** What the command line says to whoever is new to it where a word is mistyped, a port is taken or nobody can be asked. */

import { closeSync, openSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canHoldClient } from '../src/cli/gateway/standard-input.ts'
import { DEV_PORT, WORKBENCH_PORT } from '../src/cli/parse/default-ports.ts'
import { createFolder, type Ran, startCli } from './cli.ts'

const FIXTURE = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))
const DEFINITION = `import { createServer } from '@portico/sdk/server'
export default createServer({ name: 'weather', version: '1.0.0', tools: {} })
`

let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
  const servers = { desk: { command: process.execPath, args: [FIXTURE] } }
  await mkdir(join(folder.path, 'config'))
  await writeFile(join(folder.path, 'config', 'portico.json'), JSON.stringify({ servers }))
  await writeFile(join(folder.path, 'weather.ts'), DEFINITION)
})
afterAll(() => folder.close())

const start = (words: readonly string[], input?: string) =>
  startCli(words, { cwd: folder.path, env: folder.env, ...(input !== undefined && { input }) })
const run = (words: readonly string[], input?: string): Promise<Ran> => start(words, input).ended

describe.concurrent('what is said', () => {
  it.each([
    ['H2', ['doctor', 'desk'], 1, /`portico list desk` asks/],
    ['H2', ['conformance', 'desk'], 5, /`portico list desk` asks/],
    ['H2', ['call', 'desk', 'greet', 'name=Ada'], 5, /terminal to be asked, give `--yes` for this one time/],
    ['low', ['list', 'tiem'], 3, /Did you mean "time"\?/],
    ['low', ['list', 'desc'], 3, /Did you mean "desk"\?/],
    ['low', ['run', 'tiem'], 3, /Did you mean "time"\?/],
    ['low', ['servers', 'sign-out', 'dsek'], 3, /Did you mean "desk"\?/],
    ['low', ['list', 'files', './nodir'], 2, /nodir\n {2}.*`portico run files --help`/],
    ['low', ['run', 'files', './nodir', '--http', '0'], 2, /nodir\n {2}.*`portico run files --help`/],
    ['low', ['run', 'time', '--http', '6000'], 2, /port 6000 cannot be used: browsers.*\n.*`--http 3000`/],
    ['low', ['start', '--no-open', '--port', '6000'], 2, /port 6000 cannot be used: browsers.*\n.*`--port 3000`/],
    ['low', ['serve', '--auth', 'none', '--port', '6000'], 2, /port 6000 cannot be used: browsers.*\n.*`--port 3000`/],
  ])('newcomer %s: portico %j', async (_row, words, code, said) => {
    const ran = await run(words)
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringMatching(said)])
  })

  it.each([['doctor'], ['conformance']])('newcomer H2: %s offers no option that it does not take', async (command) => {
    expect((await run([command, 'desk'])).stderr).not.toContain('--yes')
  })

  it.each([['remove'], ['sign-out'], ['enable'], ['logs']])(
    'newcomer: servers %s speaks of configured servers only',
    async (action) => {
      const { code, stderr } = await run(['servers', action, 'xyzzy'])
      expect([code, stderr]).toEqual([3, expect.stringContaining('Configured is desk.')])
      expect(stderr).not.toContain('will do, too')
    },
  )
})

describe('nobody at standard input', () => {
  it('newcomer M3: /dev/null is nobody; a pipe and a file may be a client', async () => {
    for (const [path, can] of [
      [devNull, false],
      [join(folder.path, 'weather.ts'), true],
    ] as const) {
      const fd = openSync(path, 'r')
      expect(canHoldClient({ isTTY: false, fd })).toBe(can)
      closeSync(fd)
    }
    expect(canHoldClient({ isTTY: true, fd: 0 })).toBe(false)
  })

  it('newcomer M3: dev serves on its port until a signal, and says so', async () => {
    const running = start(['dev', 'weather.ts'], 'none')
    await running.until('stderr', new RegExp(`served on port ${DEV_PORT} until a signal`))
    // Where another program has the port, it says that instead of ending with 0.
    const serving = running.until('stdout', /http:\S+/).catch(() => undefined)
    if ((await serving) === undefined) {
      expect(await running.ended).toMatchObject({ code: 4, stderr: expect.stringContaining(`Port ${DEV_PORT}`) })
      return
    }
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
  })

  it.each([[['run', 'weather.ts']], [['bridge', 'weather.ts']]])(
    'newcomer M3: portico %j says that no client can be there, and does not end with 0',
    async (words) => {
      const { code, stderr } = await run(words, 'none')
      expect([code, stderr]).toEqual([2, expect.stringMatching(/is empty \(\/dev\/null\)[\s\S]*`--http 3000`/)])
    },
  )
})

describe('the usual port of the workbench', () => {
  let other: Server
  beforeAll(async () => {
    other = createServer()
    // Whoever has it already does as well.
    await new Promise<void>((resolve) => {
      other.once('error', () => resolve()).listen(WORKBENCH_PORT, '127.0.0.1', resolve)
    })
  })
  afterAll(() => void other.close())

  it('newcomer: start says who has it, and which one is used', async () => {
    const running = start(['start', '--no-open'])
    const [, port] = await running.until('stderr', /port 4630 is in use by .*; the workbench is on port (\d+) now/)
    const [url] = await running.until('stdout', /http:\S+/)
    expect(new URL(url).port).toBe(port)
    running.interrupt()
    await running.ended
  })
})
