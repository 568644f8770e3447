/**
 * `npm run scale`: state that several processes share, in every database that can keep it: the contracts, processes that write
 * at once, one that is killed, and a database that goes away and comes back; and tasks whose worker, server or gateway is killed at
 * every point. `npm run scale -- kills` is the long form of these alone: ten runs a point on three databases.
 */

import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install.ts'
import { runSuite } from '../support/suite.ts'

await runSuite(import.meta.url, {
  end: 'now',
  flags: {
    runs: {
      type: 'string',
      default: '10',
      about: 'how often a process is ended at each point of a task, in the long form',
    },
    seed: { type: 'string', default: `${Date.now() % 100_000}`, about: 'the order of these points' },
  },
  async open({ runs, seed }) {
    installPackages(fileURLToPath(new URL('.', import.meta.url)))
    const { places } = await import('./places.ts')
    const { KillTally } = await import('./kill-tally.ts')
    const tally = new KillTally()
    const trials = [
      ...(await import('./contract-cases.ts')).contractTrials,
      ...(await import('./process-cases.ts')).processTrials,
      ...(await import('./away-cases.ts')).awayTrials,
      ...(await import('./kill-cases.ts')).createKillTrials({ runs: Number(runs), seed: Number(seed), tally }),
      ...(await import('./queue-cases.ts')).queueTrials,
    ]
    return {
      trials,
      columns: ['store', 'bus', 'processes', 'away', 'kills', 'queue'],
      after: () => places.stop(),
      summary: () => `${tally}\n\nseed ${seed}`.trim(),
    }
  },
})
