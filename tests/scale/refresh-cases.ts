/** Three real processes begin at once with one token that no longer counts: one renews it, or one page is shown, every time. */

import { deepEqual, equal } from 'node:assert/strict'
import type { Report } from '../support/report.ts'
import type { Trial } from '../support/suite.ts'
import { type Kind, missingFor, places } from './places.ts'
import { startWorker } from './process-cases.ts'
import { startProtectedSite } from './protected-site.ts'

export const refreshTrials: readonly Trial[] = (['sqlite', 'postgres', 'valkey', 'redis'] as const).map((kind) => ({
  name: `${kind} refresh`,
  long: kind !== 'sqlite',
  missing: () => missingFor(kind),
  run: (report) => runRefresh(kind, report),
}))

const RUNS = 5

async function runRefresh(kind: Kind, report: Report): Promise<void> {
  const site = await startProtectedSite()
  const setting = (await places.get(kind)).fresh()
  const instances = [1, 2, 3].map((number) =>
    startWorker(`instance-${number}`, setting, { program: 'refresh-instance.ts', words: [site.url] }),
  )
  const useAtOnce = async (): Promise<void> => {
    const answers = await Promise.all(instances.map((instance) => instance.ask('use')))
    const said = JSON.stringify([{ type: 'text', text: 'said' }])
    deepEqual(answers, [said, said, said])
  }
  try {
    await report.checkIn('refresh', 'nobody has signed in: three at once show one page', async () => {
      await useAtOnce()
      equal(site.counts.pages, 1)
    })
    for (let run = 1; run <= RUNS; run++) {
      await report.checkIn('refresh', `run ${run}: the token no longer counts, and is renewed once`, async () => {
        site.expire(false)
        await useAtOnce()
        deepEqual(site.counts, { pages: 0, refreshes: 1 })
      })
      await report.checkIn(
        'refresh',
        `run ${run}: nor can it be renewed: one tries, and one page is shown`,
        async () => {
          site.expire(true)
          await useAtOnce()
          deepEqual(site.counts, { pages: 1, refreshes: 1 })
        },
      )
    }
  } finally {
    await Promise.all(instances.map((instance) => instance.kill()))
    site.stop()
  }
}
