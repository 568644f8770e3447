/** Recordings, which people send each other: one is refused, or played back, whatever is in its lines. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exchangesOf } from '../../../packages/app/src/recording/exchanges.ts'
import { type Recording, RecordingError, readRecording } from '../../../packages/app/src/recording/format.ts'
import { createReplayServer } from '../../../packages/app/src/recording/replay-server.ts'
import { connect } from '../../../packages/sdk/src/doors/client.ts'
import { PorticoError } from '../../../packages/sdk/src/jsonrpc/errors.ts'
import { mutated } from '../mutations.ts'
import { demand, opened, type Target } from '../target.ts'
import { CORPUS } from './corpus.ts'

export const recordings: Target = {
  name: 'recordings',
  about: 'recorded sessions, read and played back',
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'portico-fuzz-'))
    const file = join(folder, 'recording.jsonl')
    return opened({
      arbitrary: mutated(CORPUS.recordings),
      async run(text) {
        await writeFile(file, text)
        const recording = await known(() => readRecording(file))
        if (recording !== undefined) await play(recording)
      },
      close: () => rm(folder, { recursive: true, force: true }),
    })
  },
}

async function play(recording: Recording): Promise<void> {
  const exchanges = exchangesOf(recording.messages)
  demand(exchanges.length <= recording.messages.length, 'more answers than messages')
  const server = await known(() => createReplayServer(recording))
  if (server === undefined) return
  const client = await known(() => connect(server, { timeouts: { callMs: 5_000 } }))
  if (client === undefined) return
  try {
    await known(() => client.listTools())
    await known(() => client.listPrompts())
    for (const { method, params } of exchanges.slice(0, MAX_PLAYED)) await known(() => client.request(method, params))
  } finally {
    await client.close()
  }
}

const MAX_PLAYED = 5

/** What it came to; undefined where it was refused in a way that callers know. */
async function known<T>(action: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await action()
  } catch (error) {
    demand(
      error instanceof RecordingError || error instanceof PorticoError,
      `an error of no known kind: ${String(error)}`,
    )
    return undefined
  }
}
