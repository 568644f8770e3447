/** Starts what callers share as a process of its own. */

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { SharedPorts, SharedSetting } from './shared.ts'

export interface Shared {
  readonly ports: SharedPorts
  stop(): Promise<void>
}

export async function startShared(limits?: SharedSetting['limits']): Promise<Shared> {
  const stateDir = mkdtempSync(join(tmpdir(), 'portico-load-'))
  const ports = [await freePort(), await freePort()] as const
  const setting: SharedSetting = { stateDir, ports, ...(limits && { limits }) }
  const child = fork(fileURLToPath(new URL('shared.ts', import.meta.url)), [JSON.stringify(setting)])
  const [found] = await Promise.race([once(child, 'message'), ended(child)])
  return {
    // The first thing that it says.
    ports: found as SharedPorts,
    async stop() {
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
      rmSync(stateDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function ended(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit')
  throw new Error(`what is put under load ended with ${code}`)
}

async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A server on TCP has an address of this kind.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
