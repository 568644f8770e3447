/** What a person meets in the first hour at the terminal, as they would type it. */

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { DEV_PORT, GATEWAY_PORT, WORKBENCH_PORT } from '../src/cli/parse/default-ports.ts'
import { createFolder, type Ran, type Running, runCli, startCli } from './cli.ts'

const FIXTURE = fileURLToPath(new URL('./fixture-server.mjs', import.meta.url))
const DEFINITION = `import { createServer } from '@portico/sdk/server'
export default createServer({ name: 'weather', version: '1.0.0', tools: {} })
`

interface Place {
  readonly path: string
  run(...words: string[]): Promise<Ran>
  start(...words: string[]): Running
  runIn(folder: string, ...words: string[]): Promise<Ran>
  write(name: string, text: string): Promise<string>
}

async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  const { path, env, close } = await createFolder()
  const runIn = (folder: string, ...words: string[]) => runCli(words, { cwd: join(path, folder), env })
  try {
    await work({
      path,
      run: (...words) => runIn('', ...words),
      runIn,
      start: (...words) => startCli(words, { cwd: path, env }),
      write: async (name, text) => {
        const file = join(path, name)
        await mkdir(join(file, '..'), { recursive: true })
        await writeFile(file, text)
        return file
      },
    })
  } finally {
    await close()
  }
}

describe.concurrent('a server inside this process', () => {
  it.each([['weather.ts'], ['time']])('newcomer B1: listen %s stays until Ctrl-C and ends with 0', (target) =>
    inPlace(async ({ write, start }) => {
      await write('weather.ts', DEFINITION)
      const running = start('listen', target)
      await running.until('stderr', /Listening to/)
      running.interrupt()
      expect(await running.ended).toMatchObject({ code: 0 })
    }),
  )
})

describe.concurrent('portico servers add', () => {
  it('newcomer B5: keeps the folder that relative words mean, so that it works from another', () =>
    inPlace(async ({ path, write, run, runIn }) => {
      await write('here/main.mjs', await readFile(FIXTURE, 'utf8'))
      await mkdir(join(path, 'there'))
      await runIn('here', 'servers', 'add', 'near', '--', process.execPath, 'main.mjs')
      await run('servers', 'add', 'far', '--', process.execPath, '--version')
      const { servers } = JSON.parse(await readFile(join(path, 'config', 'portico.json'), 'utf8'))
      expect(servers.near.cwd).toMatch(/here$/)
      expect(servers.far.cwd).toBeUndefined()
      expect(await runIn('there', 'call', 'near', 'greet', 'name=Ada', '-y')).toMatchObject({ code: 0 })
    }))

  it('newcomer 4: leaves a server of that name alone unless told otherwise, and tells what was there', () =>
    inPlace(async ({ path, run }) => {
      const entry = async () => JSON.parse(await readFile(join(path, 'config', 'portico.json'), 'utf8')).servers.web
      await run('servers', 'add', 'web', 'https://one.example/mcp')
      const refused = await run('servers', 'add', 'web', 'https://two.example/mcp')
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('https://one.example/mcp') })
      expect(refused.stderr).toContain('`--replace`')
      expect((await entry()).url).toBe('https://one.example/mcp')
      expect((await run('servers', 'add', 'web', 'https://one.example/mcp')).stderr).toContain('Already in')
      const replaced = await run('servers', 'add', 'web', 'https://two.example/mcp', '--replace')
      expect(replaced).toMatchObject({ code: 0, stderr: expect.stringContaining('It was: https://one.example/mcp') })
      expect((await entry()).url).toBe('https://two.example/mcp')
    }))

  it('newcomer B5: a definition is stored by its whole path and started by this very program', () =>
    inPlace(async ({ path, write, run }) => {
      const file = await write('weather.ts', DEFINITION)
      await run('servers', 'add', 'weather', 'weather.ts')
      const { servers } = JSON.parse(await readFile(join(path, 'config', 'portico.json'), 'utf8'))
      expect(servers.weather.args.at(-1)).toBe(file)
      expect(servers.weather.command).not.toBe('npx')
    }))
})

