/** `portico verify`: servers against their lock, with every difference in words. */

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describeDifference, verifyServers } from '@portico/host/upstream'
import { CliError, EXIT_CODES } from '../../../exit-codes.ts'
import { lookAt } from '../../observed-items.ts'
import type { CommandInput } from '../../parse/command.ts'
import { targetOptionsOf } from '../../target/target.ts'
import { splitTarget } from '../../target/target-kind.ts'
import type { Io } from '../../terminal/io.ts'
import { toPlain } from '../../terminal/plain-text.ts'
import { LOCK_FILE } from './lock.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const target = input.positionals.length === 0 ? undefined : splitTarget(input).target
  const file = typeof input.flags.lock === 'string' ? input.flags.lock : LOCK_FILE
  const lock = await readLock(resolve(io.cwd, file), file)
  const { servers, observed } = await lookAt(target, io, targetOptionsOf(input), {
    names: Object.keys(lock.servers),
  })
  // Only what was looked at can be told; others in the lock are not gone.
  const asked = target === undefined ? lock : { ...lock, servers: pick(lock.servers, servers) }
  const differences = verifyServers(asked, observed)
  if (input.json) io.out(JSON.stringify({ holds: differences.length === 0, differences }))
  else for (const difference of differences) io.out(toPlain(describeDifference(difference)))
  if (differences.length === 0) {
    io.say(`${servers.join(', ')}: everything is as locked in ${file}.`)
    return EXIT_CODES.ok.code
  }
  io.say(`Not as locked in ${file} (${differences.length}). If that is right, lock again: \`portico lock\`.`)
  return EXIT_CODES.failed.code
}

interface LockFile {
  readonly lockVersion: unknown
  readonly servers: { readonly [server: string]: unknown }
}

async function readLock(path: string, file: string): Promise<LockFile> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CliError('not-found', `There is no lock file ${file}`, 'Make one first: `portico lock`.')
  })
  try {
    const lock = JSON.parse(text) as Partial<LockFile> | null
    if (typeof lock?.servers === 'object' && lock.servers !== null) return lock as LockFile
  } catch {
    // Said below: it is no lock file either way.
  }
  throw new CliError('config', `${file} is no lock file`, 'Make it anew: `portico lock`.')
}

function pick(servers: LockFile['servers'], names: readonly string[]): LockFile['servers'] {
  return Object.fromEntries(Object.entries(servers).filter(([name]) => names.includes(name)))
}
