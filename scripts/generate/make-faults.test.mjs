import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { makeFaults } from './make-faults.mjs'

const account = { sent: 32, answered: 24, failed: 8, lost: 0, wrong: 0, doubled: 0, untrue: 0, hung: 0 }
const matrix = {
  links: { L1: 'client–stdio server', L2: 'client–HTTP server' },
  faults: ['kill -9 before the request is written', 'kill -9 before execution'],
  runs: 10,
  seed: '1',
  absent: [{ link: 'L2', fault: 2, absent: 'made up' }],
  cells: [
    { name: 'L1 F1 killed', runs: 10, account, slowest: [3, 120] },
    { name: 'L2 F1 killed', runs: 10, account: { ...account, lost: 2 }, slowest: [7] },
    { name: 'L1 F2 killed | twice', runs: 10, account, slowest: [] },
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

test('the page of reliability has every fault with its cells, and why a link has none', () => {
  const page = makeFaults(place({ 'matrix.json': matrix })).get('docs/reference/reliability.md')
  expect(page).toContain('| L1 | killed | 10 | 32 | 24 | 8 | 0 | 120 | `L1 F1` |')
  expect(page).toContain('killed \\| twice')
  expect(page).toContain('- L2: made up')
})

test('nothing is made of what was not run', () => {
  expect(makeFaults(place({})).size).toBe(0)
})
