/** The server that the measured clients call: the bare one, in a process of its own. */

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Ports } from '../control.ts'

const bare = fileURLToPath(new URL('../servers/bare.js', import.meta.url))

/** How a client starts it on pipes. */
export const command = { command: process.execPath, args: [bare, 'stdio'] }

/** Starts it on a port. */
export function startHttp(): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = fork(bare, ['http'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    child.once('error', reject)
    child.once('message', ({ ports: [port] }: Ports) => resolve(`http://127.0.0.1:${port}/mcp`))
  })
}

export const transport = process.argv[2] === 'stdio' ? 'stdio' : 'http'
export const isModern = process.argv[3] === 'modern'

export const SUM = { name: 'add', arguments: { a: 1, b: 2 } } as const
