/** Processes that do nothing but take time, so that what depends on an idle machine shows. */

import { spawn } from 'node:child_process'

/** They look for the process that started them, and end without it however it ended. */
const PROGRAM = 'const parent = process.ppid; while (process.ppid === parent);'

/** Starts so many; they end with this process. */
export function keepBusy(count: number): void {
  const children = Array.from({ length: count }, () => spawn(process.execPath, ['-e', PROGRAM], { stdio: 'ignore' }))
  // They do not hold up the end of a run that is over.
  for (const child of children) child.unref()
  process.once('exit', () => {
    for (const child of children) child.kill()
  })
}
