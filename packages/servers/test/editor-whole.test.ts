/** What the editor server says is the whole truth: nothing is written unseen, counted short, cut without a word or left behind. */

import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { connect } from '@portico/sdk/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DiagnosticStore } from '../src/editor/diagnostic-store.ts'
import { applyChanges, readEdit } from '../src/editor/edits.ts'
import { EditorHost } from '../src/editor/host.ts'
import { MessageReader, writeMessage } from '../src/editor/message-stream.ts'
import { applyEdits, toPosition } from '../src/editor/positions.ts'
import { createEditorServer, EDITOR_LIMITS, type EditorOptions } from '../src/editor/server.ts'
import { readReport, reportText } from '../src/editor/test-reports.ts'
import { Confinement } from '../src/files/confine.ts'

const SERVER = fileURLToPath(new URL('./fixtures/language-server.mjs', import.meta.url))
const TOY = `.toy=${process.execPath} ${SERVER}`
const closers: (() => Promise<unknown>)[] = []
let folder: string

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'portico-whole-')))
})
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

async function start(options: Partial<EditorOptions> = {}) {
  const { server, close } = await createEditorServer({ directory: folder, languages: [TOY], ...options })
  const client = await connect(server)
  closers.push(close, () => client.close())
  return client
}

async function hostOf(languages: readonly { id: string; extensions: string[]; command: string[] }[] = []) {
  const settings = { ...EDITOR_LIMITS, allowUnasked: false, allowProjectCode: false, reports: [] }
  const host = new EditorHost(await Confinement.open([folder], []), languages, settings, () => {})
  closers.push(() => host.close())
  return host
}

const at = (line: number, from: number, to: number, newText: string) => ({
  range: { start: { line, character: from }, end: { line, character: to } },
  newText,
})

/** A context whose user agrees to whatever is shown. */
function agreeing(seen: string[]) {
  const elicit = async (_name: string, { message }: { message: string }) => {
    seen.push(message)
    return { action: 'accept', content: { confirm: true } }
  }
  // Only these members are used by what asks.
  return { client: { capabilities: { elicitation: {} } }, elicit } as never
}

it('sec-771: what is too different to compare is shown whole before it is written', async () => {
  const before = Array.from({ length: 12_000 }, (_, line) => line.toString(36)).join('\n')
  const after = 'x\n'.repeat(11_000)
  await writeFile(join(folder, 'a.toy'), before)
  const host = await hostOf()
  const edit = { changes: { [pathToFileURL(join(folder, 'a.toy')).href]: [at(0, 0, 0, ''), whole(before, after)] } }
  const seen: string[] = []
  await applyChanges(host, await readEdit(host, edit), 'Format a.toy?', agreeing(seen))
  expect(await readFile(join(folder, 'a.toy'), 'utf8')).toBe(after)
  expect(seen.join('').match(/^x$/gm)?.length ?? 0).toBeGreaterThan(10_000)
})

function whole(before: string, newText: string) {
  return { range: { start: { line: 0, character: 0 }, end: { line: before.length, character: 0 } }, newText }
}

it('files written before one that cannot be are put back', async () => {
  for (const name of ['a.toy', 'b.toy']) await writeFile(join(folder, name), 'one\n')
  const host = await hostOf()
  const uris = ['a.toy', 'b.toy'].map((name) => pathToFileURL(join(folder, name)).href)
  const edit = { changes: Object.fromEntries(uris.map((uri) => [uri, [at(0, 0, 3, 'two')]])) }
  const [first, second] = await readEdit(host, edit)
  if (first === undefined || second === undefined) throw new Error('two files')
  // By what is known of it, the second is another file by now.
  const changes = [first, { ...second, snapshot: first.snapshot }]
  await expect(applyChanges(host, changes, 'Rename?', agreeing([]))).rejects.toThrow('No file was changed')
  for (const name of ['a.toy', 'b.toy']) expect(readFileSync(join(folder, name), 'utf8')).toBe('one\n')
})

describe('sec-772: a subscription to test results', () => {
  it.skipIf(process.platform === 'win32')('stands where the report is a link to itself', async () => {
    await symlink('r.xml', join(folder, 'r.xml'))
    const client = await start({ reports: ['r.xml'] })
    const subscription = await client.subscribe('editor://tests', () => {})
    await subscription.close()
  })

  it('is answered where there are none', async () => {
    const client = await start()
    const outcome = await client
      .subscribe('editor://tests', () => {})
      .then(
        () => 'answered',
        () => 'answered',
      )
    expect(outcome).toBe('answered')
  })
})

