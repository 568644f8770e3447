/** A process that calls a tool, follows its task, and is ended at a point of it. */

import { openState } from '@portico/host/state'
import { connect } from '@portico/sdk/client'
import { type Point, withKill } from './kill-points.ts'
import { ANSWERS, createKillServer, Ledger } from './kill-server.ts'

const [setting = '{}', path = '', given = '{}'] = process.argv.slice(2)
// Both were written by this suite.
const where = JSON.parse(setting) as { redis: string }
const point = JSON.parse(given) as Point

const { store, bus } = await openState('redis' in where ? { ...where, library: () => import('redis') } : where)
const ledger = new Ledger(path)
const client = await connect(createKillServer(withKill(store, point), bus, ledger).server, ANSWERS)
const run = await client.startTool('work', {})
const taskId = run.task?.taskId ?? ''
ledger.note({ acknowledged: taskId })
if (point.cancels) {
  while (!ledger.read().some(({ step }) => step === 'second')) await Promise.race([run.result(), pause()])
  await run.cancel()
  ledger.note({ cancelled: taskId })
} else {
  await run.result()
}
// Whoever comes here was not ended in time; a release may come after the result was read.
setTimeout(() => process.exit(3), 2000)

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50))
}
