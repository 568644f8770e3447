/**
 * A share of a processor for a process, as if it stood on a small machine of its own: control groups of Linux, where this process
 * may make them. So several replicas can be measured on a machine with fewer cores than replicas.
 */

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FIRST = '/sys/fs/cgroup/cpu'
const SECOND = '/sys/fs/cgroup'
const PERIOD_US = 10_000
const WEIGHT = 16_384

export interface Quotas {
  /** Gives a process so much of one core from now on. */
  limit(pid: number, cores: number): void
  /** Takes the groups away; the processes have to have ended. */
  close(): void
}

/** Undefined where this machine does not let us. */
export function openQuotas(): Quotas | undefined {
  const made: string[] = []
  const close = (): void => {
    for (const folder of made.splice(0)) {
      try {
        rmdirSync(folder)
      } catch {
        // A process that has not ended keeps it.
      }
    }
  }
  const limit = (pid: number, cores: number): void => {
    const folder = join(existsSync(join(FIRST, 'cpu.cfs_quota_us')) ? FIRST : SECOND, `portico-scale-${pid}`)
    mkdirSync(folder)
    made.push(folder)
    const quota = Math.round(PERIOD_US * cores)
    if (existsSync(join(folder, 'cpu.cfs_quota_us'))) {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), `${PERIOD_US}`)
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), `${quota}`)
      // Others of this machine do not take the share away.
      writeFileSync(join(folder, 'cpu.shares'), `${WEIGHT}`)
    } else writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD_US}`)
    writeFileSync(join(folder, 'cgroup.procs'), `${pid}`)
  }
  return canLimit() ? { limit, close } : undefined
}

function canLimit(): boolean {
  const folder = join(existsSync(join(FIRST, 'cpu.cfs_quota_us')) ? FIRST : SECOND, `portico-scale-try-${process.pid}`)
  try {
    mkdirSync(folder)
    const names = ['cpu.cfs_quota_us', 'cpu.max'].map((name) => join(folder, name))
    const can = names.some((name) => existsSync(name) && readFileSync(name, 'utf8') !== '')
    rmdirSync(folder)
    return can
  } catch {
    return false
  }
}
