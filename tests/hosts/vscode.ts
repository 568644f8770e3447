/**
 * The extension for VS Code: its bundle in Node before a recorded editor that is held to the published API types, with the real
 * host beside it; and the file that is packaged. The editor itself is not run here.
 */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Script } from '@portico/host/model'
import { BINARY } from '../cli/binary.ts'
import { installedPackage, installPackages } from '../support/install.ts'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'
import { until } from '../support/wait.ts'
import { keepDrawing } from './drawing.ts'
import { inLab } from './lab.ts'
import { type EditorState, type RecordedEditor, recordEditor, type Shown } from './recorded-editor.ts'
import { drawEditor, rowsOf } from './vscode-picture.ts'
import { readZip } from './zip.ts'

const EXTENSION = fileURLToPath(new URL('../../packages/vscode/', import.meta.url))
const BUNDLE = join(EXTENSION, 'dist', 'extension.cjs')
const VSIX = join(EXTENSION, 'dist', 'portico-vscode.vsix')
const MAX_BYTES = 3 * 1024 * 1024
const WAIT_MS = 60_000

const SCRIPT: Script = {
  replies: [{ text: 'Nothing was scripted for that.' }],
  topics: {
    'write it down': [
      { calls: [{ name: 'lab_write_note', arguments: { text: 'the model was here' } }] },
      { text: 'It is written down.' },
    ],
    'write a lot': [
      { calls: [{ name: 'lab_write_note', arguments: { text: 'long '.repeat(1_000) } }] },
      { text: 'Then not.' },
    ],
  },
}

interface Extension {
  activate(context: object): void
  deactivate(): void
}

/** The bundle, with `vscode` being the recorded editor. */
function load(editor: RecordedEditor): Extension {
  const require = createRequire(import.meta.url)
  const loader = require('node:module') as { _load(request: string, ...rest: unknown[]): unknown }
  const original = loader._load
  delete require.cache[BUNDLE]
  loader._load = (request, ...rest) => (request === 'vscode' ? editor.api : original.call(loader, request, ...rest))
  try {
    return require(BUNDLE) as Extension
  } finally {
    loader._load = original
  }
}

