import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, connect } from '@portico/sdk/client'
import { createPrincipal } from '@portico/sdk/server'
import { type TestOptions, testClient } from '@portico/sdk/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReadyServer } from '../entry.ts'
import { History } from './history.ts'
import { RUN_LIMITS, type RunOptions } from './options.ts'
import type { RunFile } from './outcome.ts'
import { createRunServer } from './server.ts'
import { Sessions, withSession } from './sessions.ts'

const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

async function serve(options: RunOptions = {}): Promise<ReadyServer> {
  const ready = await createRunServer({ structured: true, ask: false, timeMs: 120_000, ...options })
  cleanups.push(ready.close)
  return ready
}

async function clientOf({ server }: ReadyServer, options: TestOptions = {}): Promise<Client> {
  const client = await testClient(server, options)
  cleanups.push(() => client.close())
  return client
}

async function run(client: Client, code: string, more = {}, name = 'run_javascript') {
  const { structuredContent, content } = await client.callTool(name, { code, ...more }, { timeoutMs: 110_000 })
  return structuredContent ?? { refused: JSON.stringify(content) }
}

const text = (words: string): Uint8Array => new TextEncoder().encode(words)
const COUNT = "const n = Number(files.read('n') ?? 0) + 1; files.write('n', String(n)); n"

describe('servers: state between runs', () => {
  it('files stay for the next run of the same session, and for no other', async () => {
    const client = await clientOf(await serve())
    expect(await run(client, COUNT, { session: 'a' })).toMatchObject({
      value: '1',
      note: expect.stringContaining('is new'),
    })
    const second = await run(client, COUNT, { session: 'a' })
    expect(second).toMatchObject({ value: '2' })
    expect(second).not.toHaveProperty('note')
    expect(await run(client, COUNT, { session: 'b' })).toMatchObject({ value: '1' })
    expect(await run(client, COUNT)).toMatchObject({ value: '1' })
    // What a call brings along goes over what is there.
    const files = [{ path: 'n', text: '40' }]
    expect(await run(client, COUNT, { session: 'a', files })).toMatchObject({ value: '41' })
  })

  it('sec-576: a caller reaches no session of another, whatever it is called', async () => {
    const ready = await serve()
    const ada = await clientOf(ready, { principal: createPrincipal('ada') })
    const bob = await clientOf(ready, { principal: createPrincipal('bob') })
    expect(await run(ada, "files.write('secret', 'of ada'); 1", { session: 'a' })).toMatchObject({ ok: true })
    expect(await run(bob, 'files.list().length', { session: 'a' })).toMatchObject({ value: '0' })
    expect(await run(ada, 'files.list().length', { session: 'a' })).toMatchObject({ value: '1' })
  })

  it('keeps what was there when a run is ended or cannot be read', async () => {
    const client = await clientOf(await serve({ outputBytes: 5_000 }))
    expect(await run(client, COUNT, { session: 'a' })).toMatchObject({ value: '1' })
    const greedy = "files.write('n', 'lost'); for (;;) console.log('x'.repeat(500))"
    expect(await run(client, greedy, { session: 'a' })).toMatchObject({ ending: 'output' })
    expect(await run(client, 'enum {', { session: 'a', language: 'typescript' })).toMatchObject({ ending: 'failed' })
    expect(await run(client, "files.read('n')", { session: 'a' })).toMatchObject({ value: '1' })
  })

  it('sec-577: who is asked sees which files of earlier runs go in, and is asked anew when they changed', async () => {
    const asked: string[] = []
    const form = ({ message }: { message: string }) => {
      asked.push(message)
      return { action: 'accept' as const, content: { confirm: true } }
    }
    const client = await connect((await serve({ ask: true })).server, { elicitation: { form } })
    cleanups.push(() => client.close())
    await run(client, COUNT, { session: 'a' })
    await run(client, COUNT, { session: 'a' })
    expect(asked[0]).toContain('Session "a", empty')
    expect(asked[1]).toMatch(/Session "a", files of earlier runs: "n" \(1 bytes, sha256 [0-9a-f]{16}\)/)
  })

  it('is bounded: per session, per caller, and for all together', () => {
    const sessions = new Sessions(2)
    const put = (owner: string, name: string, size: number): void => {
      const open = sessions.open(createPrincipal(owner), name)
      open.keep([{ path: 'x', bytes: new Uint8Array(size) }])
      open.end()
    }
    const has = (owner: string, name: string): boolean => {
      const open = sessions.open(createPrincipal(owner), name)
      open.end()
      return !open.isNew
    }
    for (const name of ['a', 'b', 'c']) put('ada', name, 10)
    expect(['a', 'b', 'c'].map((name) => has('ada', name))).toEqual([false, true, true])
    // Who holds most makes room, not who came first.
    for (let at = 0; at < 9; at++) put(`user ${at}`, 'big', 16_000_000)
    put('user 0', 'more', 1_000_000)
    expect(has('ada', 'b') && has('ada', 'c')).toBe(true)
    expect(has('user 0', 'big') && has('user 1', 'big') && has('user 8', 'big')).toBe(false)
    const session = sessions.open(createPrincipal('ada'), 'b')
    expect(() => sessions.open(createPrincipal('ada'), 'b')).toThrow('in use')
    const many: RunFile[] = Array.from({ length: RUN_LIMITS.maxFiles }, (_, at) => ({ path: `${at}`, bytes: text('') }))
    expect(() => withSession(session, many, RUN_LIMITS)).toThrow('maxFiles')
  })

  it('forgets what nobody used for an hour', () => {
    let now = 0
    const sessions = new Sessions(2, () => now)
    const first = sessions.open(undefined, 'a')
    first.keep([])
    first.end()
    now = 3_600_001
    expect(sessions.open(undefined, 'a').isNew).toBe(true)
  })
})

