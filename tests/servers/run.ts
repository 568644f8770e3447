/**
 * `npm run servers`: the servers before real things: databases that others wrote, and clients that others wrote. `--short` leaves the long
 * trials out; words choose the trials whose names hold one of them. Exit code 1 if one fails.
 * `--bench` measures instead, beside servers that others published.
 */

import { fileURLToPath } from 'node:url'
import { helpIfAsked } from '../support/help.ts'
import { installPackages } from '../support/install.ts'
import { runTrials, type Trial } from '../support/trials.ts'

helpIfAsked(import.meta.url)
installPackages(fileURLToPath(new URL('.', import.meta.url)))

if (process.argv.includes('--bench')) {
  await (await import('./bench.ts')).bench()
  process.exit()
}

/** What the trials need is installed by now, so they are loaded only here. */
const trials: readonly Trial[] = [
  ...(await import('./databases.ts')).databaseTrials,
  ...(await import('./random-arguments.ts')).randomTrials,
  ...(await import('./clients.ts')).clientTrials,
  ...(await import('./host.ts')).hostTrials,
  ...(await import('./real.ts')).realTrials,
]

process.exitCode = await runTrials(trials)
