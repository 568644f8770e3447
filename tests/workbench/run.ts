/**
 * `npm run workbench`: the workbench in a real browser. Starts it the way `npm start` does, opens the link in Chromium
 * and does what people do there, against real servers. Words on the command line choose trials; `--short` leaves the
 * long ones out. Exit code 1 if a trial fails.
 */

import { fileURLToPath } from 'node:url'
import { findChromium, NO_CHROMIUM } from '../support/chromium.ts'
import { helpIfAsked } from '../support/help.ts'
import { installPackages } from '../support/install.ts'

helpIfAsked(import.meta.url)
installPackages(fileURLToPath(new URL('.', import.meta.url)))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const chromium = findChromium()
if (chromium === undefined) console.log(`skipped: ${NO_CHROMIUM}`)
else process.exitCode = await run(chromium)

async function run(executable: string): Promise<number> {
  const { openSite } = await import('./site.ts')
  const { openingTrials } = await import('./opening-cases.ts')
  const { screenTrials } = await import('./screen-cases.ts')
  const { chatTrials } = await import('./chat-cases.ts')
  const { hostileTrials } = await import('./hostile-cases.ts')
  const { looksTrials, settleTrials } = await import('./looks-cases.ts')
  const { flowTrials } = await import('./flow-cases.ts')
  const { widthTrials } = await import('./width-cases.ts')
  const { firstHourTrials, restartTrials } = await import('./first-hour-cases.ts')
  const { terminalTrials } = await import('./terminal-cases.ts')
  const { projectTrials } = await import('./project-cases.ts')
  const words = process.argv.slice(2)
  const isShort = words.includes('--short')
  const wanted = words.filter((word) => !word.startsWith('--'))
  const cases = [
    openingTrials,
    screenTrials,
    chatTrials,
    looksTrials,
    widthTrials,
    settleTrials,
    firstHourTrials,
    terminalTrials,
    flowTrials,
    projectTrials,
    hostileTrials,
    restartTrials,
  ]
  const trials = cases
    .flat()
    .filter(
      ({ name, long, always }) =>
        always === true ||
        ((long !== true || !isShort) && (wanted.length === 0 || wanted.some((word) => name.includes(word)))),
    )
  let failed = 0
  const site = await openSite(executable)
  try {
    for (const trial of trials) {
      const from = Date.now()
      site.complaints.length = 0
      try {
        await trial.run(site)
        const complaints = site.complaints.filter((words) => trial.expects?.test(words) !== true)
        if (complaints.length > 0) throw new Error(`the console says: ${complaints.join('\n')}`)
        console.log(`ok      ${trial.name} (${((Date.now() - from) / 1_000).toFixed(1)} s)`)
      } catch (error) {
        failed++
        console.log(`FAILED  ${trial.name}`)
        console.error(error)
        await site.picture(`failed-${trial.name.replaceAll(/\W+/g, '-')}`).catch(() => {})
      }
    }
  } finally {
    await site.close()
  }
  for (const [name, value] of site.figures) console.log(`figure  ${name}: ${value}`)
  console.log(`\n${trials.length - failed} of ${trials.length} passed; pictures are in ${site.pictures}`)
  return failed === 0 ? 0 : 1
}
