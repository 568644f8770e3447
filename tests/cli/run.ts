/**
 * `npm run cli`: the built command line for real. Chat and approvals in a real terminal, packages installed into an empty
 * folder, sessions recorded and replayed, bridges to others' clients. `npm run cli -- chat` runs the trials whose names
 * hold that word; `--no-build` takes what is built. Exit code 1 if a trial fails.
 */

import { existsSync } from 'node:fs'
import { helpIfAsked } from '../support/help.ts'
import { runTrials, type Trial } from '../support/trials.ts'
import { buildBinary } from './binary.ts'

const FILES = ['chat', 'terminal', 'everything', 'bridge', 'pack']

helpIfAsked(import.meta.url)
if (!process.argv.includes('--no-build')) buildBinary()

const trials: Trial[] = []
for (const file of FILES) {
  const url = new URL(`./${file}.ts`, import.meta.url)
  if (!existsSync(url)) continue
  // Every file of trials exports such a list.
  const found = (await import(url.href)) as { readonly trials: readonly Trial[] }
  trials.push(...found.trials)
}

process.exitCode = await runTrials(trials)
