/**
 * `npm run cli`: the built command line for real. Chat and approvals in a real terminal, packages installed into an empty
 * folder, sessions recorded and replayed, bridges to others' clients. `npm run cli -- chat` runs the trials whose names
 * hold that word; `--no-build` takes what is built. Exit code 1 if a trial fails.
 */

import { existsSync } from 'node:fs'
import { buildBinary } from './binary.ts'
import type { Trial } from './trial.ts'

const FILES = ['chat', 'terminal', 'everything', 'bridge', 'pack']

const words = process.argv.slice(2)
const wanted = words.filter((word) => !word.startsWith('--'))
if (!words.includes('--no-build')) buildBinary()

const trials: Trial[] = []
for (const file of FILES) {
  const url = new URL(`./${file}.ts`, import.meta.url)
  if (!existsSync(url)) continue
  // Every file of trials exports such a list.
  const found = (await import(url.href)) as { readonly trials: readonly Trial[] }
  trials.push(...found.trials)
}

let failed = 0
let ran = 0
let skipped = 0
for (const one of trials) {
  if (wanted.length > 0 && !wanted.some((word) => one.name.includes(word))) continue
  const missing = one.missing?.()
  if (missing !== undefined) {
    skipped++
    console.log(`skipped ${one.name}: ${missing}`)
    continue
  }
  ran++
  try {
    await one.run()
    console.log(`ok      ${one.name}`)
  } catch (error) {
    failed++
    console.log(`FAILED  ${one.name}`)
    console.error(error)
  }
}
console.log(`\n${ran - failed} of ${ran} passed${skipped === 0 ? '' : `, ${skipped} skipped`}`)
process.exitCode = failed === 0 && ran > 0 ? 0 : 1
