/**
 * `npm run scale`: state that several processes share, in every database that can keep it: the contracts, processes that write
 * at once, one that is killed, and a database that goes away and comes back; and tasks whose worker, server or gateway is killed at
 * every point; and replicas behind round robin. `npm run scale -- --replicas` is the long form of the last alone: 20,000 calls on
 * each database while one replica is killed every few seconds, then a rolling restart. `npm run scale -- kills` is the long form of these alone: ten runs a point on three databases.
 */

import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install.ts'
import { type Plan, runSuite, type Trial } from '../support/suite.ts'
import type { SameTally } from './replicas/same-tally.ts'

const REPLICAS_MS = 45 * 60_000
/** Of one simulation, and of one store that is away. */
const LIMIT_MS = 15 * 60_000

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
    simulate: {
      type: 'boolean',
      about: 'what calls, sessions and listeners cost, and what many replicas would give; nothing else',
    },
    'store-away': {
      type: 'string',
      about: 'the store is away for so many seconds in the middle of load (30, say); nothing else',
    },
    real: {
      type: 'string',
      default: '0',
      about: 'also a tool that takes so many minutes by the real clock, through clients that wait one (20, say)',
    },
    // Processes mostly wait, so more than one per core can be on their way.
    'at-once': { type: 'string', default: '6', about: 'how many of these processes are on their way at a time' },
    seed: { type: 'string', default: `${Date.now() % 100_000}`, about: 'the order of these points' },
  },
  async open({ runs, seed, real, replicas, calls, simulate, short, 'store-away': away, 'at-once': atOnce }) {
    installPackages(fileURLToPath(new URL('.', import.meta.url)))
    const { places } = await import('./places.ts')
    if (simulate === true) return openSimulation(() => places.stop())
    if (away !== undefined) return openAway(Number(away))
    const { createReplicaTrials } = await import('./replicas/cases.ts')
    const { ReplicaTally } = await import('./replicas/tally.ts')
    const { SameTally } = await import('./replicas/same-tally.ts')
    const [kept, same] = [new ReplicaTally(), new SameTally()]
    const groups = [
      'files',
      'store',
      'bus',
      'processes',
      'away',
      'refresh',
      'kills',
      'queue',
      'figures',
      'real',
      'replicas',
    ]
    const columns = [...groups, 'same']
    const after = (): Promise<void> => places.stop()
    if (replicas === true) {
      const trials = createReplicaTrials(Number(calls), kept)
      return { trials, columns, after, limitMs: REPLICAS_MS, summary: () => `${kept}` }
    }
    const { KillTally } = await import('./kill-tally.ts')
    const { createFigureTrials, Figures } = await import('./task-figures.ts')
    const [tally, figures] = [new KillTally(), new Figures()]
    const trials: Trial[] = [
      ...(await import('./deploy-cases.ts')).deployTrials,
      ...(await import('./contract-cases.ts')).contractTrials,
      ...(await import('./process-cases.ts')).processTrials,
      ...(await import('./away-cases.ts')).awayTrials,
      ...(await import('./refresh-cases.ts')).refreshTrials,
      ...(await import('./kill-cases.ts')).createKillTrials({
        runs: Number(runs),
        seed: Number(seed),
        atOnce: Number(atOnce),
        tally,
      }),
      ...(await import('./queue-cases.ts')).queueTrials,
      ...createFigureTrials(figures),
      ...(await import('./real-cases.ts')).createRealTrials(Number(real)),
      ...createReplicaTrials(undefined, kept),
      ...(await import('./replicas/conformance.ts')).createConformanceTrials(same),
      ...(await createInterop(same, short)),
    ]
    return {
      trials,
      columns,
      after,
      summary: () => [tally, figures, kept, same, `seed ${seed}`].map(String).filter(Boolean).join('\n\n'),
    }
  },
})

async function openSimulation(after: () => Promise<void>): Promise<Plan> {
  const { createSimulations } = await import('./measured/simulate-cases.ts')
  return { trials: createSimulations(), columns: ['simulation'], after, limitMs: LIMIT_MS }
}

async function openAway(seconds: number): Promise<Plan> {
  if (!(seconds > 0)) throw new Error('--store-away takes a number of seconds')
  const { AwayLedger, createAwayTrials } = await import('./store-away/cases.ts')
  const ledger = new AwayLedger()
  const trials = createAwayTrials(seconds, ledger)
  return { trials, columns: ['store away'], limitMs: LIMIT_MS, summary: () => `${ledger}` }
}

/** Its clients are installed where they are used. */
async function createInterop(same: SameTally, short: boolean): Promise<readonly Trial[]> {
  return short ? [] : (await import('./replicas/interop.ts')).createInteropTrials(same)
}
