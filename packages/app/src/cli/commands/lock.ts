/** `portico lock`: what servers promise, in a file to keep with a project. */

import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { lockServers, lockText } from '@portico/host/upstream'
import type { CommandInput } from '../command.ts'
import { EXIT_CODES } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { lookAt } from '../sightings.ts'
import { targetOptionsOf } from '../target.ts'
import { splitTarget } from '../target-kind.ts'

export const LOCK_FILE = 'portico.lock.json'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const target = input.positionals.length === 0 ? undefined : splitTarget(input).target
  const { servers, sightings } = await lookAt(target, io, targetOptionsOf(input))
  const text = lockText(lockServers(sightings, servers))
  if (input.json) {
    io.write(text)
    return EXIT_CODES.ok.code
  }
  const file = typeof input.flags.out === 'string' ? input.flags.out : LOCK_FILE
  await writeFile(resolve(io.cwd, file), text)
  io.say(`${sightings.length} items of ${servers.join(', ')} are locked in ${file}.`)
  return EXIT_CODES.ok.code
}
