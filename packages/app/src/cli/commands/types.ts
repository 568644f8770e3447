/** `portico types`: declarations for a server that nobody here has the source of. */

import { writeFile } from 'node:fs/promises'
import { declarationsFor } from '@portico/sdk/client'
import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import type { CommandInput } from '../parse/command.ts'
import { targetOptionsOf, withTarget } from '../target/target.ts'
import { splitTarget } from '../target/target-kind.ts'
import { counted } from '../terminal/counted.ts'
import type { Io } from '../terminal/io.ts'

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { target, rest } = splitTarget(input)
  if (rest[0] !== undefined) throw new CliError('usage', `types: "${rest[0]}" is one argument too many`)
  const { name, output, out = output } = input.flags
  return withTarget(target, io, targetOptionsOf(input), async (open) => {
    const tools = [...(await open.tools())]
    const wanted = typeof name === 'string' ? name : toTypeName(open.client.server.info?.name ?? open.label)
    const text = declarationsFor(tools, wanted)
    if (input.json) io.out(JSON.stringify({ name: wanted, text }))
    else if (typeof out === 'string') {
      await writeFile(out, text)
      io.say(`${wanted}, with ${counted(tools.length, 'tool')}, written to ${out}.`)
    } else io.write(text)
    return EXIT_CODES.ok.code
  })
}

function toTypeName(name: string): string {
  const words = name.match(/[a-z\d]+/gi) ?? ['Example']
  const joined = words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
  return /^\d/.test(joined) ? `Server${joined}` : joined.endsWith('Server') ? joined : `${joined}Server`
}
