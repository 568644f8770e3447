import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildDoors } from './build-doors.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Doors that run on any runtime, as far as they are loaded at once. */
const WEB = [
  'server',
  'client',
  'fetch',
  'bearer',
  'auth',
  'transport',
  'lint',
  'telemetry',
  'testing',
  'relay',
  'internal-text',
]

describe('the published doors', () => {
  let folder
  let files
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'doors-'))
    files = await buildDoors(join(ROOT, 'packages', 'sdk'), folder)
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('of a server on stdio are four files, none of them with HTTP or a client', () => {
    expect(reach('server', 'stdio').own.sort()).toEqual(
      ['chunks/base.js', 'chunks/serving.js', 'doors/server.js', 'doors/stdio.js'].sort(),
    )
    expect(reach('server', 'stdio').foreign).toEqual([])
  })

  it('of a server on stdio are ASCII, which an engine reads faster', () => {
    for (const name of reach('server', 'stdio').own) {
      expect(readFileSync(join(folder, name), 'latin1')).toMatch(/^[\n\x20-\x7e\t]*$/)
    }
  })

  it('of a client hold no server', () => {
    expect(reach('client').own).not.toContain('chunks/serving.js')
  })

  it.each(WEB)('%s needs nothing of Node', (door) => {
    expect(reach(door).foreign.filter((name) => name.startsWith('node:'))).toEqual([])
  })

  it('share what is one thing: a server made by one door is served by another and called by a third', async () => {
    const [{ createServer, tool }, { serveStdio }, { connect }] = await Promise.all(
      ['server', 'stdio', 'client'].map((door) => import(pathToFileURL(join(folder, `doors/${door}.js`)).href)),
    )
    expect(typeof serveStdio).toBe('function')
    const server = createServer({ name: 'a', version: '1', tools: { hi: tool({}, () => 'hello') } })
    const client = await connect(server)
    expect(await client.tools.hi()).toBe('hello')
    await client.close()
  })

  it('answer on stdio', async () => {
    const program = `
      import { createServer, tool } from './doors/server.js'
      import { serveStdio } from './doors/stdio.js'
      serveStdio(createServer({ name: 'a', version: '1', tools: { hi: tool({}, () => 'hello') } }))`
    await writeFile(join(folder, 'program.js'), program)
    const child = spawn(process.execPath, [join(folder, 'program.js')], { stdio: ['pipe', 'pipe', 'inherit'] })
    const said = []
    child.stdout.on('data', (chunk) => said.push(chunk))
    child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    await new Promise((resolve) => child.once('exit', resolve))
    expect(JSON.parse(Buffer.concat(said).toString())).toMatchObject({ id: 1, result: {} })
  })

  it('are there all the time while they are built again, and of an earlier build no script is left', async () => {
    const stale = join(folder, 'chunks', 'stale.js')
    await writeFile(stale, '')
    const base = join(folder, 'chunks', 'base.js')
    const before = statSync(base).ino
    const building = buildDoors(join(ROOT, 'packages', 'sdk'), folder)
    let done = false
    let missing = 0
    building.finally(() => {
      done = true
    })
    while (!done) {
      missing += files.filter(({ fileName }) => !existsSync(join(folder, fileName))).length
      await new Promise(setImmediate)
    }
    await building
    expect(missing).toBe(0)
    expect(statSync(base).ino).toBe(before)
    expect(existsSync(stale)).toBe(false)
  })

  it('have short lines, for Node prints the line of an error that nobody catches (sdk D8)', () => {
    const long = files.flatMap(({ fileName }) =>
      readFileSync(join(folder, fileName), 'utf8')
        .split('\n')
        .filter((line) => line.length > 500 && !/^(import|export) /.test(line))
        .map((line) => `${fileName}: ${line.slice(0, 80)}`),
    )
    expect(long).toEqual([])
  })

  it.each([
    ['an option of a server that is none', `createServer({ name: 'a', version: '1', tols: {} })`, 'mean "tools"'],
    [
      'an option of serving that is none',
      `await serveHttp(server, { port: 0, maxBodyByte: 1 })`,
      'no option "maxBodyByte"',
    ],
    ['a connection that fails', `await connect('http://127.0.0.1:1/mcp')`, '127.0.0.1:1'],
  ])('say of %s that nobody catches what is wrong, and little else (sdk D8)', async (_, line, words) => {
    const program = `
      import { createServer } from './doors/server.js'
      import { serveHttp } from './doors/http.js'
      import { connect } from './doors/client.js'
      const server = createServer({ name: 'a', version: '1' })
      ${line}`
    await writeFile(join(folder, 'mistake.js'), program)
    const child = spawn(process.execPath, [join(folder, 'mistake.js')], { stdio: ['ignore', 'ignore', 'pipe'] })
    const said = []
    child.stderr.on('data', (chunk) => said.push(chunk))
    await new Promise((resolve) => child.once('close', resolve))
    const text = Buffer.concat(said).toString()
    expect(text).toContain(words)
    expect(text.length).toBeLessThan(5000)
  })

  /** What is loaded at once for these doors: own files, and the names of other modules. */
  function reach(...doors) {
    const byName = new Map(files.map((file) => [file.fileName, file]))
    const own = new Set()
    const foreign = new Set()
    const follow = (name) => {
      const file = byName.get(name)
      if (file === undefined) foreign.add(name)
      else if (!own.has(name)) {
        own.add(name)
        file.imports.forEach(follow)
      }
    }
    for (const door of doors) follow(`doors/${door}.js`)
    return { own: [...own], foreign: [...foreign] }
  }
})
