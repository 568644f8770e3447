/**
 * `npm run servers`: the servers before real things: databases that others wrote, and clients that others wrote. `--bench`
 * measures instead, beside servers that others published.
 */

import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install.ts'
import { runSuite } from '../support/suite.ts'

await runSuite(import.meta.url, {
  flags: {
    bench: { type: 'boolean', about: 'measure files, sql and memory beside published servers' },
    uri: { type: 'string', about: 'a MongoDB of yours for the trial "mongo", with a user who may only read' },
  },
  async open({ bench, uri }) {
    installPackages(fileURLToPath(new URL('.', import.meta.url)))
    if (bench === true) return { trials: (await import('./bench.ts')).benchTrials }
    return {
      trials: [
        ...(await import('./databases.ts')).databaseTrials,
        ...(await import('./random-arguments.ts')).randomTrials,
        ...(await import('./clients.ts')).clientTrials,
        ...(await import('./host.ts')).hostTrials,
        ...(await import('./real.ts')).realTrials,
        ...(await import('./mongo.ts')).mongoTrials(uri),
        ...(await import('./vendors/trials.ts')).vendorTrials,
        ...(await import('./sessions.ts')).sessionTrials,
      ],
    }
  },
})
