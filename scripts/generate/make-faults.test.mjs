import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { repositoryRoot } from '../report.mjs'
import { stalePages } from './make.mjs'
import { faultsOf, makeFaults, readReliability } from './make-faults.mjs'

const account = { sent: 32, answered: 24, failed: 8, lost: 0, wrong: 0, doubled: 0, untrue: 0, hung: 0 }
const matrix = {
  links: { L1: 'client–stdio server', L2: 'client–HTTP server' },
  faults: ['kill -9 before the request is written', 'kill -9 before execution'],
  node: 'v20',
  absent: [{ link: 'L2', fault: 2, absent: 'made up' }],
  cells: [
    { name: 'L1 F1 killed', runs: 10, account, slowest: 120 },
    { name: 'L2 F1 killed', runs: 10, account: { ...account, lost: 2 }, slowest: 7 },
    { name: 'L1 F2 killed | twice', runs: 10, account, slowest: 0 },
  ],
}
const peers = {
  runs: 3,
  timeoutMs: 10_000,
  node: 'v20',
  peers: [
    {
      name: 'another, server',
      command: 'portico faults x',
      rows: [{ fault: 'F13', about: 'reset', account, unseen: ['doubled'], notes: ['it was gone'] }],
    },
  ],
}

const folders = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function place(files) {
  const root = mkdtempSync(join(tmpdir(), 'portico-make-faults-'))
  folders.push(root)
  mkdirSync(join(root, 'tests/faults/results'), { recursive: true })
  for (const [name, value] of Object.entries(files)) {
    writeFileSync(join(root, 'tests/faults/results', name), JSON.stringify(value))
  }
  return root
}

test('the page of faults sums every link and hides what cannot be seen', () => {
  const page = makeFaults(place({ 'matrix.json': matrix, 'peers.json': peers })).get('docs/faults.md')
  expect(page).toContain('Of 96 calls, 72 were answered and 24 failed')
  expect(page).toContain('; 2 were lost, wrong, doubled, told untruly or hung')
  expect(page).toContain('| L1 client–stdio server | 2 | 64 | 48 | 16 | 0 | 0 | 0 | 0 | 0 |')
  expect(page).toContain('| F13 reset | 32 | 24 | 8 | 0 | 0 | ? | 0 | 0 | no |')
})

test('the pages are what the kept results make them (if not: node scripts/generate/make-docs.mjs)', () => {
  expect(stalePages(makeFaults(repositoryRoot))).toEqual([])
})

const requirements = readReliability(repositoryRoot)

test('every requirement of reliability names a cell or a test', () => {
  expect(requirements.length).toBeGreaterThan(50)
  expect(new Set(requirements.map(({ id }) => id)).size).toBe(requirements.length)
  const bare = requirements.filter(({ cells = [], tests = [] }) => cells.length + tests.length === 0)
  expect(bare.map(({ id }) => id)).toEqual([])
  const all = requirements.flatMap(faultsOf)
  for (let fault = 1; fault <= 26; fault++) expect(all).toContain(fault)
})

test.each(requirements.flatMap(({ id, tests = [] }) => tests.map((one) => ({ id, ...one }))))(
  '$id: there is the test "$title"',
  ({ file, title }) => {
    expect(readFileSync(join(repositoryRoot, file), 'utf8')).toContain(title)
  },
)

const results = join(repositoryRoot, 'tests/faults/results/matrix.json')
const kept = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : undefined

test.runIf(kept !== undefined)('every place of the matrix was tried, or says why it has no cell', () => {
  const tried = new Set(kept.cells.map(({ name }) => /^L\d F\d+/.exec(name)?.[0]))
  const absent = new Set(kept.absent.filter((one) => one.absent !== '').map(({ link, fault }) => `${link} F${fault}`))
  const places = Object.keys(kept.links).flatMap((link) => kept.faults.map((_, index) => `${link} F${index + 1}`))
  expect(places.filter((place) => !tried.has(place) && !absent.has(place))).toEqual([])
})

test.runIf(kept !== undefined)('in none of its cells was a call lost, wrong, doubled, told untruly or hung', () => {
  const bad = kept.cells.filter(({ account }) =>
    ['lost', 'wrong', 'doubled', 'untrue', 'hung'].some((column) => account[column] !== 0),
  )
  expect(bad.map(({ name }) => name)).toEqual([])
})

test('the page of reliability has every fault with its cells, and why a link has none', () => {
  const root = place({ 'matrix.json': matrix })
  mkdirSync(join(root, 'scripts/generate'), { recursive: true })
  const rule = {
    id: 'rel-01',
    section: 'One',
    text: 'Rule',
    cells: ['F1-F2'],
    tests: [{ file: 'a/b.test.ts', title: 't' }],
  }
  writeFileSync(join(root, 'scripts/generate/reliability-requirements.json'), JSON.stringify([rule]))
  const page = makeFaults(root).get('docs/reference/reliability.md')
  expect(page).toContain('| rel-01 | Rule | F1-F2 (3): 96, 2 | [b.test.ts](../../a/b.test.ts): t |')
  expect(page).toContain('| L1 | killed | 10 | 32 | 24 | 8 | 0 | 120 | `L1 F1` |')
  expect(page).toContain('killed \\| twice')
  expect(page).toContain('- L2: made up')
})

test('nothing is made of what was not run', () => {
  expect([...makeFaults(place({})).keys()]).toEqual([])
})
