/**
 * Serving from a command: on the standard streams when a client started us, on ports and sockets when asked to, until
 * Ctrl-C or until the client is gone. `run`, `dev`, `replay`, `record` and `bridge` are this with different servers.
 */

import { isIPv4 } from 'node:net'
import type { HttpOptions } from '@portico/sdk/http'
import type { Server } from '@portico/sdk/server'
import { CliError } from '../../exit-codes.ts'
import { readPort } from '../parse/blocked-ports.ts'
import type { CommandInput } from '../parse/command.ts'
import { byOption, toRemedy } from '../remedy.ts'
import type { Io } from '../terminal/io.ts'
import { leaveSoon, stayUntil } from '../terminal/stay-until.ts'
import { canHoldClient } from './standard-input.ts'

interface ServingWishes {
  readonly http?: number
  readonly websocket?: number
  readonly socket?: string
  readonly host?: string
  readonly allowedHosts?: readonly string[]
  readonly stdio: boolean
}

interface ServingParts {
  /** Puts HTTP around the server in its own way: a gateway with its sign-in. */
  readonly listen?: (options: HttpOptions) => Promise<Listener>
  /** Goes along with every HTTP and WebSocket listener. */
  readonly protection?: Pick<HttpOptions, 'auth' | 'authenticate' | 'tls'>
  /** Said once it is being served, after the addresses. */
  readonly note?: string
  readonly json?: boolean
  /** As the person called it, where that is not the server's own name. */
  readonly name?: string
}

interface Listener {
  readonly url: string
  close(): Promise<void>
}

/** What the flags ask for. Refuses to wait for a client where none can be. */
export function wishesOf(
  flags: CommandInput['flags'],
  io: Pick<Io, 'stdin' | 'takes'>,
  command: string,
  directly = '`portico call` calls a file directly.',
): ServingWishes {
  const { http, websocket, socket, host, stdio } = flags
  const allowed = flags['allow-host']
  const ways = {
    ...(http !== undefined && { http: readPort('http', http, command) }),
    ...(websocket !== undefined && { websocket: readPort('websocket', websocket, command) }),
    ...(typeof socket === 'string' && { socket }),
    ...(typeof host === 'string' && { host }),
    ...(Array.isArray(allowed) && { allowedHosts: allowed as readonly string[] }),
  }
  if (stdio === true) return { ...ways, stdio: true }
  const listens = http !== undefined || websocket !== undefined || socket !== undefined
  if (!listens && !canHoldClient(io.stdin)) {
    const where = io.stdin.isTTY === true ? 'is a terminal' : 'is empty (/dev/null)'
    throw new CliError(
      'usage',
      `${command}: standard input ${where}, so no client can be at the other end`,
      `${elsewhere(io)} ${directly}`,
    )
  }
  return { ...ways, stdio: !listens }
}

/** Serves until Ctrl-C, or until the client on the standard streams is gone. */
export async function serveUntilEnd(
  server: Server,
  wishes: ServingWishes,
  io: Io,
  parts: ServingParts = {},
): Promise<void> {
  const listeners: Listener[] = []
  try {
    for (const open of waysOf(server, wishes, parts)) listeners.push(await open())
    const addresses = listeners.map(({ url }) => url)
    if (addresses.length > 0) announce(server, addresses, io, { wishes, parts })
    await (wishes.stdio ? servePipe(server, io) : stayUntil(io.signal))
  } finally {
    await Promise.all(listeners.map((listener) => listener.close()))
  }
  leaveSoon()
}

function waysOf(
  server: Server,
  { http, websocket, socket, host, allowedHosts }: ServingWishes,
  { listen, protection }: ServingParts,
): (() => Promise<Listener>)[] {
  const place = { ...(host !== undefined && { host }), ...(allowedHosts !== undefined && { allowedHosts }) }
  const ways: (() => Promise<Listener>)[] = []
  if (http !== undefined) {
    const options: HttpOptions = { ...place, ...protection, port: http }
    ways.push(async () => listen?.(options) ?? (await import('@portico/sdk/http')).serveHttp(server, options))
  }
  if (websocket !== undefined) {
    const authenticate = protection?.auth?.authenticate ?? protection?.authenticate
    const options = { ...place, port: websocket, ...(authenticate && { authenticate }) }
    ways.push(async () => (await import('@portico/sdk/websocket')).serveWebSocket(server, options))
  }
  if (socket !== undefined) {
    const where = /^\d+$/.test(socket) ? { port: Number(socket) } : { path: socket }
    ways.push(async () => (await import('@portico/sdk/socket')).serveSocket(server, where))
  }
  return ways
}

async function servePipe(server: Server, io: Io): Promise<void> {
  const { serveStdio } = await import('@portico/sdk/stdio')
  const connection = serveStdio(server, { exit: false })
  const drain = (): void => void connection.drain()
  io.signal.addEventListener('abort', drain, { once: true })
  if (io.signal.aborted) drain()
  await connection.closed
  io.signal.removeEventListener('abort', drain)
  // The stream would wait for words that nobody is there to take.
  io.stdin.destroy()
  if (!io.signal.aborted && bytesOf(io.stdin) === 0) {
    // A regular end all the same: a client that changes its mind closes the input, too.
    io.say('Standard input ended before a client said anything, so there was nobody to serve.')
    io.say(elsewhere(io))
  }
}

/** How a server is reached other than on the standard streams. */
function elsewhere(io: Pick<Io, 'takes'>): string {
  return (
    toRemedy(
      'let a client start this command',
      byOption('http', io, (flag) => `serve it on a port: \`${flag} 3000\``) ??
        byOption('stdio', io, (flag) => `leave out \`${flag}\``),
    ) ?? ''
  )
}

/** Sockets and files count what was read of them; what is neither has nothing to read. */
function bytesOf(input: Io['stdin']): number {
  return (input as { readonly bytesRead?: number }).bytesRead ?? 0
}

interface AnnounceOptions {
  readonly wishes: ServingWishes
  readonly parts: ServingParts
}

function announce({ info }: Server, urls: readonly string[], io: Io, options: AnnounceOptions): void {
  const { name, version } = info
  const { wishes, parts } = options
  if (!wishes.stdio) {
    // Whoever started us with standard streams reads messages there, and nothing else.
    if (parts.json === true) io.out(JSON.stringify({ name, version, urls, pid: process.pid }))
    else for (const url of urls) io.out(url)
  }
  io.say(
    `Serving ${io.paint.bold(parts.name ?? name)} ${version}${wishes.stdio ? ` on ${urls.join(', ')}` : ''}; Ctrl-C ends it.`,
  )
  const open = parts.protection?.auth === undefined && parts.protection?.authenticate === undefined
  if (parts.listen === undefined && open && wishes.host !== undefined && !isOwnAddress(wishes.host)) {
    io.say(`${io.paint.yellow('warning')}: everybody who reaches ${wishes.host} can use this server.`)
  }
  if (parts.note !== undefined) io.say(parts.note)
}

function isOwnAddress(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}