describe('positions', () => {
  it.each(['\r\n', '\n', '\r'])('past the end of a line are its end (%j)', (end) => {
    expect(applyEdits(`a${end}b${end}`, [at(0, 99, 99, 'X')])).toBe(`aX${end}b${end}`)
    expect(toPosition(`a${end}b`, 1, { column: 99 })).toEqual({ line: 0, character: 1 })
  })

  it('take an insertion where a replacement starts, in either order', () => {
    const edits = [at(0, 1, 3, 'R'), at(0, 1, 1, 'I')]
    expect(applyEdits('abcdef', edits)).toBe('aIRdef')
    expect(applyEdits('abcdef', edits.toReversed())).toBe('aIRdef')
    expect(() => applyEdits('abcdef', [at(0, 1, 3, 'R'), at(0, 1, 2, 'S')])).toThrow('overlap')
  })
})

it('a long message is joined once, however many chunks it comes in', () => {
  const message = writeMessage({ params: 'x'.repeat(1_000_000) })
  const reader = new MessageReader(2_000_000)
  const { concat } = Buffer
  let copied = 0
  Buffer.concat = (list, ...more) => {
    copied += list.reduce((sum, { length }) => sum + length, 0)
    return concat(list, ...more)
  }
  try {
    let count = 0
    for (let from = 0; from < message.length; from += 1_000)
      count += [...reader.push(message.subarray(from, from + 1_000))].length
    expect(count).toBe(1)
    expect(copied).toBeLessThan(3 * message.length)
  } finally {
    Buffer.concat = concat
  }
})

describe('1,000 failed tests', () => {
  const numbers = Array.from({ length: 1_000 }, (_, one) => one)
  it.each([
    ['r.xml', `<a>${numbers.map((one) => `<testcase name="t${one}"><failure message="no"/></testcase>`).join('')}</a>`],
    ['r.tap', `TAP version 13\n${numbers.map((one) => `not ok ${one} - t`).join('\n')}`],
    [
      'r.json',
      JSON.stringify({ testResults: [{ assertionResults: numbers.map(() => ({ status: 'failed', title: 't' })) }] }),
    ],
  ])('of %s are all counted', async (file, content) => {
    const text = reportText(file, await readReport(file, content))
    expect(text).toContain('0 passed, 1000 failed, 0 skipped')
    expect(text).toContain('[800 more failed tests are not described.]')
  })
})

describe('a list that was cut says so', () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }
  const many = (count: number, one: object) => Array.from({ length: count }, () => one)
  it.each([
    ['references', (uri: string) => many(510, { uri, range }), '[10 more are left out.]'],
    ['symbols', () => many(5_001, { name: 'a', kind: 12, range }), '[More is left out: at most 5000 symbols'],
    ['code_actions', () => many(103, { title: 'Do it' }), '[3 more are left out.]'],
  ] as const)('%s', async (tool, answer, words) => {
    const file = join(folder, 'a.toy')
    await writeFile(file, `ANSWER ${JSON.stringify(answer(pathToFileURL(file).href))}\n`)
    const client = await start({ maxCharacters: 10_000_000 })
    const { content } = await client.callTool(tool, tool === 'symbols' ? { path: 'a.toy' } : { path: 'a.toy', line: 1 })
    expect(JSON.stringify(content)).toContain(words)
  })

  it('what is wrong with a file', () => {
    const store = new DiagnosticStore()
    store.keep('file:///a', many(600, {}) as never)
    expect([store.of('file:///a')?.length, store.leftOut('file:///a')]).toEqual([500, 100])
  })
})

describe('a call under way', () => {
  it('starts no language server once the server is closed', async () => {
    const host = await hostOf([{ id: 'toy', extensions: ['.toy'], command: [process.execPath, SERVER] }])
    await host.close()
    expect(() => host.clientFor('a.toy')).toThrow('closed')
  })

  it('that is cancelled does not wait for a language server to start', async () => {
    await writeFile(join(folder, 'a.toy'), 'a\n')
    const command = [process.execPath, '-e', 'setInterval(() => {}, 1000)']
    const host = await hostOf([{ id: 'toy', extensions: ['.toy'], command }])
    const stop = new AbortController()
    const asked = host.clientFor('a.toy').ask('x', join(folder, 'a.toy'), {}, stop.signal)
    stop.abort()
    await expect(asked).rejects.toThrow('cancelled')
  })
})