describe.concurrent('portico doctor and servers', () => {
  it('newcomer B6: names only files that exist, and counts what it could not look at', () =>
    inPlace(async ({ path, run }) => {
      expect((await run('doctor')).stdout).toContain('0 servers from no file yet')
      await run('servers', 'add', 'one', '--', process.execPath, FIXTURE)
      const { code, stdout, stderr } = await run('doctor')
      expect(code).toBe(0)
      expect(stdout).toContain(`1 server from ${join(path, 'config', 'portico.json')}\n`)
      expect(stdout).toContain('note\tone\twaits for permission')
      expect(stderr).toContain('1 server could not be looked at without your permission')
    }))

  it('newcomer B6: a server that fails is a failure, and the exit code says so', () =>
    inPlace(async ({ write, run }) => {
      await write(
        'config/portico.json',
        JSON.stringify({ servers: { bad: { command: process.execPath, args: ['-e', 'process.exit(3)'] } } }),
      )
      const seen = await run('servers', '-y')
      expect(seen).toMatchObject({ code: 1, stdout: expect.stringMatching(/^bad\tfailed/) })
    }))

  it('newcomer B19: servers says what waits for permission, and -y gives it for this one time', () =>
    inPlace(async ({ run }) => {
      await run('servers', 'add', 'one', '--', process.execPath, FIXTURE)
      const asked = await run('servers')
      expect(asked).toMatchObject({ stdout: expect.stringMatching(/^one\twaits for permission/) })
      expect(asked.stderr).toContain('nobody has allowed it yet')
      expect(await run('servers', '-y')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^one\tready/) })
      expect((await run('servers')).stdout).toContain('waits for permission')
    }))
})

describe.concurrent('portico install', () => {
  const read = async (path: string) => JSON.parse(await readFile(join(path, '.cursor', 'mcp.json'), 'utf8')).mcpServers

  it('newcomer B7: names the entry after the definition, else after the folder', () =>
    inPlace(async ({ path, write, run }) => {
      await write('a/server.ts', DEFINITION)
      await write('lamp/server.ts', 'export default 1')
      expect(await run('install', 'cursor', 'a/server.ts', '-y')).toMatchObject({ code: 0 })
      expect(await run('install', 'cursor', 'lamp/server.ts', '-y')).toMatchObject({ code: 0 })
      expect(Object.keys(await read(path))).toEqual(['weather', 'lamp'])
    }))

  it('newcomer B7: does not write over another server of the same name', () =>
    inPlace(async ({ path, write, run }) => {
      await write('a/server.ts', DEFINITION)
      await write('b/server.ts', DEFINITION)
      await run('install', 'cursor', 'a/server.ts', '-y')
      const second = await run('install', 'cursor', 'b/server.ts', '-y')
      expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining('--name weather-2') })
      expect(await run('install', 'cursor', 'a/server.ts', '-y')).toMatchObject({ code: 0 })
      expect(await run('install', 'cursor', 'b/server.ts', '-y', '--name', 'other')).toMatchObject({ code: 0 })
      expect(Object.keys(await read(path))).toEqual(['weather', 'other'])
    }))
})

describe.concurrent('a port that is in use', () => {
  it.each([
    ['start', (port: number) => ['start', '--no-open', '--port', `${port}`], '--port'],
    ['run', (port: number) => ['run', 'time', '--http', `${port}`], '--http'],
    ['run', (port: number) => ['run', 'time', `--websocket=${port}`], '--websocket'],
    ['serve', (port: number) => ['serve', '--auth', 'none', '--port', `${port}`], '--port'],
  ])('newcomer B16: %s says that it is, who has it and what to do', (_command, wordsFor, flag) =>
    inPlace(async ({ run }) => {
      const other = createServer().listen(0, '127.0.0.1')
      await new Promise((resolve) => other.once('listening', resolve))
      const { port } = other.address() as AddressInfo
      const { code, stderr } = await run(...wordsFor(port))
      other.close()
      expect([code, stderr]).toEqual([4, expect.stringContaining(`Port ${port} of 127.0.0.1 is in use by `)])
      expect(stderr).toContain(`\`${flag} ${port + 1}\``)
      if (process.platform === 'linux') expect(stderr).toContain(`kill ${process.pid}`)
    }),
  )
})

describe.concurrent('no terminal and no client', () => {
  it.each([
    [['dev', 'weather.ts'], 'Serving weather.ts on the standard streams'],
    [['run', 'weather.ts'], '--http 3000'],
    [['serve', '--stdio', '--auth', 'none'], 'leave out `--stdio`'],
  ])('newcomer 2: portico %j says what it lacks and ends as it should', (words, said) =>
    inPlace(async ({ write, run }) => {
      await write('weather.ts', DEFINITION)
      const { code, stdout, stderr } = await run(...words)
      expect([code, stdout, stderr]).toEqual([0, '', expect.stringContaining('Standard input ended before a client')])
      expect(stderr).toContain(said)
    }),
  )
})

describe.concurrent('the help of', () => {
  it.each([
    ['start', `${WORKBENCH_PORT}, else any that is free`],
    ['serve', `${GATEWAY_PORT}`],
    ['dev', `${DEV_PORT}, unless a client has started it`],
  ])('newcomer 16: %s says the port that it takes', (command, said) =>
    inPlace(async ({ run }) => expect((await run(command, '--help')).stdout).toContain(`(${said})`)),
  )
})

