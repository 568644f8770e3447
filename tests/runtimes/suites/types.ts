/** The examples and entries against the types of the frameworks they use, which the repository's own check lacks. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { COMPILER } from '../../support/compiler.ts'
import type { Trial } from '../../support/suite.ts'
import { folder } from '../bundle.ts'

export const typeSuites: Trial[] = [
  {
    name: 'types of the examples',
    run: (report) =>
      report.checkIn('modern', 'they compile', async () => {
        const { stdout } = spawnSync(process.execPath, [COMPILER, '-p', folder, '--pretty', 'false'], {
          cwd: folder,
          encoding: 'utf8',
        })
        // Errors of the packages are their own checks' business.
        const own = stdout.split('\n').filter((line) => /^[a-z]/.test(line))
        assert.deepEqual(own, [])
      }),
  },
]
