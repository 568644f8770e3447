/**
 * `npm run faults`: the matrix of faults, links and faults of `docs/reference/reliability.md`, with real processes, sockets, a proxy
 * that breaks them and a ledger on disk. Every call must end once, truly and in time; the table counts them.
 * `--cell 'L5 F13' --seed 7 --runs 1` repeats what went wrong.
 */

import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install.ts'
import { runSuite } from '../support/suite.ts'

await runSuite(import.meta.url, {
  end: 'nothing left open',
  flags: {
    cell: {
      type: 'string',
      multiple: true,
      about: 'only these: a link, a fault and any of its words, such as "L5 F13 reset"',
    },
    link: { type: 'string', multiple: true, about: 'only these links: L1 to L6' },
    runs: {
      type: 'string',
      about:
        'how often a fault is run on a link, its forms in turn, or each cell named by --cell; 10 unless given, 1 with --short',
    },
    seed: { type: 'string', default: '1', about: 'where the random choices of the first run begin' },
    workers: { type: 'string', default: `${availableParallelism() * 2}`, about: 'how many cells are run side by side' },
    json: { type: 'string', about: 'also writes everything into this file' },
    matrix: { type: 'boolean', default: false, about: 'print the places of the matrix that have no cell, and why' },
  },
  async open(values) {
    installPackages(fileURLToPath(new URL('../scale', import.meta.url)))
    const { openMatrix } = await import('./open-matrix.ts')
    return openMatrix(values)
  },
})
