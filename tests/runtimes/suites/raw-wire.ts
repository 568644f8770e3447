/** The list of checks that every server meets, whichever runtime or framework it runs on. */

import type { Report } from '../../support/report.ts'
import type { Check, Group } from '../checks/check.ts'
import { cancelChecks, modernChecks } from '../checks/modern.ts'
import { olderChecks } from '../checks/older.ts'
import { safetyChecks } from '../checks/safety.ts'
import { type Command, startProgram } from '../program.ts'
import { openWire } from '../wire.ts'

const CHECKS = [...modernChecks, ...olderChecks, ...safetyChecks, ...cancelChecks]

export interface RawWire {
  /** Made when the target is run: it may have to be built first. */
  readonly command: () => Command | Promise<Command>
  readonly protocol?: 'http/1.1' | 'h2'
  /** What the target does not offer by its nature. */
  readonly without?: readonly Group[]
  /** What it offers beyond the others. */
  readonly more?: readonly Check[]
}

export async function runRawWire(report: Report, target: RawWire): Promise<void> {
  const program = await startProgram(await target.command())
  const wire = openWire(program.origin, target.protocol)
  try {
    for (const { group, name, run } of [...CHECKS, ...(target.more ?? [])]) {
      if (!target.without?.includes(group)) await report.checkIn(group, name, () => run(wire))
    }
  } finally {
    wire.close()
    await program.stop()
    if (report.failures.length > 0 && program.output.length > 1) {
      console.log(`    its output:\n${program.output.slice(-10).join('\n').replace(/^/gm, '          ')}`)
    }
  }
}
