/** Starts a driver process for one plan and waits for what it has to say. */

import { fork } from 'node:child_process'
import { join } from 'node:path'
import { workFolder } from './prepare.ts'
import type { Plan, Report } from './programs/driver.ts'

export function drive(plan: Plan): Promise<Report> {
  return new Promise((resolve, reject) => {
    const child = fork(join(workFolder, 'programs', 'driver.js'), { execArgv: [] })
    let report: Report | undefined
    child.once('message', (message: Report) => {
      report = message
    })
    child.once('error', reject)
    child.once('exit', (code) => {
      if (report === undefined) reject(new Error(`the driver ended with ${code}`))
      else resolve(report)
    })
    child.send(plan)
  })
}
