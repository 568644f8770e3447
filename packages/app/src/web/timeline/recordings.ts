/** Recordings of the workbench: files in one folder, written from the messages that pass, and listed for replaying. */

import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Host } from '@portico/host'
import { withoutSecrets } from '@portico/host/config'
import type { UpstreamView, WireMessage } from '@portico/host/upstream'
import { type RecordedServer, type Recording, readRecording, readRecordingHead } from '../../recording/format.ts'
import { createRecorder, type Recorder } from '../../recording/recorder.ts'
import type { RecordingView } from '../api-types/api.ts'
import { Refused } from '../http/failure.ts'

const MAX_LISTED = 200
const NEWLINE = 0x0a
const FILE = /^[\w.-]+\.jsonl$/

export class Recordings {
  readonly #folder: string
  readonly #host: Host
  #current: { readonly recorder: Recorder; readonly server: string | undefined } | undefined
  /** Messages of finished recordings, so that listing need not read them whole. */
  readonly #counts = new Map<string, number>()

  constructor(folder: string, host: Host) {
    this.#folder = folder
    this.#host = host
  }

  get recording(): boolean {
    return this.#current !== undefined
  }

  /** The file that is being written. */
  get current(): string | undefined {
    return this.#current === undefined ? undefined : basename(this.#current.recorder.file)
  }

  add({ server, connection, direction, at, message }: WireMessage): void {
    const current = this.#current
    if (current === undefined || (current.server !== undefined && current.server !== server)) return
    current.recorder.add({ at, server, connection, direction, message })
  }

  /** Lists are read once more, so that the recording says what there was to call. */
  async start(server: string | undefined): Promise<string> {
    if (this.#current !== undefined) {
      throw new Refused(409, { code: 'recording', message: 'A recording is under way', remedy: 'Stop it first.' })
    }
    const views = this.#host.upstreams.views().filter(({ name }) => server === undefined || name === server)
    if (views.length === 0)
      throw new Refused(404, { code: 'unknown-server', message: `No server "${server}" is configured` })
    const at = Date.now()
    const stamp = new Date(at).toISOString().replace(/[:.]/g, '-')
    const name = `${stamp}${server === undefined ? '' : `-${server.replace(/[^\w-]+/g, '-').slice(0, 60)}`}.jsonl`
    const recorder = await createRecorder(join(this.#folder, name), { at, servers: views.map(toRecorded) })
    if (this.recording) {
      // Somebody else was quicker.
      await recorder.close()
      throw new Refused(409, { code: 'recording', message: 'A recording is under way', remedy: 'Stop it first.' })
    }
    this.#current = { recorder, server }
    const standing = views.filter(({ connections }) => connections > 0)
    await Promise.all(standing.map((view) => this.#host.catalogue.refresh(view.name).catch(() => {})))
    return name
  }

  async stop(): Promise<{ readonly file: string; readonly messages: number } | undefined> {
    const current = this.#current
    this.#current = undefined
    if (current === undefined) return undefined
    await current.recorder.close()
    const file = basename(current.recorder.file)
    this.#counts.set(file, current.recorder.messages)
    return { file, messages: current.recorder.messages }
  }

  /** Newest first. */
  async list(): Promise<RecordingView[]> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => FILE.test(name))
    const newest = names.sort().reverse().slice(0, MAX_LISTED)
    return (await Promise.all(newest.map((name) => this.#view(name)))).filter((view) => view !== undefined)
  }

  /** Only files of the folder, by their bare names. */
  path(file: string): string {
    if (!FILE.test(file) || file !== basename(file)) {
      throw new Refused(404, { code: 'no-recording', message: 'There is no such recording' })
    }
    return join(this.#folder, file)
  }

  async read(file: string): Promise<Recording> {
    try {
      return await readRecording(this.path(file))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT') throw new Refused(404, { code: 'no-recording', message: 'There is no such recording' })
      throw error
    }
  }

  async #view(name: string): Promise<RecordingView | undefined> {
    const path = join(this.#folder, name)
    try {
      const [{ at, servers }, { size }] = await Promise.all([readRecordingHead(path), stat(path)])
      const server = servers.length === 1 ? servers[0]?.name : undefined
      return { file: name, ...(server !== undefined && { server }), at, messages: await this.#count(name), bytes: size }
    } catch {
      // A file that is no recording.
      return undefined
    }
  }

  async #count(name: string): Promise<number> {
    if (this.#current !== undefined && this.current === name) return this.#current.recorder.messages
    const known = this.#counts.get(name)
    if (known !== undefined) return known
    let lines = 0
    for await (const chunk of createReadStream(join(this.#folder, name))) {
      // Without an encoding, what comes are bytes.
      for (const byte of chunk as Buffer) if (byte === NEWLINE) lines++
    }
    // The first line is the head.
    const count = Math.max(0, lines - 1)
    this.#counts.set(name, count)
    return count
  }
}

function toRecorded({ name, config, serverInfo, instructions, version }: UpstreamView): RecordedServer {
  const target = withoutSecrets(config.target)
  return {
    name,
    ...(serverInfo !== undefined && { info: serverInfo }),
    ...(instructions !== undefined && { instructions }),
    ...(version !== undefined && { version }),
    ...(target.kind === 'stdio' && { target: { command: target.command, args: target.args } }),
    ...('url' in target && { target: { url: target.url } }),
  }
}