function buildExtension(): void {
  const { status, stderr } = spawnSync(process.execPath, ['build.mjs'], { cwd: EXTENSION, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}

/** Answers by the first row whose words are in what is shown. */
function byTable(rows: [RegExp, string | undefined][]): (shown: Shown) => string | undefined {
  return ({ title, detail = '' }) => rows.find(([words]) => words.test(`${title}\n${detail}`))?.[1]
}

async function inEditor(
  work: (editor: RecordedEditor, state: EditorState & { readonly notes: string }) => Promise<void>,
): Promise<void> {
  buildExtension()
  await inLab(SCRIPT, async ({ folder, env, notes }) => {
    const before = { ...process.env }
    Object.assign(process.env, env)
    const state = {
      trusted: true,
      folder,
      notes,
      settings: { command: [process.execPath, BINARY, 'host'], offers: ['files', 'diagnostics', 'selection'] },
      answer: (): string | undefined => undefined,
    }
    const editor = recordEditor(state)
    const extension = load(editor)
    try {
      extension.activate(editor.context)
      await work(editor, state)
    } finally {
      extension.deactivate()
      await until(() => editor.status.text === 'Portico: off', 'the host ends', WAIT_MS)
      process.env = before
    }
  })
}

function run(editor: RecordedEditor, command: string, argument?: unknown): Promise<void> {
  const found = editor.commands.get(command)
  assert(found !== undefined, command)
  return found(argument)
}

async function labelsOf({ tree }: RecordedEditor): Promise<string[]> {
  const nodes = (await tree?.getChildren()) ?? []
  const items = await Promise.all(nodes.map((node) => tree?.getTreeItem(node)))
  return items.map((item) => `${item?.label} ${item?.description}`)
}

async function useAll(editor: RecordedEditor, state: EditorState & { readonly notes: string }): Promise<void> {
  const last = (kind: Shown['kind']): Shown => editor.shown.filter((one) => one.kind === kind).at(-1) as Shown
  await until(
    async () => (await labelsOf(editor)).filter((label) => / ready$/.test(label)).length === 3,
    'three servers are ready',
    WAIT_MS,
  )
  assert.equal(editor.status.text, 'Portico: 3 of 3 ready')
  const lab = (await editor.tree?.getChildren())?.find(
    (node) => (node as { server?: { name: string } }).server?.name === 'lab',
  )
  await until(async () => ((await editor.tree?.getChildren(lab)) ?? []).length > 5, 'its items are listed', WAIT_MS)

  state.answer = byTable([
    [/^tool/, 'lab_greet'],
    [/name: Whom/, 'Ada'],
    [/mood/, 'sad'],
    [/times/, '2'],
  ])
  await run(editor, 'portico.call')
  assert.match(last('document').detail ?? '', /^Hello, Ada \(sad, 2\)$/)

  state.answer = byTable([
    [/^tool/, 'lab_ask_name'],
    [/^lab asks\nDo not|^lab asks\n!/, 'Send it'],
    [/who$/, 'Grace'],
  ])
  await run(editor, 'portico.call')
  assert.match(last('document').detail ?? '', /It is Grace/)

  state.answer = byTable([
    [/^\nAsk the model/, 'write it down'],
    [/^Call write_note of lab\?[\s\S]*"text": "the model was here"/, 'Allow'],
  ])
  await run(editor, 'portico.ask')
  assert.match(editor.output, /It is written down\./)
  assert.equal(readFileSync(state.notes, 'utf8'), 'the model was here\n')
  const rows = await rowsOf(editor)
  await keepDrawing('vscode-approval', () => drawEditor(rows, editor.status.text, last('dialog')))

  state.answer = byTable([[/^resource/, 'portico:shelf/note://welcome']])
  await run(editor, 'portico.insert')
  assert.match(editor.inserted.at(-1) ?? '', /^Welcome ⟦U\+001B⟧\[31mto the lab⟦U\+202E⟧\n/)
  state.answer = byTable([
    [/^prompt/, 'lab_review'],
    [/language/, 'Lua'],
  ])
  await run(editor, 'portico.prompt')
  assert.equal(editor.inserted.at(-1), 'Please review this Lua file.')

  state.answer = byTable([[/^tool/, 'lab_count']])
  await run(editor, 'portico.callAsTask')
  await until(
    async () => (await labelsOf(editor)).some((label) => /^count .*completed/.test(label)),
    'the task is done',
    WAIT_MS,
  )
  state.answer = ({ kind, title, choices = [] }) =>
    kind === 'pick' ? (title === 'A task' ? choices.at(-1) : 'Show the result') : undefined
  await run(editor, 'portico.tasks')
  assert.match(last('document').detail ?? '', /counted to 4711/)

  state.answer = byTable([[/^tool/, 'lab_crash']])
  const states: string[] = []
  const watch = editor.tree?.onDidChangeTreeData?.(
    () => void labelsOf(editor).then((labels) => states.push(labels.find((one) => one.startsWith('lab ')) ?? '')),
  )
  await run(editor, 'portico.call')
  await until(
    async () => states.some((one) => !/ ready$/.test(one)) && (await labelsOf(editor)).includes('lab ready'),
    'it comes back',
    WAIT_MS,
  )
  watch?.dispose()
}

async function beCareful(editor: RecordedEditor, state: EditorState & { readonly notes: string }): Promise<void> {
  state.trusted = false
  await run(editor, 'portico.start')
  await run(editor, 'portico.call')
  assert.match(editor.shown.at(-1)?.title ?? '', /not trusted/)
  assert(!existsSync(join(state.folder, 'state')), 'nothing is started for a folder that is not trusted')
  state.trusted = true

  const secret = 'sk-very-secret'
  state.answer = byTable([
    [/Which key/, 'OPENAI_API_KEY'],
    [/OPENAI_API_KEY/, secret],
  ])
  await run(editor, 'portico.setKey')
  assert.equal(editor.secrets.get('OPENAI_API_KEY'), secret)
  assert(!JSON.stringify(editor.shown).includes(secret), 'the key is shown nowhere')
  state.answer = byTable([
    [/Which key/, 'OPENAI_API_KEY'],
    [/OPENAI_API_KEY/, ''],
  ])
  await run(editor, 'portico.setKey')
  assert.equal(editor.secrets.size, 0)

  state.answer = byTable([[/^Connect (?:lab|shelf)\?[\s\S]*lab-server\.ts/, 'Allow']])
  await run(editor, 'portico.start')
  await until(
    async () => (await labelsOf(editor)).filter((label) => / ready$/.test(label)).length === 3,
    'all are ready',
    WAIT_MS,
  )
  // A dialog that is left is no yes, and one that shows not all of it cannot be agreed to.
  const dialogs: Shown[] = []
  state.answer = (shown) => {
    if (shown.kind === 'dialog') dialogs.push(shown)
    if (/Ask the model/.test(shown.detail ?? '')) return 'write a lot'
    if (shown.choices?.includes('Read all of it') === true) return 'Read all of it'
    if (shown.choices?.includes('Answer') === true) return 'Answer'
    return shown.choices?.find((choice) => choice === 'Deny')
  }
  await run(editor, 'portico.ask')
  assert.deepEqual(dialogs[0]?.choices, ['Read all of it'])
  assert(
    editor.shown.some(({ kind, detail = '' }) => kind === 'document' && detail.includes('long '.repeat(1_000))),
    'all of it was shown',
  )
  assert(!existsSync(state.notes), 'what was denied is not done')
  assert.match(editor.output, /Then not\./)
}

/** What comes with the package `portico` is what the official packager makes, but for the layout of its lists. */
function comparePackages(official: Map<string, Buffer>, own: Map<string, Buffer>): void {
  assert.deepEqual([...own.keys()].sort(), [...official.keys()].sort())
  for (const [name, bytes] of official) if (name.startsWith('extension/')) assert(own.get(name)?.equals(bytes), name)
  const manifest = (files: Map<string, Buffer>): string[] =>
    (files.get('extension.vsixmanifest')?.toString() ?? '').match(/<(?:Identity|Asset|InstallationTarget) [^>]*>/g) ??
    []
  const plain = (files: Map<string, Buffer>): string[] =>
    manifest(files)
      .map((one) => one.replace(/\s*\/>/, '/>'))
      .sort()
  assert.deepEqual(plain(own), plain(official))
}

async function packageIt(report: Report): Promise<void> {
  const suite = fileURLToPath(new URL('.', import.meta.url))
  installPackages(suite, { about: 'about 140 MB' })
  const folder = await mkdtemp(join(tmpdir(), 'portico-vsix-'))
  try {
    const file = join(folder, 'portico.vsix')
    const vsce = installedPackage(suite, '@vscode', 'vsce', 'vsce')
    const words = [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '--out', file]
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: EXTENSION, encoding: 'utf8' })
    assert.equal(status, 0, stdout + stderr)
    const { size } = statSync(file)
    assert(size < MAX_BYTES, `${size} bytes`)
    report.note = `${size} bytes`
    comparePackages(readZip(readFileSync(file)), readZip(readFileSync(VSIX)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export const trials: readonly Trial[] = [
  {
    name: 'vscode: the bundle before a recorded editor: trust, secrets, servers, form, question, approval, resource, task, crash (host 25, sec-495, sec-496, sec-497)',
    run: () =>
      inEditor(async (editor, state) => {
        await beCareful(editor, state)
        await useAll(editor, state)
      }),
  },
  { name: 'vscode: vsce makes a file of less than 3 MB, and ours holds the same', long: true, run: packageIt },
  {
    name: 'vscode: what is packaged is small',
    run() {
      buildExtension()
      const bytes = ['dist/extension.cjs', 'package.json', 'README.md', 'LICENSE', 'media/portico.svg'].map(
        (file) => statSync(join(EXTENSION, file)).size,
      )
      assert(bytes.reduce((sum, one) => sum + one, 0) < MAX_BYTES)
    },
  },
]
