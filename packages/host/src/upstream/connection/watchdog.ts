/**
 * The host's end of the watchdog: a small process of its own that is told which programs the host has started, and ends
 * them when the host is gone without having done so. What it does then is in `watchdog-process.mjs`.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ProcessView } from '@portico/sdk/client'

export interface Watchdog {
  /** Watches over a program until it has ended. */
  watch(program: ProcessView): void
  /** Undefined before the first program. */
  readonly pid: number | undefined
  close(): void
}

/** `onTrouble` hears, once, that there is no watchdog: everything else goes on. */
export function createWatchdog(onTrouble: (reason: string) => void): Watchdog {
  let child: ChildProcess | undefined
  let troubled = false
  const trouble = (reason: string) => {
    if (!troubled) onTrouble(reason)
    troubled = true
  }
  const tell = (line: string) => {
    child ??= start(trouble)
    child?.stdin?.write(line)
  }
  return {
    get pid() {
      return child?.pid
    },
    watch({ pid, exited }) {
      if (pid === undefined || troubled) return
      tell(`+${pid}\n`)
      void exited?.then(() => child?.stdin?.write(`-${pid}\n`))
    },
    close() {
      child?.stdin?.end()
      child = undefined
      troubled = true
    },
  }
}

// From `src/upstream` and from `dist/upstream` alike: the package ships its sources.
const PROGRAM = new URL('../../../src/upstream/connection/watchdog-process.mjs', import.meta.url)

function start(trouble: (reason: string) => void): ChildProcess | undefined {
  const { PATH, SystemRoot } = process.env
  try {
    const child = spawn(process.execPath, [fileURLToPath(PROGRAM)], {
      stdio: ['pipe', 'ignore', 'ignore'],
      // A session of its own: what ends the host's terminal or group must not end this.
      detached: true,
      windowsHide: true,
      env: {
        ...(PATH !== undefined && { PATH }),
        ...(SystemRoot !== undefined && { SystemRoot }),
        ...(process.versions.electron !== undefined && { ELECTRON_RUN_AS_NODE: '1' }),
      },
    })
    child.on('error', (error) => trouble(error.message))
    child.once('exit', (code) => trouble(`the watchdog ended with code ${code}`))
    child.stdin?.on('error', () => trouble('the watchdog cannot be reached'))
    child.unref()
    // It must not keep the host alive. A pipe to a child is a socket, whatever its declared type.
    ;(child.stdin as unknown as { unref?(): void } | null)?.unref?.()
    return child
  } catch (error) {
    trouble((error as Error).message)
    return undefined
  }
}
