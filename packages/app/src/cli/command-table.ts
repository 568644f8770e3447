/** Every command, grouped as help shows them. Declarations are light; what a command does is loaded with it. */

import type { Command } from './command.ts'
import { LOOKING } from './commands/looking.ts'
import { RUNNING } from './commands/running.ts'
import { USING } from './commands/using.ts'
import { WRITING } from './commands/writing.ts'

export interface CommandGroup {
  readonly title: string
  readonly commands: readonly Command[]
}

export const COMMAND_GROUPS: readonly CommandGroup[] = [
  { title: 'use servers', commands: USING },
  { title: 'write servers', commands: WRITING },
  { title: 'run things', commands: RUNNING },
  { title: 'look closer', commands: LOOKING },
]

export function findCommand(name: string): Command | undefined {
  return COMMAND_GROUPS.flatMap(({ commands }) => commands).find((command) => command.name === name)
}

/** The command that a mistyped word most likely means. */
export function nearestCommand(word: string): string | undefined {
  const names = COMMAND_GROUPS.flatMap(({ commands }) => commands).map(({ name }) => name)
  const ranked = names
    .map((name) => ({ name, edits: editDistance(word.slice(0, 20), name) }))
    .sort((a, b) => a.edits - b.edits)
  const best = ranked[0]
  return best !== undefined && best.edits <= 2 ? best.name : undefined
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, swap))
    }
    row = next
  }
  return row[b.length] ?? 0
}
