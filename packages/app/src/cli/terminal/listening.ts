/** Why a port or address cannot be listened on, who has it, and what to do: one place for every command that serves. */

import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { CliError } from '../../exit-codes.ts'

/** Undefined when the error is about something else. `words` are the command line, which says how the port was given. */
export async function explainListening(error: unknown, words: readonly string[]): Promise<CliError | undefined> {
  const found = chainOf(error).find(({ syscall }) => syscall === 'listen' || syscall === 'bind')
  if (found === undefined) return undefined
  const { code, port, address = '' } = found
  const flag = flagOf(words, port)
  if (code === 'EADDRINUSE' && port !== undefined) {
    const owner = await ownerOf(port)
    const by = owner === undefined ? 'by another program' : `by ${owner.name} (process ${owner.pid})`
    const other = `give another port: \`${flag} ${port + 1}\`.`
    const remedy = owner === undefined ? `End it, or ${other}` : `End that one (\`kill ${owner.pid}\`), or ${other}`
    return new CliError('unreachable', `Port ${port} of ${address || 'this machine'} is in use ${by}`, remedy, error)
  }
  if (code === 'EACCES' && port !== undefined)
    return new CliError('unreachable', `Port ${port} may not be used`, `Give one above 1023: \`${flag} 3000\`.`, error)
  if (code === 'EADDRNOTAVAIL')
    return new CliError(
      'unreachable',
      `${address} is no address of this machine`,
      'Give one of its own, as in `--host 127.0.0.1`.',
      error,
    )
  return undefined
}

interface ListenError {
  readonly code?: string
  readonly syscall?: string
  readonly port?: number
  readonly address?: string
}

function chainOf(error: unknown): ListenError[] {
  const chain: ListenError[] = []
  for (let one = error; one instanceof Error && chain.length < 8; one = one.cause) chain.push(one as ListenError)
  return chain
}

/** The option that the port came from, as typed; where it came from none, the command's own. */
function flagOf(words: readonly string[], port: number | undefined): string {
  const typed = words.findIndex((word, at) => at > 0 && word === String(port) && words[at - 1]?.startsWith('--'))
  if (typed > 0) return words[typed - 1] ?? ''
  const joined = words.find((word) => word.startsWith('--') && word.endsWith(`=${port}`))
  if (joined !== undefined) return joined.slice(0, joined.indexOf('='))
  return ['run', 'bridge', 'dev', 'record', 'replay'].includes(words[0] ?? '') ? '--http' : '--port'
}

/** Who listens there, where the system lets us see it. */
export async function ownerOf(port: number): Promise<{ readonly pid: number; readonly name: string } | undefined> {
  try {
    return process.platform === 'linux' ? await ownerOnLinux(port) : await ownerByLsof(port)
  } catch {
    return undefined
  }
}

const LISTENING = '0A'

async function ownerOnLinux(port: number): ReturnType<typeof ownerOf> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')))
  const rows = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
  const inodes = new Set(
    rows.flatMap(([, local = '', , state, , , , , , inode]) =>
      state === LISTENING && Number.parseInt(local.split(':')[1] ?? '', 16) === port ? [`socket:[${inode}]`] : [],
    ),
  )
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // Processes of others cannot be looked into, and some end meanwhile.
    const files = await readdir(`/proc/${pid}/fd`).catch(() => [])
    const links = await Promise.all(files.map((file) => readlink(`/proc/${pid}/fd/${file}`).catch(() => '')))
    if (links.some((link) => inodes.has(link))) {
      return { pid: Number(pid), name: (await readFile(`/proc/${pid}/comm`, 'utf8')).trim() }
    }
  }
  return undefined
}

async function ownerByLsof(port: number): ReturnType<typeof ownerOf> {
  if (process.platform === 'win32') return undefined
  const { stdout } = await promisify(execFile)('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'])
  const pid = /^p(\d+)$/m.exec(stdout)?.[1]
  return pid === undefined ? undefined : { pid: Number(pid), name: /^c(.+)$/m.exec(stdout)?.[1] ?? 'a program' }
}
