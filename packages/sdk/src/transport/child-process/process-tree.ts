/**
 * Ends a child process together with everything it started. `child-process.ts` decides when; this module knows how each
 * operating system names a family: a process group on POSIX, widened by those descendants that left the group, and
 * `taskkill /T` on Windows. Whatever is left when this process exits is killed then. Node only.
 */

import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessTree {
  /** Looks for descendants now; those found are still signalled after their parents are gone. */
  survey(): void
  /** Signals every member. On Windows every signal ends them. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void
  /** The first process is gone and its number may be given to another; the rest of its group is still ours. */
  leaderExited(): void
  /** Whether any member runs. */
  isAlive(): boolean
  /** No longer ours to end. */
  release(): void
}

/** `pid` must lead its own process group (on POSIX). */
export function createProcessTree(pid: number): ProcessTree {
  const tree = process.platform === 'win32' ? new WindowsTree(pid) : new PosixTree(pid)
  if (living.size === 0) process.on('exit', killAll)
  living.add(tree)
  return tree
}

const living = new Set<ProcessTree>()

/** One listener for all, since a listener per child would pass Node's warning threshold. */
function killAll(): void {
  for (const tree of living) tree.signal('SIGKILL')
}

function forget(tree: ProcessTree): void {
  if (living.delete(tree) && living.size === 0) process.off('exit', killAll)
}

class PosixTree implements ProcessTree {
  readonly #pid: number
  /** Descendants by pid, with what tells them from a later process under the same number. */
  readonly #strays = new Map<number, string>()
  #hasLeader = true
  /** A number stays reserved while a group goes by it; once the group is empty, it may be anybody's. */
  #hasGroup = true

  constructor(pid: number) {
    this.#pid = pid
  }

  survey(): void {
    this.#survey(listProcesses())
  }

  signal(signal: 'SIGTERM' | 'SIGKILL'): void {
    this.survey()
    this.#signalGroup(signal)
    for (const pid of this.#strays.keys()) send(pid, signal)
  }

  leaderExited(): void {
    this.#hasLeader = false
    this.#signalGroup(0)
  }

  isAlive(): boolean {
    const processes = listProcesses()
    this.#survey(processes)
    // A group may live on as zombies that nobody reaps, so the list is asked before the kernel.
    const inGroup = processes.length > 0 ? processes.some(({ group }) => group === this.#pid) : this.#signalGroup(0)
    return (this.#hasGroup && inGroup) || this.#strays.size > 0
  }

  release(): void {
    forget(this)
  }

  #signalGroup(signal: NodeJS.Signals | 0): boolean {
    if (this.#hasGroup && send(-this.#pid, signal)) return true
    if (!this.#hasLeader) this.#hasGroup = false
    return false
  }

  #survey(processes: readonly ProcessEntry[]): void {
    const children = new Map<number, ProcessEntry[]>()
    for (const entry of processes) {
      const siblings = children.get(entry.parent)
      if (siblings === undefined) children.set(entry.parent, [entry])
      else siblings.push(entry)
    }
    const roots = new Set(this.#strays.keys())
    if (this.#hasLeader) roots.add(this.#pid)
    // A set visits what is added during the loop, each number once.
    for (const pid of roots) {
      for (const child of children.get(pid) ?? []) {
        roots.add(child.pid)
        this.#strays.set(child.pid, child.identity)
      }
    }
    const identities = new Map(processes.map(({ pid, identity }) => [pid, identity]))
    for (const [pid, identity] of this.#strays) {
      if (identities.get(pid) !== identity) this.#strays.delete(pid)
    }
  }
}

class WindowsTree implements ProcessTree {
  readonly #pid: number
  #hasLeader = true

  constructor(pid: number) {
    this.#pid = pid
  }

  survey(): void {}

  signal(): void {
    if (!this.#hasLeader) return
    spawnSync('taskkill', ['/PID', String(this.#pid), '/T', '/F'], { windowsHide: true, timeout: 5000 })
  }

  leaderExited(): void {
    this.#hasLeader = false
  }

  /** Windows keeps no family beyond its first process, so with that one gone there is nobody left to find. */
  isAlive(): boolean {
    return this.#hasLeader && send(this.#pid, 0)
  }

  release(): void {
    forget(this)
  }
}

function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}

interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly identity: string
}

function listProcesses(): ProcessEntry[] {
  try {
    return process.platform === 'linux' ? fromProc() : fromPs()
  } catch {
    // Without a list the process group alone is signalled.
    return []
  }
}

function fromProc(): ProcessEntry[] {
  const entries: ProcessEntry[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid)) continue
    let stat: string
    try {
      stat = readFileSync(`/proc/${name}/stat`, 'latin1')
    } catch {
      continue
    }
    // `pid (name) state ppid pgrp … starttime …`; the name may hold spaces and brackets, so count from its last bracket.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z') continue
    entries.push({ pid, parent: Number(fields[1]), group: Number(fields[2]), identity: fields[19] ?? '' })
  }
  return entries
}

function fromPs(): ProcessEntry[] {
  const text = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], { encoding: 'utf8', timeout: 5000 })
  return text.split('\n').flatMap((line) => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/)
    if (state === undefined || state.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), identity: started.join(' ') }]
  })
}
