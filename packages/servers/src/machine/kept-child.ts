/**
 * The one place that starts programs of the machine. Each leads a group of its own, so that what it starts is ended with it, and none
 * outlives this process, even if that is killed: on POSIX a shell keeps the list of groups and ends them when the pipe from
 * here closes, whatever closed it; on Windows the system does so. Processes of our own are started by `source-process.ts`.
 */

import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  spawnSync,
} from 'node:child_process'
import { spawnPiped } from '@portico/sdk/internal'

const KEEPER = `
trap '' HUP INT TERM
groups=' '
while read -r sign group; do
  case "$sign" in
    +) groups="$groups$group " ;;
    -) case "$groups" in *" $group "*) groups="\${groups%% $group *} \${groups#* $group }" ;; esac ;;
  esac
done
for group in $groups; do kill -KILL "-$group" 2>/dev/null; done
`

const hasGroups = process.platform !== 'win32'
const groups = new Set<number>()
let keeper: ChildProcessWithoutNullStreams | undefined

type ChildOptions = Omit<SpawnOptions, 'shell' | 'detached' | 'windowsHide'>

/** No shell reads the arguments. */
export function startChild(
  program: string,
  args: readonly string[],
  options: ChildOptions,
): ChildProcessWithoutNullStreams {
  const child = spawnPiped(program, args, { ...options, shell: false, detached: hasGroups, windowsHide: true })
  // A program that ends before it has read its input, or a pipe that breaks, shows in how it ends.
  for (const stream of child.stdio) stream?.on('error', () => {})
  const { pid } = child
  if (pid !== undefined && hasGroups) {
    keep(pid)
    child.once('exit', () => release(pid))
  }
  return child
}

/** Ends it with all that it started, also when it has ended itself. */
export function endTree(child: ChildProcess): void {
  const { pid } = child
  if (pid === undefined) return
  try {
    if (hasGroups) process.kill(-pid, 'SIGKILL')
    else if (child.exitCode === null) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true })
  } catch {
    // There is nothing left of it.
  }
}

function keep(group: number): void {
  groups.add(group)
  if (keeper === undefined) startKeeper()
  else keeper.stdin.write(`+ ${group}\n`)
}

function release(group: number): void {
  groups.delete(group)
  keeper?.stdin.write(`- ${group}\n`)
}

function startKeeper(): void {
  let started: ChildProcessWithoutNullStreams
  try {
    started = spawnPiped('/bin/sh', ['-c', KEEPER], {
      env: {},
      // Output is a pipe only because that shows at once whether there was a descriptor to be had.
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    })
  } catch {
    // What is started now can do its work; the next child finds a keeper again.
    return
  }
  const forget = (): void => {
    if (keeper === started) keeper = undefined
  }
  started.on('error', forget).once('exit', forget)
  for (const stream of [started.stdin, started.stdout]) stream.on('error', forget)
  started.stdin.write([...groups].map((group) => `+ ${group}\n`).join(''))
  started.stdout.resume()
  // It must not keep this process. A pipe to a process is a socket, whatever its declared type.
  started.unref()
  for (const stream of [started.stdin, started.stdout]) (stream as unknown as { unref(): void }).unref()
  keeper = started
}
