/** The command line as it is published: built from the sources, run by plain Node. */

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export const BINARY = fileURLToPath(new URL('../../packages/app/dist/cli/main.js', import.meta.url))

/** Builds the packages that the command line is made of, unless `npm test` has just done so. */
export function buildBinary(): void {
  if (process.env.PORTICO_BUILT === '1') return
  const steps = [
    ['node_modules/typescript/bin/tsc', '-b', 'packages/sdk', 'packages/app/tsconfig.build.json'],
    ['scripts/build/build-doors.mjs'],
  ]
  for (const step of steps) {
    const { status, stdout, stderr } = spawnSync(process.execPath, step, { cwd: ROOT, encoding: 'utf8' })
    if (status !== 0) console.error(`${step.join(' ')} has complaints:\n${stdout}${stderr}`)
  }
}
