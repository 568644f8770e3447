/**
 * `npm run scale`: state that several processes share, in every database that can keep it: the contracts, processes that write
 * at once, one that is killed, and a database that goes away and comes back; and tasks whose worker, server or gateway is killed at
 * every point; and replicas behind round robin. `npm run scale -- --replicas` is the long form of the last alone: 20,000 calls on
 * each database while one replica is killed every few seconds, then a rolling restart. `npm run scale -- kills` is the long form of these alone: ten runs a point on three databases.
 */

import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install.ts'
import { runSuite } from '../support/suite.ts'

const REPLICAS_MS = 45 * 60_000

await runSuite(import.meta.url, {
  end: 'now',
  flags: {
    runs: {
      type: 'string',
      default: '10',
      about: 'how often a process is ended at each point of a task, in the long form',
    },
    replicas: { type: 'boolean', about: 'replicas behind round robin alone, in the long form' },
    calls: { type: 'string', default: '20000', about: 'with --replicas: how many calls' },
    real: {
      type: 'string',
      default: '0',
      about: 'also a tool that takes so many minutes by the real clock, through clients that wait one (20, say)',
    },
    seed: { type: 'string', default: `${Date.now() % 100_000}`, about: 'the order of these points' },
  },
  async open({ runs, seed, real, replicas, calls }) {
    installPackages(fileURLToPath(new URL('.', import.meta.url)))
    const { places } = await import('./places.ts')
    const { createReplicaTrials } = await import('./replica-cases.ts')
    const columns = ['store', 'bus', 'processes', 'away', 'refresh', 'kills', 'queue', 'real', 'replicas']
    const after = (): Promise<void> => places.stop()
    if (replicas === true) return { trials: createReplicaTrials(Number(calls)), columns, after, limitMs: REPLICAS_MS }
    const { KillTally } = await import('./kill-tally.ts')
    const tally = new KillTally()
    const trials = [
      ...(await import('./contract-cases.ts')).contractTrials,
      ...(await import('./process-cases.ts')).processTrials,
      ...(await import('./away-cases.ts')).awayTrials,
      ...(await import('./refresh-cases.ts')).refreshTrials,
      ...(await import('./kill-cases.ts')).createKillTrials({ runs: Number(runs), seed: Number(seed), tally }),
      ...(await import('./queue-cases.ts')).queueTrials,
      ...(await import('./real-cases.ts')).createRealTrials(Number(real)),
      ...createReplicaTrials(undefined),
    ]
    return {
      trials,
      columns,
      after,
      summary: () => `${tally}\n\nseed ${seed}`.trim(),
    }
  },
})
