/** `portico replay`: a recording as a server. */

import { CliError } from '../../../exit-codes.ts'
import { RecordingError, readRecording } from '../../../recording/format.ts'
import { createReplayServer } from '../../../recording/replay-server.ts'
import { serveUntilEnd, wishesOf } from '../../gateway/serving.ts'
import type { CommandInput } from '../../parse/command.ts'
import type { Io } from '../../terminal/io.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [file = ''] = input.positionals
  const wishes = wishesOf(input.flags, io, 'replay')
  await serveUntilEnd(createReplayServer(await read(file)), wishes, io, { json: input.json })
  return 0
}

async function read(file: string): ReturnType<typeof readRecording> {
  try {
    return await readRecording(file)
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error
    throw new CliError('failed', error.message, '`portico record` makes one.', error)
  }
}
