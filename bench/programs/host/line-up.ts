/** The servers that the programs beside this one configure: so many live ones, and before them so many dead. */

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHost, type Host, type HostOptions } from '@portico/host'
import { defineServer, type ServerConfig } from '@portico/host/config'
import { startHttp } from '../clients/target.ts'

export interface LineUp {
  readonly configs: readonly ServerConfig[]
  /** How many of them answer, and the name of the last. */
  readonly live: number
  readonly last: string
}

/** As the command line says: how many live, how many dead. */
export async function createLineUp(): Promise<LineUp> {
  const [live = 0, dead = 0] = process.argv.slice(2).map(Number)
  const url = await startHttp()
  // Takes connections and says nothing.
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const mute = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`
  const configs = [
    // The dead come first: whoever took them one after the other would show it.
    ...[
      defineServer('nobody', { kind: 'http', url: 'http://127.0.0.1:1/mcp', headers: {} }),
      defineServer('mute', { kind: 'http', url: mute, headers: {} }),
      defineServer('missing', { kind: 'stdio', command: '/nonexistent/server', args: [], env: {} }),
    ].slice(0, dead),
    ...Array.from({ length: live }, (_, at) =>
      defineServer(`live${at}`, { kind: 'http', url: `${url}?at=${at}`, headers: {} }),
    ),
  ]
  return { configs, live, last: `live${live - 1}` }
}

/** A host as people have it, with a folder for what it keeps; nobody has to be asked. */
export async function timeHost(
  { configs }: LineUp,
  options: HostOptions,
  work: (host: Host) => Promise<void>,
): Promise<number> {
  const stateDir = await mkdtemp(join(tmpdir(), 'portico-bench-'))
  const rules = [{ id: 'all', outcome: 'allow' }]
  const start = performance.now()
  const host = await createHost({ stateDir, rules, servers: configs, env: {}, ...options })
  try {
    await work(host)
    return performance.now() - start
  } finally {
    await host.close()
    await rm(stateDir, { recursive: true, force: true })
  }
}
