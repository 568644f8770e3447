/** The editor server with real language servers, real grammars and reports that real test runners wrote. */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { testClient } from '@portico/sdk/testing'
import { createEditorServer } from '@portico/servers/editor'
import { installedPackage } from '../../support/install.ts'
import type { Report } from '../../support/report.ts'

type Client = Awaited<ReturnType<typeof testClient>>
type Arguments = { readonly [name: string]: unknown }

const HERE = fileURLToPath(new URL('.', import.meta.url))
const TESTS = fileURLToPath(new URL('../../', import.meta.url))
const VITEST = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
const SLOW = { limitMs: 240_000 }

const FILES: { readonly [name: string]: string } = {
  'tsconfig.json':
    '{ "compilerOptions": { "strict": true, "module": "nodenext", "noEmit": true }, "include": ["*.ts"] }',
  'lamp.ts': "export function lightLamp(name: string): string {\n  return name + ' is lit'\n}\n",
  'keeper.ts':
    "import { lightLamp } from './lamp.js'\n\nexport const said: number = lightLamp('Pharos')\nlightLamp( 'Eddystone' )\n",
  'lamp.py': 'def light_lamp(name: str) -> str:\n    return name + " is lit"\n',
  'keeper.py': 'from lamp import light_lamp\n\nsaid: int = light_lamp("Pharos")\n',
  'lamp.test.mjs':
    "import test from 'node:test'\ntest('is lit', () => {})\ntest('turns', () => { throw new Error('stuck') })\n",
  // What a project brings is not run: this would leave a trace.
  'node_modules/typescript/package.json': '{ "name": "typescript", "version": "5.9.3", "main": "lib/typescript.js" }',
  'node_modules/typescript/lib/tsserver.js': "require('node:fs').writeFileSync(__dirname + '/ran', '')\n",
  'node_modules/typescript/lib/typescript.js': '',
  'unit/lamp.test.mjs': "test('glows', () => {})\ntest('rings', () => { throw new Error('no bell') })\n",
}

export async function tryEditor(report: Report): Promise<void> {
  // A name that servers spell in another way than they were given it.
  const folder = join(mkdtempSync(join(tmpdir(), 'portico-editor-')), 'lamps @ (1)')
  mkdirSync(join(folder, 'reports'), { recursive: true })
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const ready = await createEditorServer({
    ...{
      directory: folder,
      languages: languages(),
      grammars: TESTS,
      write: true,
      timeoutMs: 120_000,
      settleMs: 60_000,
    },
    reports: ['reports/tap.tap', 'reports/junit.xml', 'reports/vitest.json'],
  })
  const client = await testClient(ready.server, {
    answers: { elicit: [false, true, true, true, true].map((confirm) => ({ confirm })) },
    connect: { timeouts: { callMs: SLOW.limitMs, readMs: SLOW.limitMs } },
  })
  try {
    await typescript(report, client, folder)
    await python(report, client, folder)
    await workspace(report, client, folder)
    await syntax(report, client)
    await reports(report, client, folder)
    report.note = `typescript-language-server 5.3.0 (6 takes Node 22), pyright 1.1.414, web-tree-sitter 0.27.1, Node ${process.version}`
  } finally {
    await client.close()
    await ready.close()
    rmSync(dirname(folder), { recursive: true, force: true, maxRetries: 5 })
  }
}

function languages(): string[] {
  const program = (...path: string[]) => installedPackage(HERE, ...path)
  return [
    `.ts=${process.execPath} ${program('typescript-language-server', 'lib', 'cli.mjs')} --stdio`,
    `.py=${process.execPath} ${program('pyright', 'langserver.index.js')} --stdio`,
  ]
}

