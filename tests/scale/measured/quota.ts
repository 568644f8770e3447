/**
 * A share of a processor for a process, as if it stood on a small machine of its own: control groups of Linux, where this process
 * may make them. So several replicas can be measured on a machine with fewer cores than replicas, and one that is busy otherwise.
 */

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FIRST = '/sys/fs/cgroup/cpu'
const SECOND = '/sys/fs/cgroup'
const PERIOD_US = 10_000
const WEIGHT = { shares: 16_384, weight: 1_600 }

export interface Quotas {
  /** Gives a process so much of one core from now on, or as much as it likes, and lets others of this machine wait for it. */
  limit(pid: number, cores: number | undefined): void
  /** Takes the groups away; the processes have to have ended. */
  close(): void
  /** As `close`, and this process is as others again. */
  end(): void
}

/** Undefined where this machine does not let us. This process, which makes the load, comes before others as well. */
export function openQuotas(): Quotas | undefined {
  const root = existsSync(join(FIRST, 'cpu.cfs_quota_us')) ? FIRST : SECOND
  const made: string[] = []
  const own = join(root, `portico-scale-${process.pid}`)
  const makeGroup = (pid: number, cores: number | undefined): void => {
    const folder = join(root, `portico-scale-${pid}`)
    if (!existsSync(folder)) {
      mkdirSync(folder)
      setWeight(folder)
      writeFileSync(join(folder, 'cgroup.procs'), `${pid}`)
      if (pid !== process.pid) made.push(folder)
    }
    setQuota(folder, cores === undefined ? undefined : Math.round(PERIOD_US * cores))
  }
  if (!canLimit(root)) return undefined
  makeGroup(process.pid, undefined)
  const close = (): void => {
    for (const folder of made.splice(0)) remove(folder)
  }
  return {
    limit: makeGroup,
    close,
    end: () => {
      close()
      // The databases that this process has started are in there too.
      for (const pid of readFileSync(join(own, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)) {
        writeFileSync(join(root, 'cgroup.procs'), pid)
      }
      remove(own)
    },
  }
}

function setWeight(folder: string): void {
  const isFirst = existsSync(join(folder, 'cpu.shares'))
  writeFileSync(join(folder, isFirst ? 'cpu.shares' : 'cpu.weight'), `${isFirst ? WEIGHT.shares : WEIGHT.weight}`)
}

function setQuota(folder: string, quota: number | undefined): void {
  if (existsSync(join(folder, 'cpu.cfs_quota_us'))) {
    writeFileSync(join(folder, 'cpu.cfs_period_us'), `${PERIOD_US}`)
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), `${quota ?? -1}`)
  } else writeFileSync(join(folder, 'cpu.max'), `${quota ?? 'max'} ${PERIOD_US}`)
}

function remove(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // A process that has not ended keeps it.
  }
}

function canLimit(root: string): boolean {
  const folder = join(root, `portico-scale-try-${process.pid}`)
  try {
    mkdirSync(folder)
    const can = ['cpu.cfs_quota_us', 'cpu.max'].some((name) => existsSync(join(folder, name)))
    rmdirSync(folder)
    return can
  } catch {
    return false
  }
}
