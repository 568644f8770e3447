/** What went wrong while a server was used, with its name: what it said last where it ended, and remedies that can be typed. */

import { defineServer } from '@portico/host/config'
import { explainFailure } from '@portico/host/upstream'
import { PorticoError } from '@portico/sdk/client'
import { CliError } from '../exit-codes.ts'
import { toCliError } from './failure.ts'
import type { OpenTarget } from './target/open-target.ts'
import { type TargetKind, wordOf } from './target/target-kind.ts'
import { toConfig } from './target/unreachable.ts'
import type { Io } from './terminal/io.ts'

export async function withServer(
  error: unknown,
  target: TargetKind,
  { label, client }: OpenTarget,
  io: Io,
): Promise<CliError> {
  const word = wordOf(target)
  if (findClosed(error) !== undefined) {
    const stderr = client.process?.stderrTail() ?? ''
    const { reason } = explainFailure(error, { config: defineServer(label, toConfig(target)), stderr })
    const message = `${label} ended in the middle of it: ${reason}`
    return new CliError('unreachable', message, `\`portico doctor ${word}\` looks closer.`, error)
  }
  const { exit, message, remedy } = toCliError(error, io)
  return new CliError(exit, message, remedy?.replaceAll('<server>', word), error)
}

function findClosed(error: unknown): PorticoError | undefined {
  for (let one = error, depth = 0; one instanceof Error && depth < 8; one = one.cause, depth++) {
    if (one instanceof PorticoError && one.code === 'closed') return one
  }
  return undefined
}
