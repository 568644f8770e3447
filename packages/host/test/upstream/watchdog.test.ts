/** A host that is killed leaves nothing running: real processes, no mocks. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from './fixture.ts'

const HOST = fileURLToPath(new URL('watchdog-host.ts', import.meta.url))

let host: ChildProcess | undefined
let pids: number[] = []
afterEach(() => {
  host?.kill('SIGKILL')
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  pids = []
})

async function start(...args: string[]): Promise<void> {
  const node = ['--conditions=portico-source', `--import=${import.meta.resolve('tsx')}`, HOST, ...args]
  host = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] })
  if (host.stdout === null) throw new Error('no output')
  const [line] = await once(createInterface({ input: host.stdout }), 'line')
  pids = JSON.parse(line as string)
    .text.split(' ')
    .map(Number)
    .filter(Number.isInteger)
}

describe('the watchdog', () => {
  it('ends the programs of a host that was killed, and what those started', async () => {
    await start()
    expect(pids).toHaveLength(2)
    expect(pids.every(isAlive)).toBe(true)
    host?.kill('SIGKILL')
    await until(() => !pids.some(isAlive))
  })

  it('does not keep a host alive that has closed', async () => {
    await start('close')
    if (host?.exitCode === null) await once(host, 'exit')
    expect(host?.exitCode).toBe(0)
    expect(pids.some(isAlive)).toBe(false)
  })
})

/** A process that has ended and that nobody has asked about is dead all the same. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    if (process.platform !== 'linux') return true
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}
