/** Runs Python or a command: in the sandbox, or where the operator said so without one. Files go in and come out. */

import { chown, type FileHandle, lstat, mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findProgram, plainEnvironment } from '../machine/program.ts'
import { withRegularFile } from '../machine/regular-file.ts'
import { readArchive, type Unpacked } from './archive.ts'
import { type ProcessOutcome, runBounded } from './bounded-process.ts'
import { isFileName } from './file-name.ts'
import { sandboxUser, withFolders } from './isolation.ts'
import { changedFiles, type Job, type Outcome, type RunFile } from './outcome.ts'
import { SANDBOX_ENV, type SandboxTools, toSandboxCommand, withinLimits, withinTime } from './sandbox-command.ts'

interface ProgramJob extends Job {
  readonly program: readonly string[]
  readonly stdin?: string | undefined
  readonly readable: readonly string[]
}

/** `sandbox` undefined runs it with the rights of this process. */
export function runProgram(sandbox: SandboxTools | undefined, job: ProgramJob): Promise<Outcome> {
  return withFolders(async (mountPoint, input) => {
    await writeFiles(input, job.files)
    const ran = sandbox === undefined ? await runOpenly(job, input) : await runHeld(sandbox, job, mountPoint, input)
    const { ending, exitCode, stdout, stderr } = ran.outcome
    const files = changedFiles(job.files, ran.unpacked.files)
    const { isWhole, files: folder } = ran.unpacked
    const lost = lostWords(job, ran.unpacked)
    return { ending, exitCode, stdout, stderr, files, ...(isWhole && { folder }), ...(lost !== '' && { lost }) }
  })
}

interface Ran {
  readonly outcome: ProcessOutcome
  readonly unpacked: Unpacked
}

async function runHeld(tools: SandboxTools, job: ProgramJob, mountPoint: string, input: string): Promise<Ran> {
  const { limits, signal, onOutput, stdin, program, readable } = job
  const { fileBytes, maxFiles } = limits
  const outcome = await runBounded({
    command: toSandboxCommand(tools, { mountPoint, input, readable, limits, program }),
    cwd: '/',
    env: SANDBOX_ENV,
    stdin,
    limits,
    signal,
    onOutput,
    // Each file has a head and is filled up to whole blocks; folders have heads, too.
    archiveBytes: fileBytes + maxFiles * 4_096 + 65_536,
    user: sandboxUser(),
  })
  return { outcome, unpacked: readArchive(outcome.archive, maxFiles, fileBytes) }
}

async function runOpenly(job: ProgramJob, folder: string): Promise<Ran> {
  const { limits, signal, onOutput, stdin, program } = job
  const hasLimits = process.platform === 'linux' && (await findProgram('prlimit')) !== undefined
  // A program of this name on Windows only waits.
  const timeout = process.platform === 'win32' ? undefined : await findProgram('timeout')
  const outcome = await runBounded({
    command: [
      ...(timeout === undefined ? [] : withinTime(timeout, limits)),
      ...(hasLimits ? withinLimits(limits).filter((one) => !one.startsWith('--nproc')) : []),
      ...program,
    ],
    cwd: folder,
    env: { ...plainEnvironment(), HOME: folder, PYTHONDONTWRITEBYTECODE: '1', PYTHONUNBUFFERED: '1' },
    stdin,
    limits,
    signal,
    onOutput,
  })
  return { outcome, unpacked: await readFolder(folder, limits.maxFiles, limits.fileBytes) }
}

async function writeFiles(folder: string, files: readonly RunFile[]): Promise<void> {
  const user = sandboxUser()
  for (const { path, bytes } of files) {
    if (!isFileName(path)) throw new Error(`no name for a file in a run: ${JSON.stringify(path)}`)
    const target = join(folder, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, bytes, { flag: 'wx' })
    if (user !== undefined) await chown(target, user.uid, user.gid)
  }
}

/** Links are not followed: a program may have left one that leads elsewhere. */
async function readFolder(folder: string, maxFiles: number, maxBytes: number): Promise<Unpacked> {
  const files: RunFile[] = []
  const waiting = ['']
  let size = 0
  let unfit = 0
  for (let at = 0; at < waiting.length; at++) {
    const base = waiting[at] ?? ''
    for (const name of await readdir(join(folder, base))) {
      const path = base === '' ? name : `${base}/${name}`
      const seen = await lstat(join(folder, path)).catch(() => undefined)
      if (seen?.isDirectory() && waiting.length <= maxFiles) waiting.push(path)
      if (!seen?.isFile()) continue
      if (!isFileName(path)) {
        unfit++
        continue
      }
      size += seen.size
      if (files.length === maxFiles || size > maxBytes) return { files, isWhole: false, unfit }
      files.push({ path, bytes: await readPlain(join(folder, path), seen.size) })
    }
  }
  return { files, isWhole: true, unfit }
}

async function readPlain(path: string, size: number): Promise<Uint8Array> {
  const read = async ({ file }: { readonly file: FileHandle }): Promise<Uint8Array> => {
    const buffer = Buffer.alloc(size)
    const { bytesRead } = await file.read(buffer, 0, size, 0)
    return buffer.subarray(0, bytesRead)
  }
  return withRegularFile(path, read, { isLast: true })
}

function lostWords({ limits }: ProgramJob, { isWhole, unfit }: Unpacked): string {
  const many = `Files were lost: the run was ended, or left more than ${limits.maxFiles} files or ${limits.fileBytes} bytes (options maxFiles, fileBytes).`
  const named = `${unfit} file(s) were left out for their names: too long, or with a backslash, colon or control character.`
  return [...(isWhole ? [] : [many]), ...(unfit > 0 ? [named] : [])].join(' ')
}
