/**
 * `npm run first-hour`: every shell block of every page of the guide, typed as printed on a machine that has nothing of
 * ours, and a table of how long each step took. A trial is a page, and fails if a block does not do what the page says.
 */

import { runSuite } from '../support/suite.ts'
import { type Machine, startMachine } from './machine.ts'
import { buildPackages } from './packages.ts'
import { readPages } from './pages.ts'
import { missingPart, typePage } from './reading.ts'
import { missingRegistry } from './registry.ts'
import { type Row, tellRows } from './rows.ts'

await runSuite(import.meta.url, {
  verbose: true,
  flags: { 'no-build': { type: 'boolean', about: 'take what is built' } },
  open({ short, 'no-build': isBuilt }) {
    const rows: Row[] = []
    // There once a page is read.
    let machine: Machine
    return {
      trials: readPages()
        .filter(({ blocks }) => blocks.length > 0)
        .map((page) => ({
          name: page.name,
          long: page.long,
          missing: async () => missingRegistry() ?? (await missingPart(page)),
          run: async (report) => void rows.push(...(await typePage(machine, page, { report, short }))),
        })),
      before: async () => {
        if (isBuilt !== true) buildPackages()
        machine = await startMachine()
      },
      after: () => machine.close(),
      summary: () => tellRows(rows),
    }
  },
})