describe('servers: packages of the operator’s list', () => {
  // In the sandbox, the folder for temporary files is the program's own.
  const place = existsSync('/var/tmp') ? '/var/tmp' : tmpdir()
  const cache = realpathSync(mkdtempSync(join(place, 'portico-packages-')))
  const put = (path: string, words: string): void => {
    mkdirSync(join(cache, path, '..'), { recursive: true })
    writeFileSync(join(cache, path), words)
  }
  let client: Client
  beforeAll(async () => {
    // The sandbox reads as somebody else where the server is root's.
    chmodSync(cache, 0o755)
    put('node_modules/modern/package.json', '{ "exports": { ".": { "import": "./lib/main.js" } } }')
    put('node_modules/modern/lib/main.js', "export { half } from './half.js'\nexport default 'modern'")
    put('node_modules/modern/lib/half.js', 'export const half = (n) => n / 2')
    put('node_modules/modern/lib/out.js', "export { default } from '../../hidden/index.js'")
    put('node_modules/classic/package.json', '{ "main": "main.js" }')
    put('node_modules/classic/main.js', "exports.twice = (n) => n * require('./factor').factor\nexports.me = exports")
    put('node_modules/classic/factor.js', "exports.factor = require('./factor.json').factor")
    put('node_modules/classic/factor.json', '{ "factor": 2 }')
    put('node_modules/classic/wants.js', "module.exports = require('hidden')")
    put(
      'node_modules/classic/breaks.js',
      "exports.half = true\nthrow new Error('broken ' + (globalThis.count = (globalThis.count ?? 0) + 1))",
    )
    put('node_modules/hidden/index.js', "module.exports = 'not on the list'")
    put('outside.js', "export default 'outside'")
    symlinkSync(join(cache, 'outside.js'), join(cache, 'node_modules/classic/link.js'))
    put('python/tiny/__init__.py', 'from tiny_more import word')
    put('python/tiny_more.py', "word = 'tiny'")
    put(
      'python/Tiny_Thing-1.0.dist-info/RECORD',
      'tiny/__init__.py,,\ntiny_more.py,,\nTiny_Thing-1.0.dist-info/RECORD,,\n',
    )
    put('python/other.py', "word = 'other'")
    client = await clientOf(await serve({ packages: ['modern', 'classic', 'tiny-thing'], packageCache: cache }))
  })
  afterAll(() => rmSync(cache, { recursive: true, force: true }))

  it.each([
    ["import name, { half } from 'modern'; export default name + half(8)", 'modern4'],
    ["import classic from 'classic'; export default classic.twice(21)", '42'],
    ["require('classic').twice(4)", '8'],
    ["require('classic') === require('classic/main')", 'true'],
    // What failed to load is no package: it fails again, and is not taken for loaded.
    [
      "const load = () => { try { return require('classic/breaks') } catch (e) { return e.message } }; [load(), load()].join()",
      'broken 1,broken 2',
    ],
  ])('%s comes to %s', async (code, value) => {
    expect(await run(client, code)).toMatchObject({ ok: true, value })
  })

  it.each([
    ["require('hidden')", 'cannot be imported'],
    ["require('classic/wants')", 'cannot be imported'],
    ["import x from 'package:hidden/index.js'; export default x", 'no file'],
    ["import x from 'package:modern/../hidden/index.js'; export default x", 'no file'],
    ["import x from 'package:modern/lib/out.js'; export default x", 'cannot be imported'],
    ["import x from 'package:classic/link.js'; export default x", 'no file'],
    ["import x from '../../../etc/passwd'; export default x", 'cannot be imported'],
    ["import x from '/etc/passwd'; export default x", 'cannot be imported'],
    ["import x from 'node:fs'; export default x", 'cannot be imported'],
    ["import x from '__proto__'; export default x", 'cannot be imported'],
    ["import x from 'modern/lib/half.js'; export default x", 'does not give out'],
  ])('sec-578: %s is refused', async (code, words) => {
    const result = await run(client, code)
    expect(result).toMatchObject({ ok: false, stderr: expect.stringContaining(words) })
    expect(JSON.stringify(result)).not.toContain(cache)
  })

  it('sec-578: Python finds those of the list alone, in the sandbox', async ({ skip }) => {
    const { structuredContent } = await client.callTool('isolation')
    const { sandbox, python } = structuredContent as { sandbox: string; python: string }
    if (sandbox === 'refused' || python.startsWith('Refused')) skip()
    expect(await run(client, 'import tiny; print(tiny.word)', {}, 'run_python')).toMatchObject({ stdout: 'tiny\n' })
    expect(await run(client, 'import other', {}, 'run_python')).toMatchObject({
      ok: false,
      stderr: expect.stringContaining('No module named'),
    })
    await run(client, "open('kept.txt', 'w').write('x')", { session: 'p' }, 'run_python')
    expect(await run(client, "print(open('kept.txt').read())", { session: 'p' }, 'run_python')).toMatchObject({
      stdout: 'x\n',
    })
  })

  it('says in the tools what there is, and at the start what is missing', async () => {
    const { tools } = (await serve({ packages: ['modern'], packageCache: cache })).server.catalogue()
    expect(tools.find(({ name }) => name === 'run_javascript')?.description).toContain('Packages: modern.')
    await expect(serve({ packages: ['absent'], packageCache: cache })).rejects.toThrow(/npm install --prefix .* absent/)
    await expect(serve({ packages: ['modern'] })).rejects.toThrow('packageCache')
    await expect(serve({ packages: ['../x'], packageCache: cache })).rejects.toThrow('names of packages')
    expect(existsSync(join(cache, 'node_modules', 'absent'))).toBe(false)
  })
})

