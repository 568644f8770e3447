/** Writes a session to a file while it happens. A disk that does not keep up, or a file that is full, ends the recording. */

import { createWriteStream, type WriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { headLine, messageLine, RECORDING_LIMITS, type RecordedMessage, type RecordingHead } from './format.ts'

export interface Recorder {
  readonly file: string
  readonly messages: number
  /** Why no more is written, where that is so. */
  readonly ended: string | undefined
  add(message: RecordedMessage): void
  /** Resolves when everything is on disk. */
  close(): Promise<void>
}

const MAX_WAITING_BYTES = 32 * 1_048_576

/** Refuses a file that is there already. */
export async function createRecorder(file: string, head: RecordingHead): Promise<Recorder> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  // Messages may hold whatever passes: for its owner alone.
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  await new Promise<void>((resolve, reject) => {
    stream.once('open', () => resolve())
    stream.once('error', reject)
  })
  return new FileRecorder(file, stream, head)
}

class FileRecorder implements Recorder {
  readonly file: string
  readonly #stream: WriteStream
  #bytes = 0
  messages = 0
  ended: string | undefined

  constructor(file: string, stream: WriteStream, head: RecordingHead) {
    this.file = file
    this.#stream = stream
    stream.on('error', (error) => {
      this.ended ??= error.message
    })
    this.#write(headLine(head))
  }

  add(message: RecordedMessage): void {
    if (this.ended !== undefined) return
    if (this.messages >= RECORDING_LIMITS.maxMessages) this.ended = 'the recording is full'
    else if (this.#stream.writableLength > MAX_WAITING_BYTES) this.ended = 'the disk does not keep up'
    else if (this.#write(messageLine(message))) this.messages++
  }

  close(): Promise<void> {
    this.ended ??= 'closed'
    return new Promise((resolve) => {
      if (this.#stream.closed) return resolve()
      this.#stream.once('close', () => resolve())
      this.#stream.end()
    })
  }

  #write(line: string): boolean {
    const bytes = Buffer.byteLength(line)
    if (this.#bytes + bytes > RECORDING_LIMITS.maxBytes) {
      this.ended = 'the recording is full'
      return false
    }
    this.#bytes += bytes
    this.#stream.write(line)
    return true
  }
}
