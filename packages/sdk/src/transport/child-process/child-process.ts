/**
 * The client's end of stdio: starts a server and is the `Channel` to it. The bytes go through `byte-stream.ts`; this
 * module adds the life of the process: its environment, its stderr, its end. However it ends, the channel reports
 * `closed` at once and nothing it started stays behind. Node only.
 */

import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { statSync } from 'node:fs'
import { win32 } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Channel, ChannelEvents, Urgency } from '../../jsonrpc/channel.ts'
import { PorticoError } from '../../jsonrpc/errors.ts'
import { tellObserver } from '../../jsonrpc/observer.ts'
import { type ByteStreamChannel, type ByteStreamLimits, createByteStreamChannel } from '../byte-stream.ts'
import { toSpawnCommand } from './child-process-command.ts'
import { type Environment, toChildEnvironment } from './child-process-environment.ts'
import { createLineTail, type LineTail, lastWords } from './child-process-stderr.ts'
import { createProcessTree, type ProcessTree } from './process-tree.ts'
import { spawnPiped } from './spawn-piped.ts'

export interface SpawnOptions {
  /** A program on the path or its file; never a shell line. */
  readonly command: string
  readonly args?: readonly string[]
  /** What the server sees besides the short list of variables that programs need; `undefined` takes one away. */
  readonly env?: Environment
  readonly cwd?: string
  readonly limits?: ByteStreamLimits
  /** How many of the last stderr lines are kept: 200 unless given. */
  readonly stderrLines?: number
  /** How long the server may take to exit after its input has ended: 2 s unless given. */
  readonly closeMs?: number
  /** How long it may take after SIGTERM before SIGKILL: 2 s unless given. */
  readonly killMs?: number
}

export interface ChildExit {
  /** Null when a signal ended it, or when it never started. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ChildChannel extends Channel {
  /** Undefined when the program could not be started. */
  readonly pid: number | undefined
  /** Resolves when the process has ended, whatever the way; never rejects. */
  readonly exited: Promise<ChildExit>
  /** The last lines it wrote to stderr. */
  stderrTail(): string
  /** Calls back for each line on stderr from now on; returns what stops that. */
  onStderr(listener: (line: string) => void): () => void
  /** Skips the polite steps of `close`. */
  kill(): Promise<void>
}

/** Starts the program. One that cannot be started closes the channel with `connect-failed`; unusable options throw it. */
export function spawnChannel(options: SpawnOptions): ChildChannel {
  return new ChildProcessChannel(options)
}

/** After the process or its output has ended: how long the other of the two may take. */
const DRAIN_MS = 200
const POLL_MS = 25
const DEFAULT_WAIT_MS = 2000

class ChildProcessChannel implements ChildChannel {
  readonly label: string
  readonly exited: Promise<ChildExit>
  readonly #options: SpawnOptions
  readonly #child: ChildProcessWithoutNullStreams
  readonly #stream: ByteStreamChannel
  readonly #tree: ProcessTree | undefined
  readonly #stderr: LineTail
  readonly #listeners = new Set<(line: string) => void>()
  /** Resolves when `closed` was reported and no process is left. */
  readonly #gone: Promise<void>
  #resolveGone = (): void => {}
  #events: ChannelEvents | undefined
  #exit: ChildExit | undefined
  #failure: PorticoError | undefined
  #reason: Error | undefined
  #drain: ReturnType<typeof setTimeout> | undefined
  #outputOver = false
  #stderrOver = false
  #wanted = false
  #finished = false
  #closing: Promise<void> | undefined
  #ladder: Promise<void> | undefined

