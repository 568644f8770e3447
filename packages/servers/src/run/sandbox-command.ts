/**
 * How a program is put into a sandbox of the system: argument arrays for `bwrap` and for `unshare`. Both give it no
 * network, no processes but its own, the system's programs to read, and one folder of bounded size to write. What comes
 * from a request is an argument of these scripts, never a part of their text.
 */

import type { RunLimits } from './options.ts'

export type SandboxKind = 'bubblewrap' | 'namespaces'

export interface SandboxTools {
  readonly kind: SandboxKind
  /** Absolute paths: `bwrap` or `unshare`, and what bounds it in time if this process should die. */
  readonly launcher: string
  readonly timeout: string
}

interface SandboxJob {
  /** An empty folder: what is mounted over it exists in the sandbox alone. */
  readonly mountPoint: string
  /** A folder whose files are copied into the scratch folder. */
  readonly input: string
  readonly readable: readonly string[]
  readonly limits: RunLimits
  /** The program and its arguments, as they are called inside. */
  readonly program: readonly string[]
}

/** Where programs find themselves. */
const SCRATCH = '/scratch'
export const SANDBOX_PATH = '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin'

/** All that a program is told of its surroundings. */
export const SANDBOX_ENV = {
  PATH: SANDBOX_PATH,
  HOME: SCRATCH,
  TMPDIR: SCRATCH,
  LANG: 'C.UTF-8',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUNBUFFERED: '1',
} as const

const SYSTEM = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'] as const
const SETTINGS = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/localtime', '/etc/mime.types'] as const
const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'] as const

/** Copies the input, runs the program within its limits, ends what it left running, and hands out the files. */
const INSIDE = `
cp -R /input/. /scratch/
cd /scratch
"$@" 3>&-
code=$?
kill -KILL -1 2>/dev/null
tar --format=ustar -cf - . >&3 2>/dev/null
exit $code
`

/** Makes a root of its own, forgets the old one, gives up every privilege. Runs as the root of a user namespace. */
const UNSHARED = `
set -eu
root=$1 input=$2 bytes=$3 inodes=$4 count=$5
shift 5
echo 0 > /proc/sys/user/max_user_namespaces
# Memory and queues of System V stay when nobody uses them any more: there are none, where the system lets us say so.
for name in shmall msgmni; do { echo 0 > "/proc/sys/kernel/$name"; } 2>/dev/null || :; done
{ echo '0 0 0 0' > /proc/sys/kernel/sem; } 2>/dev/null || :
mount -t tmpfs -o mode=755,size=1m none "$root"
cd "$root"
mkdir old proc dev etc input scratch
ln -s scratch tmp
place() { mount --bind "$1" "$2"; mount -o remount,bind,ro,nosuid "$2"; }
for name in ${SYSTEM.join(' ')}; do
  if [ -L "/$name" ]; then ln -s "$(readlink "/$name")" "$name"
  elif [ -d "/$name" ]; then mkdir "$name"; place "/$name" "$name"; fi
done
for path in ${SETTINGS.join(' ')}; do
  if [ -d "$path" ]; then mkdir ".$path"; place "$path" ".$path"
  elif [ -f "$path" ]; then : > ".$path"; place "$path" ".$path"; fi
done
for name in ${DEVICES.join(' ')}; do : > "dev/$name"; mount --bind "/dev/$name" "dev/$name"; done
place "$input" input
while [ "$count" -gt 0 ]; do
  if [ -d "$1" ]; then mkdir -p ".$1"; else mkdir -p ".\${1%/*}"; : > ".$1"; fi
  place "$1" ".$1"; shift; count=$((count - 1))
done
pivot_root . old
cd /
mount -t proc -o nosuid,nodev,noexec proc /proc
umount -l /old
rmdir /old
mount -t tmpfs -o "mode=700,nosuid,nodev,size=$bytes,nr_inodes=$inodes" none /scratch
mount -o remount,bind,ro /
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
`

/** The whole command line, beginning with what to execute. */
export function toSandboxCommand(tools: SandboxTools, job: SandboxJob): readonly string[] {
  const inside = ['/bin/sh', '-c', INSIDE, 'sh', ...withinLimits(job.limits), ...job.program]
  const command = tools.kind === 'bubblewrap' ? bubblewrap(tools.launcher, job) : unshared(tools.launcher, job)
  return [...withinTime(tools.timeout, job.limits), ...command, ...inside]
}

function unshared(launcher: string, { mountPoint, input, readable, limits }: SandboxJob): string[] {
  const { fileBytes, maxFiles } = limits
  const spaces = ['--user', '--map-root-user', '--net', '--pid', '--mount', '--ipc', '--uts']
  const numbers = [fileBytes, maxFiles * 2 + 20, readable.length].map(String)
  const given = [mountPoint, input, ...numbers, ...readable]
  return [launcher, ...spaces, '--fork', '--kill-child=KILL', '--', '/bin/sh', '-c', UNSHARED, 'sh', ...given]
}

function bubblewrap(launcher: string, { input, readable, limits }: SandboxJob): string[] {
  return [
    launcher,
    ...['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--disable-userns'],
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL'],
    ...SYSTEM.flatMap((name) => ['--ro-bind-try', `/${name}`, `/${name}`]),
    ...SETTINGS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...DEVICES.flatMap((name) => ['--dev-bind', `/dev/${name}`, `/dev/${name}`]),
    ...['--proc', '/proc', '--ro-bind', input, '/input', '--symlink', 'scratch', '/tmp'],
    ...readable.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...['--size', String(limits.fileBytes), '--tmpfs', SCRATCH, '--remount-ro', '/', '--chdir', SCRATCH, '--'],
  ]
}

/** Should this process be killed, what it runs does not outlive it for long. */
export function withinTime(timeout: string, { timeMs }: RunLimits): string[] {
  return [timeout, '-s', 'KILL', String(Math.ceil(timeMs / 1_000) + 10)]
}

/** Per process; what all of them use together is watched from outside. */
export function withinLimits(limits: RunLimits): string[] {
  const { timeMs, memoryBytes, maxProcesses, fileBytes } = limits
  return [
    'prlimit',
    // Interpreters reserve far more than they use; what is used is watched.
    `--as=${memoryBytes * 4}`,
    `--data=${memoryBytes}`,
    `--nproc=${maxProcesses}`,
    `--fsize=${fileBytes}`,
    `--cpu=${Math.ceil(timeMs / 1_000) + 1}`,
    '--nofile=256',
    '--core=0',
    '--',
  ]
}