describe('servers: TypeScript', () => {
  it('runs on this Node, whichever it is, and says what it cannot take', async () => {
    const client = await clientOf(await serve())
    const typescript = { language: 'typescript' }
    expect(await run(client, 'const n: number = 2; interface X { a: string }; n as number', typescript)).toMatchObject({
      ok: true,
      value: '2',
    })
    expect(await run(client, 'enum E { A }', typescript)).toMatchObject({
      ok: false,
      stderr: expect.stringContaining('enum'),
    })
  })
})

describe('sec-695: the last runs', () => {
  const outcome = (bytes: number) => ({
    ...{ ending: 'finished' as const, exitCode: 0, stdout: '', stderr: '' },
    files: [{ path: 'a', bytes: new Uint8Array(bytes) }],
  })

  it.each([
    ['number', 200, 1],
    ['bytes', 6, 30_000_000],
  ])('are bounded in %s, and those of one caller push out none of another', (_, count, bytes) => {
    const history = new History()
    const [meek, greedy] = [createPrincipal('meek'), createPrincipal('greedy')]
    const { id } = history.add(meek, 'run_javascript', outcome(1_000))
    for (let run = 0; run < count; run++) history.add(greedy, 'run_javascript', outcome(bytes))
    expect(history.find(meek, id)).toBeDefined()
    const kept = history.list(greedy)
    expect(kept.length).toBeLessThan(Math.min(count, 51))
    expect(kept.length).toBeGreaterThan(0)
  })
})
