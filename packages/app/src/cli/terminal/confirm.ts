/** A yes from the person at the terminal, before something is written. One place for every command that asks for it. */

import { CliError } from '../../exit-codes.ts'
import { byOption, toRemedy } from '../remedy.ts'
import type { Io } from './io.ts'
import { createTerminal } from './terminal.ts'

/** Rejects where the answer is no, and where nobody can be asked: `option` is what says yes beforehand. */
export async function confirm(question: string, io: Io, option = 'yes'): Promise<void> {
  if (!io.interactive) {
    throw new CliError(
      'denied',
      `There is no terminal to ask in: ${question}`,
      toRemedy(
        'run this in a terminal',
        byOption(option, io, (flag) => `say yes to that with \`${flag}\``),
      ),
    )
  }
  const answer = await createTerminal(io).ask(`${question} [y/N] `, { signal: io.signal })
  if (!/^y/i.test(answer?.trim() ?? '')) throw new CliError('denied', 'Nothing was changed')
}
