/** Published servers as programs: started as their users start them, over stdio or on a free port. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { installedPackage } from '../../support/install.ts'
import { withLimit } from '../../support/wait.ts'
import type { Command } from '../server-under-test.ts'

const FOLDER = fileURLToPath(new URL('..', import.meta.url))

export function toPublishedCommand(name: string, args: string[] = []): Command {
  const file = installedPackage(FOLDER, `@modelcontextprotocol/server-${name}`, 'dist', 'index.js')
  return { command: process.execPath, args: [file, ...args] }
}

/** Starts a server that listens, and waits until it says so. */
export async function startListening(command: Command): Promise<{ origin: string; close(): Promise<void> }> {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port) }
  const child = spawn(command.command, command.args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  await withLimit(
    new Promise<void>((resolve, reject) => {
      const look = (chunk: Buffer) => {
        if (/(listening|running) on port/.test(chunk.toString('utf8'))) resolve()
      }
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
    }),
    20_000,
    'the server listens',
  )
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function freePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address of this form.
  const { port } = probe.address() as AddressInfo
  await new Promise<void>((resolve) => probe.close(() => resolve()))
  return port
}
