/** The server that the words of a command name, after those that name something else. */

import type { CommandInput } from '../parse/command.ts'
import { readTarget, type TargetKind } from './target-kind.ts'

export function targetIn({ positionals, dashed }: CommandInput, from = 0): TargetKind {
  const [command, ...args] = dashed
  return command === undefined ? readTarget(positionals.slice(from)) : { kind: 'command', command, args }
}
