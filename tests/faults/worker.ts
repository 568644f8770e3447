/** A process of the suite that runs cells, one after the other, as it is told: `{ cell, seeds }` comes in, a `Told` goes out. */

import { addAccount, createAccount } from '@portico/sdk/testing/faults'
import { until } from '../support/wait.ts'
import { attempt } from './attempt.ts'
import { attemptStore, closeStores } from './cells/store.ts'
import { findCell } from './matrix.ts'
import type { Told } from './pool.ts'
import { closeOwnSites, closeSites } from './rig/site.ts'

const strays: string[] = []
process.on('unhandledRejection', (error) => strays.push(`unhandled rejection: ${String(error)}`))
process.on('uncaughtException', (error) => strays.push(`uncaught exception: ${error.stack}`))

process.on('message', (message: { cell?: string; seeds?: number[] }) => {
  if (message.cell !== undefined) void runCell(message.cell, message.seeds ?? []).then((told) => process.send?.(told))
  else void leave()
})

/** Whoever started this process is gone: what it has started goes, too. */
process.on('disconnect', () => {
  const end = () => process.exit(1)
  setTimeout(end, 5_000).unref()
  if (!leaving) void closeSites().then(closeStores).then(end, end)
})
let leaving = false

async function runCell(name: string, seeds: readonly number[]): Promise<Told> {
  const began = performance.now()
  const cell = findCell(name)
  const account = createAccount()
  const complaints: string[] = []
  const slowest: number[] = []
  let runs = 0
  for (const seed of seeds) {
    try {
      if (cell === undefined) throw new Error('there is no such cell')
      const judgement = 'database' in cell ? await attemptStore(cell, seed) : await attempt(cell, seed)
      addAccount(account, judgement.account)
      complaints.push(...judgement.complaints.map((text) => `seed ${seed}: ${text}`))
      slowest.push(judgement.slowestMs)
      runs++
    } catch (error) {
      complaints.push(`seed ${seed}: ${error instanceof Error ? error.stack : String(error)}`)
    }
    complaints.push(...strays.splice(0).map((text) => `seed ${seed}: ${text}`))
  }
  for (const what of await closeOwnSites()) complaints.push(`left behind: ${what}`)
  return { name, runs, account, complaints, slowest, ms: performance.now() - began }
}

/** Nothing that a client, a server or a proxy has opened may keep this process alive ("Clean"). */
async function leave(): Promise<void> {
  leaving = true
  await closeSites()
  await closeStores()
  const held = () => process.getActiveResourcesInfo().filter((kind) => /TCP|Process/.test(kind))
  await until(() => held().length === 0, 'everything is closed').catch(() => {})
  process.send?.({ left: held() })
  process.disconnect()
}
