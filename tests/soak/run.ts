/**
 * `npm run soak -- --minutes 20`: half of what a gateway can do, with a fault a second, over its callers, a host, three servers,
 * tasks and a store. Afterwards everything that was counted is as it was, and memory has not grown on the way.
 */

import { join } from 'node:path'
import type { StateSetting } from '@portico/host/state'
import { runSuite } from '../support/suite.ts'

/** In `npm test`, beside other suites: few calls, and the time to compile is as long as half of what is judged. */
const SHORT = { minutes: 0.5, settleMinutes: 0.25, mostCalls: 20 }

await runSuite(import.meta.url, {
  end: 'now',
  flags: {
    minutes: { type: 'string', default: '2', about: 'how long; half a minute with --short' },
    seed: { type: 'string', default: `${Date.now() % 100_000}`, about: 'repeats the order of faults and calls' },
    state: { type: 'string', about: 'postgres:// or redis:// of a database of your own; a SQLite file unless given' },
    snapshot: {
      type: 'string',
      about: 'writes <this>.before.heapsnapshot and .after, to be compared in the tools of a browser',
    },
  },
  async open({ minutes, seed, state, short, snapshot }) {
    const { soak } = await import('./soak.ts')
    const length = short === true ? SHORT : { minutes: Number(minutes) }
    if (!(length.minutes > 0)) throw new Error('--minutes takes a number above 0')
    const setting = { ...length, seed: Number(seed), snapshot, state: (folder: string) => toState(state, folder) }
    return {
      trials: [{ name: 'soak', run: (report) => soak(setting, report) }],
      summary: () => `seed ${seed}`,
    }
  },
})

function toState(url: string | undefined, folder: string): StateSetting {
  if (url === undefined) return { sqlite: join(folder, 'state.db') }
  if (url.startsWith('postgres')) return { postgres: url, schema: `soak_${process.pid}` }
  return { redis: url, prefix: `soak-${process.pid}` }
}
