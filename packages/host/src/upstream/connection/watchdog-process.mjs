/**
 * Ends the children of a host that was itself killed. Runs apart from the host and is told on standard input which
 * process groups there are (`+123`, `-123`); when that pipe closes, whatever is left is ended: first asked, then made to.
 * Plain JavaScript without imports from this package, so that it runs the same from source and as built.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

const GRACE_MS = 500
const KILL_MS = 1_000
const POLL_MS = 50
/** How often a group without its leader is looked at: once empty, its number may be anybody's. */
const SWEEP_MS = 500
const isWindows = process.platform === 'win32'

/** Groups by the number of their leader. */
const groups = new Map()
let input = ''
let ending = false
let sweeper

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})
process.stdin.setEncoding('latin1')
process.stdin.on('data', (chunk) => {
  input += chunk
  const lines = input.split('\n')
  input = lines.pop() ?? ''
  for (const line of lines) take(line)
})
process.stdin.on('error', hostGone)
process.stdin.on('end', hostGone)
process.stdin.on('close', hostGone)

function take(line) {
  const found = /^([+-])([1-9]\d{0,9})$/.exec(line)
  if (found === null) return
  const pid = Number(found[2])
  if (found[1] === '+') groups.set(pid, { hasLeader: true })
  else if (isWindows || !isSent(-pid, 0)) groups.delete(pid)
  else {
    groups.set(pid, { hasLeader: false })
    sweeper ??= setInterval(sweep, SWEEP_MS)
  }
}

/** Forgets groups that are empty. */
function sweep() {
  for (const [pid, { hasLeader }] of groups) if (!hasLeader && !isSent(-pid, 0)) groups.delete(pid)
  if ([...groups.values()].some(({ hasLeader }) => !hasLeader)) return
  clearInterval(sweeper)
  sweeper = undefined
}

async function hostGone() {
  if (ending) return
  ending = true
  clearInterval(sweeper)
  if (groups.size > 0) await (isWindows ? endOnWindows() : endOnPosix())
  process.exit(0)
}

async function endOnWindows() {
  for (const pid of groups.keys()) {
    spawnSync('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true, timeout: 5_000 })
  }
}

async function endOnPosix() {
  const targets = new Map()
  collect(targets)
  // Their input has ended with the host, which is the polite way to ask.
  await waitFor(targets, GRACE_MS)
  for (const signal of ['SIGTERM', 'SIGKILL']) {
    for (const pid of groups.keys()) isSent(-pid, signal)
    for (const [pid, identity] of alive(targets)) if (identity !== undefined) isSent(pid, signal)
    await waitFor(targets, KILL_MS)
  }
}

async function waitFor(targets, ms) {
  for (let waited = 0; waited < ms; waited += POLL_MS) {
    collect(targets)
    if (alive(targets).length === 0) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** Adds the members of every group and their descendants, who may have left the group. */
function collect(targets) {
  const processes = list()
  for (const { pid, group, identity } of processes) if (groups.has(group)) targets.set(pid, identity)
  for (let grew = true; grew; ) {
    grew = false
    for (const { pid, parent, identity } of processes) {
      if (targets.has(pid) || !targets.has(parent)) continue
      targets.set(pid, identity)
      grew = true
    }
  }
}

function alive(targets) {
  const now = new Map(list().map(({ pid, identity }) => [pid, identity]))
  return [...targets].filter(([pid, identity]) => now.get(pid) === identity)
}

function list() {
  try {
    return process.platform === 'linux' ? fromProc() : fromPs()
  } catch {
    return []
  }
}

function fromProc() {
  const entries = []
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      // The name in brackets may hold spaces and brackets of its own.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (fields[0] === 'Z') continue
      entries.push({ pid: Number(name), parent: Number(fields[1]), group: Number(fields[2]), identity: fields[19] })
    } catch {
      // It ended meanwhile.
    }
  }
  return entries
}

function fromPs() {
  const text = execFileSync('ps', ['-axo', 'pid=,ppid=,pgid=,stat=,lstart='], { encoding: 'utf8', timeout: 5_000 })
  return text.split('\n').flatMap((line) => {
    const [pid, parent, group, state, ...started] = line.trim().split(/\s+/)
    if (state === undefined || state.startsWith('Z')) return []
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), identity: started.join(' ') }]
  })
}

function isSent(pid, signal) {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
