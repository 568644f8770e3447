/**
 * `npm run scale`: state that several processes share, in every database that can keep it: the contracts, processes that write
 * at once, one that is killed, and a database that goes away and comes back; and tasks whose process is killed at every point.
 */

import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install.ts'
import { runSuite } from '../support/suite.ts'

await runSuite(import.meta.url, {
  end: 'now',
  async open() {
    installPackages(fileURLToPath(new URL('.', import.meta.url)))
    const { places } = await import('./places.ts')
    const trials = [
      ...(await import('./contract-cases.ts')).contractTrials,
      ...(await import('./process-cases.ts')).processTrials,
      ...(await import('./away-cases.ts')).awayTrials,
      ...(await import('./kill-cases.ts')).killTrials,
    ]
    return { trials, columns: ['store', 'bus', 'processes', 'away', 'kills'], after: () => places.stop() }
  },
})
