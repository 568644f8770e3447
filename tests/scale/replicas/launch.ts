/** What the replicas of a trial are: a server of one's own with `createCluster`, or `portico serve` with one file. */

import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StateSetting } from '@portico/host/state'
import { bundleProgram } from '../programs.ts'
import type { Ledger } from './ledger.ts'
import { ReplicaProcesses, startProgram } from './processes.ts'

export interface Launched {
  readonly replicas: ReplicaProcesses
  /** Whether the work is done elsewhere, so that whoever is killed may take with it what came of it. */
  readonly mayForget: boolean
  close(): Promise<void>
}

export type Launch = (setting: StateSetting, ledger: Ledger) => Promise<Launched>

export const launchServers: Launch = async (setting, ledger) => {
  const program = await bundleProgram('replicas/server.ts')
  const replicas = new ReplicaProcesses({ words: [program, JSON.stringify(setting), ledger.file] })
  return { replicas, mayForget: false, close: () => replicas.close() }
}

/** The same command again and again, before one server that nobody kills. */
export const launchPortico: Launch = async (setting, ledger) => {
  const [far, portico] = [await bundleProgram('replicas/server.ts'), await bundleProgram(PORTICO)]
  const upstream = await startProgram({ words: [far, '', ledger.file] })
  const file = join(ledger.folder, 'portico.json')
  const { library: _none, ...state } = setting as StateSetting & { readonly library?: unknown }
  const gateway = {
    auth: { way: 'none' },
    ownNames: true,
    state: { ...state, door: { host: '127.0.0.1' } },
    // All clients of the trial are one principal.
    limits: { callsPerMinute: 1_000_000 },
  }
  writeFileSync(file, JSON.stringify({ servers: { ledger: { url: upstream.url } }, gateway }))
  const env = {
    PORTICO_STATE_KEY: randomBytes(32).toString('base64'),
    HOME: ledger.folder,
    XDG_STATE_HOME: ledger.folder,
    NO_COLOR: '1',
  }
  const replicas = new ReplicaProcesses({ words: [portico, 'serve', file, '--port', '0'], env })
  return {
    replicas,
    mayForget: true,
    async close() {
      await replicas.close()
      upstream.child.kill('SIGKILL')
      await upstream.ended
    },
  }
}

const PORTICO = '../../packages/app/src/cli/main.ts'
