/** Programs that nobody here wrote, and how each is started so that it can be tried. */

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { FaultSubject, ForeignCommand } from '@portico/sdk/testing/faults'
import { freePort } from '../../support/free-port.ts'
import { until, withLimit } from '../../support/wait.ts'

export interface Peer {
  readonly name: string
  readonly role: 'server' | 'client'
  /** How anybody tries the same. */
  readonly command: string
  open(): Promise<Opened>
}

export interface Opened {
  /** For a server, and its tool. */
  readonly subject?: Pick<FaultSubject, 'target' | 'tool' | 'args'>
  readonly client?: ForeignCommand
  close(): void
}

const pathOf = (file: string) => fileURLToPath(new URL(file, import.meta.url))
/** Node as it runs this program: TypeScript, from source. */
const node = (file: string, ...args: string[]): ForeignCommand => ({
  command: process.execPath,
  args: [...process.execArgv, pathOf(file), ...args],
})
const nothing = (): void => {}
const ECHO = { tool: 'echo', args: { text: 'tea' } }
const WORK = { tool: 'work', args: { nonce: 'x', ms: 5 } }
/** Portico's own server on pipes, which the proxies stand before. */
export const WORK_SERVER = node('work-stdio.ts')
const BENCH = '../../../bench/node_modules'

const official = (major: '1' | '2', version: string): Peer[] => [
  {
    name: `official SDK ${version}, stdio server`,
    role: 'server',
    command: `portico faults --tool echo --args '{"text":"tea"}' -- node server.mjs`,
    open: async () => ({
      subject: { ...ECHO, target: node(`../../interop/peers/sdk-${major}-stdio.ts`) },
      close: nothing,
    }),
  },
  {
    name: `official SDK ${version}, HTTP server`,
    role: 'server',
    command: `portico faults --tool echo --args '{"text":"tea"}' http://127.0.0.1:3000/mcp`,
    async open() {
      const { command, args } = node('official-server.ts', major)
      const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      return { subject: { ...ECHO, target: await firstLine(child) }, close: () => child.kill() }
    },
  },
  {
    name: `official SDK ${version}, client`,
    role: 'client',
    command: `portico faults --client 'node client.mjs'`,
    open: async () => ({ client: node('official-client.ts', major), close: nothing }),
  },
]

const proxy = (name: string, file: string, words: (port: number) => readonly string[], before: string): Peer => ({
  name,
  role: 'server',
  command: `${before}, then: portico faults http://127.0.0.1:3000/mcp`,
  async open() {
    const port = await freePort()
    const child = spawn(process.execPath, [pathOf(`${BENCH}/${file}`), ...words(port)], { stdio: 'ignore' })
    const target = `http://127.0.0.1:${port}/mcp`
    await until(() => answers(target), `${name} listens`, 60_000)
    return { subject: { ...WORK, target }, close: () => child.kill('SIGKILL') }
  },
})

const workWords = [WORK_SERVER.command, ...WORK_SERVER.args]

export const PEERS: readonly Peer[] = [
  ...official('1', '1.32.2'),
  ...official('2', '2.4.0'),
  proxy(
    'mcp-proxy 6.7.19',
    'mcp-proxy/dist/bin/mcp-proxy.mjs',
    (port) => ['--port', `${port}`, '--host', '127.0.0.1', '--server', 'stream', '--', ...workWords],
    'mcp-proxy --port 3000 --server stream -- portico faults --as-server',
  ),
  proxy(
    'supergateway 4.0.0',
    'supergateway/dist/index.js',
    (port) => [
      ...['--stdio', workWords.map((word) => JSON.stringify(word)).join(' '), '--outputTransport', 'streamableHttp'],
      ...['--stateful', '--port', `${port}`, '--logLevel', 'none'],
    ],
    "supergateway --stdio 'portico faults --as-server' --outputTransport streamableHttp --stateful --port 3000",
  ),
]

async function firstLine(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout! })
  const line = new Promise<string>((resolve) => lines.once('line', resolve))
  return withLimit(line, 60_000, 'the first line')
}

async function answers(url: string): Promise<boolean> {
  return fetch(url, { method: 'POST' }).then(
    () => true,
    () => false,
  )
}
