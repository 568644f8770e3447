/** A gateway that is a program: run inside this process as its command line would, so that its CPU time can be asked for. */

import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { announce } from '../control.ts'

/** `file` is inside `bench/node_modules`. */
export async function runProgram(file: string, args: (port: number) => readonly string[]): Promise<void> {
  const port = await freePort()
  process.argv.splice(1, process.argv.length, file, ...args(port))
  await import(new URL(`../../../node_modules/${file}`, import.meta.url).href)
  while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 50))
  announce(port)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
