/** Every command, grouped as help shows them. Declarations are light; what a command does is loaded with it. */

import { nearestName } from '@portico/host/text'
import { CHECKING } from '../commands/declarations/checking.ts'
import { SERVING } from '../commands/declarations/serving.ts'
import { USING } from '../commands/declarations/using.ts'
import { WRITING } from '../commands/declarations/writing.ts'
import type { Command } from './command.ts'

interface CommandGroup {
  readonly title: string
  readonly commands: readonly Command[]
}

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { title: 'use servers', commands: USING },
  { title: 'write servers', commands: WRITING },
  { title: 'run things', commands: SERVING },
  { title: 'look closer', commands: CHECKING },
]

export function findCommand(name: string): Command | undefined {
  return COMMAND_GROUPS.flatMap(({ commands }) => commands).find((command) => command.name === name)
}

/** The command that a mistyped word most likely means. */
export function nearestCommand(word: string): string | undefined {
  return nearestName(
    word,
    COMMAND_GROUPS.flatMap(({ commands }) => commands).map(({ name }) => name),
  )
}
