/**
 * The servers before real things: databases that others wrote, and clients that others wrote. `--short` leaves the long
 * trials out; words choose the trials whose names hold one of them. Exit code 1 if one fails.
 * `--bench` measures instead, beside servers that others published.
 */

import { fileURLToPath } from 'node:url'
import { installLab } from './install.ts'
import type { Trial } from './trial.ts'

installLab(fileURLToPath(new URL('.', import.meta.url)))

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

const short = process.argv.includes('--short')
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
let failed = 0
let ran = 0
let skipped = 0
for (const one of trials) {
  if (wanted.length > 0 && !wanted.some((word) => one.name.includes(word))) continue
  if (short && one.long === true) continue
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
