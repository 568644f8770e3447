/** What every action of `portico servers` is: it gets the words after its own name. */

import type { CommandInput } from './parse/command.ts'
import type { Io } from './terminal/io.ts'

export type ServersAction = (words: readonly string[], input: CommandInput, io: Io) => Promise<number>
