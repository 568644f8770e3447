/** `npm start`: serves the example server over HTTP, from source. Arguments go to it: `npm start -- --port 4000`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runNode, toolPath } from './child.mjs'
import { repositoryRoot } from './report.mjs'

const example = join(repositoryRoot, 'examples', 'start.ts')
if (existsSync(example)) {
  process.exitCode = await runNode([toolPath('run.mjs'), example, ...process.argv.slice(2)])
} else {
  console.error('nothing to start: examples/start.ts does not exist')
  process.exitCode = 1
}
