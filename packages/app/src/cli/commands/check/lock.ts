/** `portico lock`: what servers promise, in a file to keep with a project. */

import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { lockServers, lockText } from '@portico/host/upstream'
import { EXIT_CODES } from '../../../exit-codes.ts'
import { toCliError } from '../../failure.ts'
import { lookAt, type Missed } from '../../observed-items.ts'
import type { CommandInput } from '../../parse/command.ts'
import { targetOptionsOf } from '../../target/target.ts'
import { splitTarget } from '../../target/target-kind.ts'
import { counted } from '../../terminal/counted.ts'
import type { Io } from '../../terminal/io.ts'

export const LOCK_FILE = 'portico.lock.json'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const target = input.positionals.length === 0 ? undefined : splitTarget(input).target
  const { servers, observed, missed } = await lookAt(target, io, targetOptionsOf(input), { skips: true })
  const text = lockText(lockServers(observed, servers))
  if (input.json) {
    io.write(text)
    return tellMissed(missed, io)
  }
  const { output, out = output } = input.flags
  const file = typeof out === 'string' ? out : LOCK_FILE
  await writeFile(resolve(io.cwd, file), text)
  io.say(`Locked in ${file}: ${counted(observed.length, 'item')} of ${servers.join(', ')}.`)
  return tellMissed(missed, io)
}

/** The others are locked; a script learns by the exit code that some are not. */
function tellMissed(missed: readonly Missed[], io: Io): number {
  for (const { server, error } of missed) {
    const { message, remedy } = toCliError(error, io)
    io.say(`${io.paint.yellow('not locked')} ${server}: ${message}${remedy === undefined ? '' : `\n  ${remedy}`}`)
  }
  return missed.length === 0 ? EXIT_CODES.ok.code : EXIT_CODES.failed.code
}
