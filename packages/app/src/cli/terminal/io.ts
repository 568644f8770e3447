/**
 * Where a command reads and writes: data on standard output, words on standard error, colour only where a person looks.
 * Commands never touch `process` themselves, so that each can be tested as a function too.
 */

import { writeSync } from 'node:fs'
import { exitNow } from '../../definition/exit-in-definition.ts'
import { screenOf } from '../screen-size.ts'
import { toPainted } from './plain-text.ts'
import { forReader } from './reader.ts'

export interface Io {
  readonly stdin: NodeJS.ReadStream
  readonly stderr: NodeJS.WriteStream
  readonly env: { readonly [name: string]: string | undefined }
  readonly cwd: string
  /** A person is looking at standard error, and may be asked. */
  readonly interactive: boolean
  /** A person is looking at standard output, too: what a server says must not move their cursor. */
  readonly terminal: boolean
  readonly paint: Paint
  /** How wide lines may be, where that is known: `COLUMNS`, or the terminal's own width. */
  readonly columns: number | undefined
  /** Whether the command that was typed has an option of this name. */
  takes(option: string): boolean
  /** Fires on Ctrl-C; commands cancel what they do and clean up. */
  readonly signal: AbortSignal
  /** Data, with a newline. */
  out(text: string): void
  /** Data, as it is. */
  write(text: string): void
  /** Data that is no text. */
  writeBytes(bytes: Uint8Array): void
  /** Words for the person, with a newline. */
  say(text: string): void
  /** A line that replaces the last one of its kind; only where a person looks. */
  progress(text: string | undefined): void
  /** Shows no progress until the function that comes back is called: somebody is being asked. */
  holdProgress(): () => void
  /** What Ctrl-C means until the function that comes back is called, in place of the end of the command. */
  onInterrupt(handler: () => void): () => void
  /** As if Ctrl-C had come as a signal: a terminal that is being read from sends it as a key. */
  interrupt(): void
}

/** Where Ctrl-C goes: to whoever asked for it last, and otherwise to the command's signal. */
interface Interrupts {
  readonly signal: AbortSignal
  readonly handlers: (() => void)[]
  interrupt(): void
}

type IoParts = Interrupts & Pick<Io, 'takes'>

export interface Paint {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

export function createIo({ signal, handlers, interrupt, takes }: IoParts): Io {
  const { stdin, stdout, stderr, env } = process
  const interactive = stderr.isTTY === true && stdin.isTTY === true
  // Whoever wrote a text, only our own colours act on a terminal.
  const shown = stdout.isTTY === true ? toPainted : (text: string) => text
  let line = false
  let held = 0
  const clear = (): void => {
    if (line) stderr.write('\r\u001B[2K')
    line = false
  }
  return {
    stdin,
    stderr,
    env,
    cwd: process.cwd(),
    interactive,
    terminal: stdout.isTTY === true,
    get columns() {
      return columnsOf(env, stdout)
    },
    takes,
    paint: createPaint(usesColour(env, stderr.isTTY === true)),
    signal,
    out: (text) => writeWhole(stdout.fd, `${shown(text)}\n`),
    write: (text) => writeWhole(stdout.fd, shown(text)),
    writeBytes: (bytes) => writeWhole(stdout.fd, bytes),
    say: (text) => {
      clear()
      stderr.write(`${toPainted(forReader(text, env))}\n`)
    },
    progress: (text) => {
      if (stderr.isTTY !== true) return
      clear()
      if (text === undefined || held > 0) return
      stderr.write(toPainted(text.replace(/\s+/g, ' ')).slice(0, Math.max(10, screenOf(stderr).columns - 1)))
      line = true
    },
    holdProgress: () => {
      clear()
      held++
      let isHeld = true
      return () => {
        if (isHeld) held--
        isHeld = false
      }
    },
    onInterrupt: (handler) => {
      handlers.push(handler)
      return () => void handlers.splice(handlers.lastIndexOf(handler), 1)
    },
    interrupt,
  }
}

function columnsOf(env: Io['env'], stdout: NodeJS.WriteStream): number | undefined {
  const given = Number(env.COLUMNS)
  if (Number.isInteger(given) && given > 0) return given
  return stdout.isTTY === true ? screenOf(stdout).columns : undefined
}

/** Colour only on a terminal; `NO_COLOR` and `FORCE_COLOR` as they are commonly understood. */
function usesColour(env: Io['env'], terminal: boolean): boolean {
  if ((env.NO_COLOR ?? '') !== '') return false
  if ((env.FORCE_COLOR ?? '') !== '' && env.FORCE_COLOR !== '0') return true
  return terminal && env.TERM !== 'dumb'
}

export function createPaint(colour: boolean): Paint {
  const style = (open: number, close: number) => (text: string) =>
    colour ? `\u001B[${open}m${text}\u001B[${close}m` : text
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39),
  }
}

/** Pipes take only so much at once; a program that ends right after a large answer must not lose the rest of it. */
function writeWhole(fd: number, data: string | Uint8Array): void {
  let bytes: Uint8Array = typeof data === 'string' ? Buffer.from(data) : data
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EAGAIN') continue
      // The reader has gone, as `head` does: there is nobody to tell.
      if (code === 'EPIPE') exitNow(0)
      // The terminal was closed: what is under way may finish all the same.
      if (code === 'EIO') return
      throw error
    }
  }
}