  constructor(options: SpawnOptions) {
    this.#options = options
    this.label = `stdio:${win32.basename(options.command)}`
    this.#child = start(options)
    this.#tree = this.#child.pid === undefined ? undefined : createProcessTree(this.#child.pid)
    this.#gone = new Promise((resolve) => {
      this.#resolveGone = resolve
    })
    this.#stream = createByteStreamChannel({
      readable: this.#child.stdout,
      writable: this.#child.stdin,
      label: this.label,
      limits: options.limits,
      toleratesNoise: true,
      lingerMs: DRAIN_MS,
    })
    this.#stderr = createLineTail(options.stderrLines ?? 200, (line) => {
      for (const listener of this.#listeners) tellObserver(() => listener(line))
    })
    // Node throws away the output of a dead process unless somebody waits for it.
    this.#child.stdout.on('readable', ignore)
    this.#watchStderr()
    this.exited = this.#watchExit()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  open(events: ChannelEvents): void {
    this.#events = events
    if (this.#finished) {
      queueMicrotask(() => events.closed(this.#closedReason()))
      return
    }
    this.#child.stdout.off('readable', ignore)
    this.#stream.open({
      message: (value) => events.message(value),
      malformed: (fault) => events.malformed(fault),
      ended: () => this.#outputEnded(),
      closed: (reason) => this.#outputEnded(reason),
    })
    if (this.#exit !== undefined) this.#finishSoon()
  }

  send(text: string, urgency?: Urgency, key?: string | number): void {
    this.#stream.send(text, urgency, key)
  }

  flush(): Promise<void> {
    return this.#stream.flush()
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut()
    return this.#closing
  }

  kill(): Promise<void> {
    this.#wanted = true
    this.#tree?.signal('SIGKILL')
    return this.close()
  }

  stderrTail(): string {
    return this.#stderr.toString()
  }

  onStderr(listener: (line: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #watchStderr(): void {
    const { stderr } = this.#child
    const over = (): void => {
      if (this.#stderrOver) return
      this.#stderrOver = true
      this.#stderr.end()
      if (this.#exit !== undefined) this.#finishSoon()
    }
    stderr.on('data', (chunk: Uint8Array) => this.#stderr.push(chunk))
    stderr.on('error', ignore)
    stderr.once('end', over)
    stderr.once('close', over)
  }

  #watchExit(): Promise<ChildExit> {
    return new Promise((resolve) => {
      const ended = (exit: ChildExit): void => {
        this.#exit = exit
        this.#tree?.leaderExited()
        resolve(exit)
        this.#finishSoon()
      }
      this.#child.once('exit', (code, signal) => ended({ code, signal }))
      this.#child.on('error', (error) => {
        if (this.#child.pid !== undefined) return
        this.#failure = toStartError(error, this.#options)
        ended({ code: null, signal: null })
      })
    })
  }

  #outputEnded(reason?: Error): void {
    this.#reason ??= reason
    this.#outputOver = true
    this.#finishSoon()
  }

  /**
   * Closes now when process and pipes are all at their end, else a moment later: what the process said last is read
   * first, but a grandchild that holds the pipe, or a process that lives on without output, delays it no further.
   */
  #finishSoon(): void {
    const isOver = this.#exit !== undefined && this.#outputOver && this.#stderrOver
    if (isOver || this.#failure !== undefined) this.#finish()
    // Before `open` nobody reads, so the output cannot end.
    // What has arrived meanwhile is read before, also by a process that had no time until now: hence the turn.
    else if (this.#events !== undefined || this.#wanted)
      this.#drain ??= setTimeout(() => setImmediate(() => this.#finish()), DRAIN_MS)
  }

  #finish(): void {
    if (this.#finished) return
    this.#finished = true
    clearTimeout(this.#drain)
    this.#stream.destroy()
    this.#child.stderr.destroy()
    this.#events?.closed(this.#closedReason())
    void this.#sweep().then(this.#resolveGone)
  }

  /** Ends whatever of the family still runs. */
  async #sweep(): Promise<void> {
    const killMs = this.#options.killMs ?? DEFAULT_WAIT_MS
    const tree = this.#tree
    if (tree === undefined) return
    await this.#ladder
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (!tree.isAlive()) break
      tree.signal(signal)
      // No event tells of a process that is not our child.
      for (let waited = 0; waited < killMs && tree.isAlive(); waited += POLL_MS) await pause(POLL_MS)
    }
    tree.release()
  }

  async #shut(): Promise<void> {
    this.#wanted = true
    if (!this.#finished) {
      this.#ladder = this.#endInSteps()
      await this.#ladder
      this.#finishSoon()
    }
    await this.#gone
  }

  /** End of input, then SIGTERM, then SIGKILL, until it has exited (2026-07-28, stdio, "Shutdown"). */
  async #endInSteps(): Promise<void> {
    const { closeMs = DEFAULT_WAIT_MS, killMs = DEFAULT_WAIT_MS } = this.#options
    // Now, since who leaves the group is found through its parent only while that lives.
    this.#tree?.survey()
    if (this.#events === undefined) this.#child.stdout.off('readable', ignore).on('data', ignore)
    void this.#stream.end()
    if (await within(this.exited, closeMs)) return
    this.#tree?.signal('SIGTERM')
    if (await within(this.exited, killMs)) return
    this.#tree?.signal('SIGKILL')
    await within(this.exited, killMs)
  }

  #closedReason(): Error | undefined {
    if (this.#failure !== undefined) return this.#failure
    if (this.#wanted) return undefined
    if (this.#reason instanceof PorticoError && this.#reason.code === 'limit-exceeded') return this.#reason
    const name = `"${this.#options.command}"`
    if (this.#exit === undefined)
      return new PorticoError('closed', `${name} closed its output`, { cause: this.#reason })
    const { code, signal } = this.#exit
    const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
    const said = lastWords(this.stderrTail())
    return new PorticoError('closed', `${name} ${how}${said && `: ${said}`}`, { cause: this.#reason, data: this.#exit })
  }
}

function start(options: SpawnOptions): ChildProcessWithoutNullStreams {
  const env = toChildEnvironment(process.env, options.env)
  const { file, args, verbatim } = toSpawnCommand(options.command, options.args ?? [], env, { cwd: options.cwd })
  try {
    return spawnPiped(file, args, {
      cwd: options.cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
      // Its own process group, so that one signal reaches all it starts.
      detached: process.platform !== 'win32',
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
    })
  } catch (error) {
    throw toStartError(error, options)
  }
}

function toStartError(error: unknown, { command, cwd }: SpawnOptions): PorticoError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  let why = code === '' ? 'the system refused' : code
  if (code === 'ENOENT') {
    // The system says the same of a missing folder and of a missing program.
    const hasFolder = cwd === undefined || statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true
    why = hasFolder ? 'not found on the path' : `its working directory "${cwd}" does not exist`
  } else if (code === 'EACCES') {
    why = 'not permitted to run it (EACCES)'
  }
  return new PorticoError('connect-failed', `cannot start "${command}": ${why}`, { cause: error, delivery: 'not-sent' })
}

function ignore(): void {}

async function within(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const inTime = await Promise.race([promise.then(() => true), late])
  clearTimeout(timer)
  return inTime
}
