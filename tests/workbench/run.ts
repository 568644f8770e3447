/**
 * `npm run workbench`: the workbench in a real browser. Starts it the way `npm start` does, opens the link in Chromium
 * and does what people do there, against real servers.
 */

import { fileURLToPath } from 'node:url'
import { findChromium, NO_CHROMIUM } from '../support/chromium.ts'
import { installPackages } from '../support/install.ts'
import { runSuite } from '../support/suite.ts'
import type { Site } from './site.ts'
import type { Trial } from './trial.ts'

await runSuite(import.meta.url, {
  async open({ short }) {
    installPackages(fileURLToPath(new URL('.', import.meta.url)))
    const { openSite } = await import('./site.ts')
    const executable = findChromium()
    // There once a trial runs.
    let site: Site
    return {
      trials: (await listTrials(short === true)).map((trial) => ({
        ...trial,
        missing: () => (executable === undefined ? NO_CHROMIUM : undefined),
        run: () => runTrial(site, trial),
      })),
      before: async () => {
        site = await openSite(executable ?? '')
      },
      after: () => site.close(),
      summary: () => {
        const figures = [...site.figures].map(([name, value]) => `figure  ${name}: ${value}`)
        return [...figures, `pictures are in ${site.pictures}`].join('\n')
      },
    }
  },
})

async function listTrials(isShort: boolean): Promise<Trial[]> {
  const { firstHourTrials, restartTrials } = await import('./first-hour-cases.ts')
  const { createLooks, settleTrials } = await import('./looks-cases.ts')
  return [
    ...(await import('./opening-cases.ts')).openingTrials,
    ...(await import('./screen-cases.ts')).screenTrials,
    ...(await import('./chat-cases.ts')).chatTrials,
    ...createLooks(isShort),
    ...(await import('./width-cases.ts')).widthTrials,
    ...settleTrials,
    ...firstHourTrials,
    ...(await import('./terminal-cases.ts')).terminalTrials,
    ...(await import('./flow-cases.ts')).flowTrials,
    ...(await import('./project-cases.ts')).projectTrials,
    ...(await import('./hostile-cases.ts')).hostileTrials,
    ...restartTrials,
  ]
}

/** A line on the browser's console fails a trial that does not expect it. */
async function runTrial(site: Site, trial: Trial): Promise<void> {
  site.complaints.length = 0
  try {
    await trial.run(site)
    const complaints = site.complaints.filter((words) => trial.expects?.test(words) !== true)
    if (complaints.length > 0) throw new Error(`the console says: ${complaints.join('\n')}`)
  } catch (error) {
    await site.picture(`failed-${trial.name.replaceAll(/\W+/g, '-')}`).catch(() => {})
    throw error
  }
}
