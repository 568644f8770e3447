/** Why a port or address cannot be listened on, who has it, and what to do: one place for every command that serves. */

import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { CliError } from '../../exit-codes.ts'
import { byOption, toRemedy } from '../remedy.ts'
import type { Io } from './io.ts'

/** Undefined when the error is about something else. `words` are the command line, which says how the port was given. */
export async function explainListening(
  error: unknown,
  words: readonly string[],
  io: Pick<Io, 'takes'>,
): Promise<CliError | undefined> {
  const found = chainOf(error).find(({ syscall }) => syscall === 'listen' || syscall === 'bind')
  if (found === undefined) return undefined
  const { code, port, address = '' } = found
  const place = placeOf(words, port, io)
  if (code === 'EADDRINUSE' && port !== undefined) {
    const owner = await ownerOf(port)
    const remedy = toRemedy(
      place && `give another port: \`${place(port + 1)}\``,
      owner === undefined ? 'end it' : `end that one (\`kill ${owner.pid}\`)`,
    )
    return new CliError(
      'unreachable',
      `Port ${port} of ${address || 'this machine'} is in use ${byWhom(owner)}`,
      remedy,
      error,
    )
  }
  if (code === 'EACCES' && port !== undefined)
    return new CliError(
      'unreachable',
      `Port ${port} may not be used`,
      toRemedy(place && `give one above 1023: \`${place(3000)}\``),
      error,
    )
  if (code === 'EADDRNOTAVAIL')
    return new CliError(
      'unreachable',
      `${address} is no address of this machine`,
      toRemedy(byOption('host', io, (flag) => `give one of its own, as in \`${flag} 127.0.0.1\``)),
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

/** How the port is given to the command: by the option that it came from, as typed, else by the command's own. */
function placeOf(
  words: readonly string[],
  port: number | undefined,
  { takes }: Pick<Io, 'takes'>,
): ((port: number) => string) | undefined {
  const typed = words.findIndex((word, at) => at > 0 && word === String(port) && words[at - 1]?.startsWith('--'))
  const joined = words.find((word) => word.startsWith('--') && word.endsWith(`=${port}`))
  const flag =
    typed > 0
      ? words[typed - 1]
      : (joined?.slice(0, joined.indexOf('=')) ?? PORT_OPTIONS.find((one) => takes(one.slice(2))))
  if (flag === undefined) return undefined
  return (other) => `${flag} ${flag === ADDRESS ? `http://127.0.0.1:${other}` : other}`
}

/** The authorization server is told its whole address. */
const ADDRESS = '--issuer'
const PORT_OPTIONS = ['--port', '--http', ADDRESS]

/** Who has a port, for a sentence: `by node (process 4711)`. */
export async function describeOwner(port: number): Promise<string> {
  return byWhom(await ownerOf(port))
}

interface Owner {
  readonly pid: number
  readonly name: string
}

function byWhom(owner: Owner | undefined): string {
  return owner === undefined ? 'by another program' : `by ${owner.name} (process ${owner.pid})`
}

/** Who listens there, where the system lets us see it. */
async function ownerOf(port: number): Promise<Owner | undefined> {
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
  if (inodes.size === 0) return undefined
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
