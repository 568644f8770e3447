/** Runs a TypeScript file of this repository from source: `node scripts/run.mjs <file.ts> [arguments]`. */
import { runNode, sourceArguments } from './child.mjs'

const [file, ...args] = process.argv.slice(2)
if (file === undefined || file === '--help') {
  console.log('usage: node scripts/run.mjs <file.ts> [arguments]')
  process.exitCode = file === undefined ? 2 : 0
} else {
  process.exitCode = await runNode(sourceArguments(file, args))
}
