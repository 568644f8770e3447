/** `portico completion`: scripts for shells, from the same declarations as help. */

import { CliError, EXIT_CODES } from '../../exit-codes.ts'
import { nextWords, wordsOfLine } from '../completion/next-words.ts'
import { bashScript, fishScript, zshScript } from '../completion/scripts.ts'
import type { Command, CommandInput } from '../parse/command.ts'
import type { Io } from '../terminal/io.ts'

export async function run(input: CommandInput, io: Io, commands: readonly Command[]): Promise<number> {
  const [shell] = input.positionals
  switch (shell) {
    case 'bash':
      io.write(bashScript(commands))
      break
    case 'zsh':
      io.write(zshScript(commands))
      break
    case 'fish':
      io.write(fishScript(commands))
      break
    // What the scripts ask for while somebody types; it must be quick, and silent where nothing is known.
    case 'words':
    case 'line':
      for (const word of await nextWords(await typedWords(shell, input.dashed), commands, io, () => serverNames(io)))
        io.out(word)
      break
    default:
      throw new CliError('usage', `completion: there is no script for "${shell}"`, 'One of bash, zsh, fish.')
  }
  return EXIT_CODES.ok.code
}

/** Without the program's own name. */
async function typedWords(how: 'words' | 'line', typed: readonly string[]): Promise<readonly string[]> {
  if (how === 'words') return typed
  const { splitShellWords } = await import('@portico/host/config')
  return wordsOfLine(typed[0] ?? '', splitShellWords).slice(1)
}

async function serverNames(io: Io): Promise<readonly string[]> {
  const { loadConfig } = await import('@portico/host/config')
  const { projectFile, userFile } = await import('../host-places.ts')
  const files = [projectFile(io), userFile(io)].map((path) => ({
    path,
    scope: 'user' as const,
    form: 'portico' as const,
  }))
  return (await loadConfig({ files })).servers.map(({ name }) => name)
}
