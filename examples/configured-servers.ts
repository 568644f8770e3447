// Teaches: finding the servers that the programs on this machine have, and what each would start, without starting any.

import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  createTrustStore,
  findConfigFiles,
  formatProblem,
  inspectCommand,
  loadConfig,
  showCommand,
  stateFolder,
} from '@portico/host/config'

const project = process.cwd()
const state = stateFolder(process.env, process.platform, homedir())

const config = await loadConfig({
  files: await findConfigFiles({ project }),
  trust: createTrustStore({ file: join(state, 'trust.json') }),
  project,
})

for (const { name, target, place } of config.servers) {
  console.log(`${name} (${place.file}:${place.line})\n  ${showCommand(target)}`)
  for (const { level, message } of inspectCommand(target)) console.log(`  ${level}: ${message}`)
}
for (const { file, servers } of config.untrusted) console.log(`${file} wants to add: ${servers.join(', ')}`)
for (const problem of config.problems) console.error(formatProblem(problem))
console.log(`${config.servers.length} servers`)
