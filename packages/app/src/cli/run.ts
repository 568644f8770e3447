/** Runs one command: finds it, parses its words, gives it somewhere to write, and turns what goes wrong into one line. */

import { COMMAND_GROUPS, findCommand, nearestCommand } from './command-table.ts'
import { CliError, EXIT_CODES } from './exit-codes.ts'
import { toCliError } from './failure.ts'
import { commandHelp, overview } from './help.ts'
import { createIo, type Io } from './io.ts'
import { parseCommand } from './parse.ts'

export async function runCli(words: readonly string[]): Promise<number> {
  const interrupt = new AbortController()
  const onInterrupt = (): void => {
    // The first Ctrl-C lets the command clean up; the second does not wait for it.
    if (interrupt.signal.aborted) process.exit(EXIT_CODES.interrupted.code)
    interrupt.abort(new CliError('interrupted', 'Interrupted'))
  }
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', onInterrupt)
  const io = createIo(interrupt.signal)
  try {
    const code = await runWords(words, io)
    return interrupt.signal.aborted && code !== 0 ? EXIT_CODES.interrupted.code : code
  } catch (error) {
    io.progress(undefined)
    const failure = interrupt.signal.aborted ? new CliError('interrupted', 'Interrupted') : toCliError(error)
    report(failure, io)
    if (io.env.PORTICO_DEBUG === '1') io.say(String((error as Error)?.stack ?? error))
    return EXIT_CODES[failure.exit].code
  } finally {
    process.off('SIGINT', onInterrupt)
    process.off('SIGTERM', onInterrupt)
  }
}

async function runWords(words: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = words
  if (name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    io.out(overview(COMMAND_GROUPS, io.paint))
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
    io.out(commandHelp(command, io.paint))
    return 0
  }
  const { run } = await command.load()
  return run(input, io)
}

function report({ exit, message, remedy }: CliError, io: Io): void {
  if (exit === 'interrupted') return
  io.say(`${io.paint.red('error')}: ${message}${remedy === undefined ? '' : `\n  ${remedy}`}`)
}
