/**
 * The fixture served by several processes behind plain round robin, every revision on the one address that is printed.
 * `REPLICAS` says how many.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRoundRobin } from '../support/round-robin.ts'
import { startServer } from './runner/subjects.ts'

const state = mkdtempSync(join(tmpdir(), 'portico-replicas-'))
const program = { file: 'replica.ts', env: { STATE: JSON.stringify({ sqlite: join(state, 'state.db') }) } }
const folder = fileURLToPath(new URL('.', import.meta.url))
const count = Number(process.env.REPLICAS ?? 3)
const replicas = await Promise.all(Array.from({ length: count }, () => startServer(folder, program)))
const proxy = await startRoundRobin('/mcp', false)
proxy.targets = replicas.map(({ url }) => url)
console.log(`${count} replicas on ${proxy.url}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void Promise.all(replicas.map((replica) => replica.stop())).then(async () => {
      await proxy.close()
      rmSync(state, { recursive: true, force: true, maxRetries: 5 })
      process.exit(0)
    })
  })
}