describe.concurrent('a ready-made server with what it works on', () => {
  it.each([
    [['list', 'files', './docs', 'tools'], /^read_file\t/m],
    [['list', 'tools', '--', 'files', './docs'], /^read_file\t/m],
    [['list', '"files" ./docs', 'tools'], /^read_file\t/m],
    [['call', 'files', './docs', 'read_file', 'path=a.txt'], /hello/],
    [['call', 'read_file', 'path=a.txt', '--', 'files', './docs'], /hello/],
  ])('newcomer: portico %j', (words, shown) =>
    inPlace(async ({ write, run }) => {
      await write('docs/a.txt', 'hello\n')
      const { code, stdout, stderr } = await run(...words)
      expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(shown), expect.anything()])
    }),
  )

  it('newcomer: says how to give it where it is missing, and refuses it for a configured server', () =>
    inPlace(async ({ run }) => {
      const missing = await run('list', 'files')
      expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('portico list files ./docs') })
      await run('servers', 'add', 'mine', '--', process.execPath, FIXTURE)
      expect(await run('list', 'mine', './docs', '-y')).toMatchObject({ code: 2 })
    }))
})

describe.concurrent('portico lock', () => {
  it('newcomer: locks the servers that it can read, names the others, and ends with 1', () =>
    inPlace(async ({ path, write, run }) => {
      const good = { command: process.execPath, args: [FIXTURE] }
      const bad = { command: process.execPath, args: ['-e', 'process.exit(3)'] }
      await write('config/portico.json', JSON.stringify({ servers: { bad, good } }))
      const { code, stderr } = await run('lock', '-y')
      expect([code, stderr]).toEqual([1, expect.stringContaining('not locked bad: ')])
      expect(Object.keys(JSON.parse(await readFile(join(path, 'portico.lock.json'), 'utf8')).servers)).toEqual(['good'])
    }))
})

describe.concurrent('what a person looks for next', () => {
  it('newcomer: load tells rate and percentiles, for programs and for people', () =>
    inPlace(async ({ run }) => {
      const words = ['load', 'time', 'now', '-n', '20', '-c', '4']
      expect((await run(...words)).stdout).toMatch(/^20 calls in .* 0 failed\np50 .*p95 .*p99 /)
      expect(JSON.parse((await run(...words, '--json')).stdout)).toMatchObject({ calls: 20, failed: 0 })
      expect(await run('load', 'time', 'now', '-n', '1000000')).toMatchObject({ code: 2 })
    }))

  it('newcomer: list --strict tells findings and the cost in tokens, and fails for an error', () =>
    inPlace(async ({ write, run }) => {
      await write(
        'bare.ts',
        `import { createServer, tool } from '@portico/sdk/server'
export default createServer({ name: 'bare', version: '1.0.0', tools: { go: tool({ input: { type: 'object' } }, () => 'x') } })
`,
      )
      const { code, stderr } = await run('list', 'bare.ts', '--strict')
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /error tools\.go: The tool has no description[\s\S]*1 tool cost a model about \d+ tokens/,
        ),
      ])
      expect((await run('list', 'time', '--strict')).code).toBe(0)
      expect((await run('list', 'bare.ts', '--strict', '--fail-on', 'never')).code).toBe(0)
    }))

  it.each([
    ['warning', 1],
    ['info', 1],
    ['error', 0],
    ['never', 0],
  ])('newcomer 18: list --strict --fail-on %s ends with %i where there is a warning', (level, wanted) =>
    inPlace(async ({ write, run }) => {
      const tools = `{ 'go.now': tool({ description: 'Goes there now', input: { type: 'object' } }, () => 'x') }`
      const text = `import { createServer, tool } from '@portico/sdk/server'
export default createServer({ name: 'dots', version: '1.0.0', tools: ${tools} })
`
      await write('dots.ts', text)
      const { code, stderr } = await run('list', 'dots.ts', '--strict', '--fail-on', level)
      expect([code, stderr]).toEqual([wanted, expect.stringContaining('warning tools.go.now')])
      if (level === 'warning') expect((await run('list', 'dots.ts', '--strict')).code).toBe(1)
    }),
  )

  it('newcomer: a mistyped tool is told what was likely meant, and --output writes a file', () =>
    inPlace(async ({ path, run }) => {
      expect((await run('call', 'time', 'nwo')).stderr).toContain('Did you mean "now"?')
      expect(await run('call', 'time', 'now', '--output', 'now.txt')).toMatchObject({ code: 0, stdout: '' })
      expect(await readFile(join(path, 'now.txt'), 'utf8')).toMatch(/\d{4}/)
    }))
})
