/** Runs one command: finds it, parses its words, gives it somewhere to write, and turns what goes wrong into one line. */

import { setMaxListeners } from 'node:events'
import { exitNow } from '../definition/exit-in-definition.ts'
import { CliError, EXIT_CODES } from '../exit-codes.ts'
import { COMMAND_GROUPS, findCommand, nearestCommand } from './parse/command-table.ts'
import { commandHelp, overview } from './parse/help.ts'
import { parseCommand } from './parse/parse.ts'
import { sayError, withoutCredentials } from './say-error.ts'
import { createIo, type Io } from './terminal/io.ts'
import { helpForReader } from './terminal/reader.ts'

/** A terminal that is closed says SIGHUP: what is under way then ends as it does with SIGTERM. */
const ENDS = ['SIGTERM', 'SIGHUP'] as const

export async function runCli(words: readonly string[]): Promise<number> {
  const ending = new AbortController()
  // As many requests as a command likes may wait for the same Ctrl-C.
  setMaxListeners(0, ending.signal)
  const handlers: (() => void)[] = []
  const end = (): void => {
    // The first Ctrl-C lets the command clean up; the second does not wait for it.
    if (ending.signal.aborted) exitNow(EXIT_CODES.interrupted.code)
    ending.abort(new CliError('interrupted', 'Interrupted'))
  }
  const interrupt = (): void => (handlers.at(-1) ?? end)()
  process.on('SIGINT', interrupt)
  for (const signal of ENDS) process.on(signal, end)
  const { flags = {} } = findCommand(words[0] ?? 'start') ?? {}
  const takes = (option: string): boolean => Object.hasOwn(flags, option)
  const io = createIo({ signal: ending.signal, handlers, interrupt, takes })
  try {
    const code = await runWords(words, io)
    return ending.signal.aborted && code !== 0 ? EXIT_CODES.interrupted.code : code
  } catch (error) {
    io.progress(undefined)
    const failure = ending.signal.aborted
      ? new CliError('interrupted', 'Interrupted')
      : await toFailure(error, words, io)
    if (failure.exit !== 'interrupted') sayError(failure.message, failure.remedy, io)
    if (io.env.PORTICO_DEBUG === '1') io.say(withoutCredentials(String((error as Error)?.stack ?? error)))
    return EXIT_CODES[failure.exit].code
  } finally {
    process.off('SIGINT', interrupt)
    for (const signal of ENDS) process.off(signal, end)
  }
}

async function runWords(words: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = words
  if (name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    io.out(helpForReader(overview(COMMAND_GROUPS, io.paint, io.columns), io.env))
    return 0
  }
  const named = name === 'help' ? rest[0] : (name ?? 'start')
  const command = findCommand(named ?? '')
  if (command === undefined) {
    const near = nearestCommand(named ?? '')
    const hint =
      near === undefined ? 'See `portico --help`.' : `Did you mean \`portico ${near}\`? See \`portico --help\`.`
    throw new CliError('usage', `There is no command "${named}"`, hint)
  }
  const input = name === 'help' ? undefined : parseCommand(command, rest)
  if (input === undefined || input.help) {
    io.out(helpForReader(commandHelp(command, io.paint, io.columns), io.env))
    return 0
  }
  const { run } = await command.load()
  return run(
    input,
    io,
    COMMAND_GROUPS.flatMap((group) => group.commands),
  )
}

/** The families of errors are loaded only when one of them may have come. */
async function toFailure(error: unknown, words: readonly string[], io: Io): Promise<CliError> {
  if (error instanceof CliError) return error
  const { explainListening } = await import('./terminal/listening.ts')
  return (await explainListening(error, words, io)) ?? (await import('./failure.ts')).toCliError(error, io)
}
