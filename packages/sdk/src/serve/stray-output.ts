/**
 * Keeps a program's own output off the wire. Over stdio, stdout carries messages and nothing else (sec-39), yet any
 * dependency may print: while served, whatever is written to stdout goes to stderr, and `serve/stdio.ts` gets the one
 * way that still leads to the client. Node only.
 */

import type { Writable } from 'node:stream'

interface StrayOutput {
  /** Writes to the real stdout. */
  readonly write: (text: string, done?: () => void) => boolean
  /** Puts everything back as it was. Idempotent. */
  restore(): void
}

export function divertStrayOutput(
  stdout: Writable = process.stdout,
  stderr: Writable = process.stderr,
  console: Console = globalThis.console,
): StrayOutput {
  const ownWrite = Object.getOwnPropertyDescriptor(stdout, 'write')
  const ownEnd = Object.getOwnPropertyDescriptor(stdout, 'end')
  const write = stdout.write.bind(stdout)
  let told = false

  const divert = (args: unknown[]): boolean => {
    if (!told) {
      told = true
      stderr.write('portico: stdout carries protocol messages; what else is written to it appears here on stderr\n')
    }
    // The arguments fit: whatever overload of `write` was called on one stream is called on the other.
    return stderr.write(...(args as [string]))
  }
  stdout.write = (...args: unknown[]) => divert(args)
  stdout.end = (...args: unknown[]) => {
    if (args.length > 0 && typeof args[0] !== 'function') divert(args)
    return stdout
  }
  // Who stops reading the logs must not bring the server down.
  stderr.on('error', ignore)
  const restoreConsole = bypassesStdout() ? divertConsole(console) : ignore
  let restored = false
  return {
    write,
    restore() {
      if (restored) return
      restored = true
      restoreConsole()
      stderr.off('error', ignore)
      putBack(stdout, 'write', ownWrite)
      putBack(stdout, 'end', ownEnd)
    },
  }
}

function ignore(): void {}

const PRINTING = ['log', 'info', 'debug', 'dir', 'table', 'group', 'count', 'timeEnd', 'timeLog'] as const

/** Node's console writes through `process.stdout`; elsewhere it has a way of its own. */
function bypassesStdout(): boolean {
  return 'Bun' in globalThis || 'Deno' in globalThis
}

function divertConsole(console: Console): () => void {
  const originals = PRINTING.map((name) => [name, console[name]] as const)
  for (const name of PRINTING) console[name] = (...args: unknown[]) => console.error(...args)
  return () => {
    for (const [name, original] of originals) Object.assign(console, { [name]: original })
  }
}

function putBack(stream: Writable, name: 'write' | 'end', own: PropertyDescriptor | undefined): void {
  if (own === undefined) Reflect.deleteProperty(stream, name)
  else Object.defineProperty(stream, name, own)
}
