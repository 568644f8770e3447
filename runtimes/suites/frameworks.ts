/** The server mounted under each framework: the examples in `frameworks/`, run as a reader would run them. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { folder } from '../bundle.ts'
import { type Command, startProgram } from '../program.ts'
import type { Report } from '../report.ts'
import { openWire } from '../wire.ts'
import { buildNext } from './next.ts'
import { runRawWire } from './raw-wire.ts'
import type { Suite } from './suite.ts'

export const frameworkSuites: Suite[] = [
  ...['express', 'fastify', 'hono'].map(
    (name): Suite => ({
      name: `under ${name}`,
      run: async (report) => {
        const command = fromSource(`frameworks/${name}.ts`)
        await runRawWire(report, { command: () => command })
        await checkOwnRoute(report, command)
      },
    }),
  ),
  { name: 'under next', run: (report) => runRawWire(report, { command: buildNext }) },
]

/** What the framework serves itself is still reached. */
async function checkOwnRoute(report: Report, command: Command): Promise<void> {
  const program = await startProgram(command)
  const wire = openWire(program.origin)
  try {
    await report.check('modern', 'a route of the framework itself is reached', async () => {
      const answer = await wire.send({ path: '/' }).answer
      assert.equal(answer.status, 200)
      assert.match(await answer.text(), /MCP is at/)
    })
  } finally {
    wire.close()
    await program.stop()
  }
}

/** How Node runs a TypeScript file of this folder: as this process was run itself. */
function fromSource(file: string): Command {
  return { file: process.execPath, args: [...process.execArgv, join(folder, file)], env: { PORT: '0' } }
}
