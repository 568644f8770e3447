/** The server mounted under each framework: the examples in `frameworks/`, run as a reader would run them. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Trial } from '../../support/suite.ts'
import { folder } from '../bundle.ts'
import type { Check } from '../checks/check.ts'
import type { Command } from '../program.ts'
import { buildNext } from './next.ts'
import { runRawWire } from './raw-wire.ts'

export const frameworkSuites: Trial[] = [
  ...['express', 'fastify', 'hono'].map(
    (name): Trial => ({
      name: `under ${name}`,
      run: (report) => {
        return runRawWire(report, { command: () => fromSource(`frameworks/${name}.ts`), more: [ownRoute] })
      },
    }),
  ),
  { name: 'under next', long: true, run: (report) => runRawWire(report, { command: buildNext }) },
]

/** What the framework serves itself is still reached. */
const ownRoute: Check = {
  group: 'modern',
  name: 'a route of the framework itself is reached',
  async run(wire) {
    const answer = await wire.send({ path: '/' }).answer
    assert.equal(answer.status, 200)
    assert.match(await answer.text(), /MCP is at/)
  },
}

/** How Node runs a TypeScript file of this folder: as this process was run itself. */
function fromSource(file: string): Command {
  return { file: process.execPath, args: [...process.execArgv, join(folder, file)], env: { PORT: '0' } }
}