async function typescript(report: Report, client: Client, folder: string): Promise<void> {
  const at = { path: 'keeper.ts', line: 3, word: 'lightLamp' }
  const check = (name: string, action: () => unknown) => report.check(`typescript: ${name}`, action, SLOW)
  await check('what is wrong', async () => {
    const text = await say(client, 'diagnostics', { paths: ['keeper.ts'] })
    assert.match(text, /keeper\.ts:3:14 error: Type 'string' is not assignable to type 'number'\. \[typescript 2322\]/)
  })
  await check('symbols, definition, references, hover, a symbol by name', async () => {
    assert.match(await say(client, 'symbols', { path: 'lamp.ts' }), /function lightLamp 1–3/)
    assert.match(await say(client, 'definition', at), /lamp\.ts:1:17 {2}export function lightLamp/)
    assert.equal((await say(client, 'references', at)).match(/(?:lamp|keeper)\.ts:/g)?.length, 4)
    assert.match(await say(client, 'hover', at), /lightLamp\(name: string\): string/)
    assert.match(await say(client, 'find_symbol', { query: 'lightLamp', near: 'lamp.ts' }), /lamp\.ts:1/)
  })
  const renamed = { ...at, name: 'kindle' }
  await check('a rename is shown and changes nothing, is refused, and is written once it is agreed to', async () => {
    const shown = await say(client, 'rename', renamed)
    for (const words of ['+export function kindle(', "+import { kindle } from './lamp.js'"])
      assert.ok(shown.includes(words), shown)
    assert.match(await told(client, 'rename', { ...renamed, apply: true }), /did not agree/)
    assert.equal(readFileSync(join(folder, 'lamp.ts'), 'utf8'), FILES['lamp.ts'])
    await say(client, 'rename', { ...renamed, apply: true })
    assert.match(readFileSync(join(folder, 'lamp.ts'), 'utf8'), /function kindle\(/)
    assert.equal(readFileSync(join(folder, 'keeper.ts'), 'utf8').match(/kindle/g)?.length, 3)
  })
  await check('formatting is shown, and written once it is agreed to', async () => {
    assert.match(await say(client, 'format', { path: 'keeper.ts' }), /\+kindle\('Eddystone'\)/)
    await say(client, 'format', { path: 'keeper.ts', apply: true })
    assert.match(readFileSync(join(folder, 'keeper.ts'), 'utf8'), /^kindle\('Eddystone'\)$/m)
  })
  await check('code actions are listed, and one is shown', async () => {
    writeFileSync(join(folder, 'fresh.ts'), "export const lit = kindle('Pharos')\n")
    const [title] = (await say(client, 'code_actions', { path: 'fresh.ts', line: 1 }))
      .split('\n')
      .filter((line) => /import from "\.\/lamp/i.test(line))
    assert.ok(title, 'no action adds the import')
    const shown = await say(client, 'code_actions', { path: 'fresh.ts', line: 1, title })
    assert.match(shown, /\+import \{ kindle \} from/)
    await say(client, 'code_actions', { path: 'fresh.ts', line: 1, title, apply: true })
    assert.match(readFileSync(join(folder, 'fresh.ts'), 'utf8'), /^import \{ kindle \} from/)
    assert.equal(await say(client, 'diagnostics', { paths: ['fresh.ts'] }), 'Nothing is wrong.')
  })
  await check('the compiler that the project brings is not run', () => {
    assert.ok(!existsSync(join(folder, 'node_modules', 'typescript', 'lib', 'ran')))
  })
}

async function python(report: Report, client: Client, folder: string): Promise<void> {
  const at = { path: 'keeper.py', line: 3, word: 'light_lamp' }
  const check = (name: string, action: () => unknown) => report.check(`python: ${name}`, action, SLOW)
  await check('what is wrong', async () => {
    const text = await say(client, 'diagnostics', { paths: ['keeper.py'] })
    assert.match(text, /keeper\.py:3:13 error: Type "str" is not assignable to declared type "int"/)
  })
  await check('symbols, definition, references, hover, a symbol by name', async () => {
    assert.match(await say(client, 'symbols', { path: 'lamp.py' }), /function light_lamp 1–2/)
    assert.match(await say(client, 'definition', at), /lamp\.py:1:5 {2}def light_lamp/)
    assert.equal((await say(client, 'references', at)).match(/(?:lamp|keeper)\.py:/g)?.length, 3)
    assert.match(await say(client, 'hover', at), /light_lamp\(name: str\) -> str/)
    assert.match(await say(client, 'find_symbol', { query: 'light_lamp', near: 'lamp.py' }), /lamp\.py:1/)
  })
  await check('a rename is shown over both files, and written once it is agreed to', async () => {
    const shown = await say(client, 'rename', { ...at, name: 'kindle' })
    for (const words of ['+def kindle(', '+from lamp import kindle']) assert.ok(shown.includes(words), shown)
    await say(client, 'rename', { ...at, name: 'kindle', apply: true })
    assert.match(readFileSync(join(folder, 'lamp.py'), 'utf8'), /^def kindle\(/)
    assert.equal(readFileSync(join(folder, 'keeper.py'), 'utf8').match(/kindle/g)?.length, 2)
  })
  await check('code actions are what pyright has, and what it cannot do it says', async () => {
    writeFileSync(join(folder, 'sorted.py'), 'import sys\nimport os\n\nprint(os, sys)\n')
    const actions = await say(client, 'code_actions', { path: 'sorted.py', line: 1 })
    assert.match(actions, /Nothing\.|Organize/i)
    assert.match(await told(client, 'format', { path: 'sorted.py' }), /refused|Nothing|change nothing/i)
  })
}

async function workspace(report: Report, client: Client, folder: string): Promise<void> {
  await report.check('folders, language servers and open files are told', async () => {
    const text = await say(client, 'workspace', {})
    for (const words of [`folder ${folder}`, 'for .ts: running', 'for .py: running', 'open keeper.ts', 'open lamp.py'])
      assert.ok(text.includes(words), text)
  })
}

async function syntax(report: Report, client: Client): Promise<void> {
  await report.check(
    'syntax trees of both languages, by kind, and with what cannot be read',
    async () => {
      assert.match(
        await say(client, 'syntax_tree', { path: 'lamp.ts' }),
        /^program 1–\d\n {2}export_statement 1–3\n {4}function_declaration kindle 1–3/,
      )
      assert.equal(
        await say(client, 'syntax_tree', { path: 'lamp.py', kind: 'function_definition' }),
        'function_definition kindle 1–2',
      )
      assert.match(await told(client, 'syntax_tree', { path: 'tsconfig.json' }), /no grammar/)
    },
    SLOW,
  )
}

async function reports(report: Report, client: Client, folder: string): Promise<void> {
  const node = (reporter: string, file: string) =>
    run(folder, [
      '--test',
      `--test-reporter=${reporter}`,
      `--test-reporter-destination=reports/${file}`,
      'lamp.test.mjs',
    ])
  await report.check(
    'a report of Node’s own runner is told to whoever follows the results',
    async () => {
      let hear = () => {}
      const changed = new Promise<void>((done) => {
        hear = done
      })
      await client.subscribe('editor://tests', () => hear())
      await node('tap', 'tap.tap')
      await changed
      assert.match(
        await say(client, 'test_results', {}),
        /tap\.tap: 1 passed, 1 failed, 0 skipped\n✗ turns\n[\s\S]*stuck/,
      )
    },
    SLOW,
  )
  await report.check(
    'JUnit and the JSON of vitest say the same, as a tool and as a resource',
    async () => {
      await node('junit', 'junit.xml')
      const words = ['run', '--globals', '--root', folder, '--reporter=json', '--outputFile=reports/vitest.json']
      await run(folder, [VITEST, ...words, '--dir', 'unit'])
      const { contents } = await client.readResource('editor://tests')
      const text = JSON.stringify(contents)
      assert.match(text, /junit\.xml: 1 passed, 1 failed/)
      assert.match(text, /vitest\.json: 1 passed, 1 failed/)
      assert.match(text, /no bell/)
    },
    SLOW,
  )
}

/** What it wrote is looked at, not how it ended: tests fail here. It does not hold up whoever waits for a notice. */
async function run(cwd: string, words: readonly string[]): Promise<void> {
  const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env
  await promisify(execFile)(process.execPath, [...words], { cwd, env, timeout: 200_000 }).catch(() => {})
}

async function told(client: Client, name: string, args: Arguments): Promise<string> {
  const { content } = await client.callTool(name, { ...args })
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
}

async function say(client: Client, name: string, args: Arguments): Promise<string> {
  const { isError, content } = await client.callTool(name, { ...args })
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n')
  assert.ok(isError !== true, `${name}: ${text}`)
  return text
}
