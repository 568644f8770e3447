/**
 * Questions where nobody can be asked, of a call that may go on by itself: the server is told that they can be answered, so that its
 * task waits for somebody who does. One that is asked before there is a task ends the command and is named.
 */

import { type ElicitationHandlers, RpcError } from '@portico/sdk/client'
import { METHOD_NOT_FOUND } from '@portico/sdk/internal'
import { CliError } from '../../exit-codes.ts'
import { toLine } from '../terminal/plain-text.ts'

export interface Unanswered {
  readonly handlers: ElicitationHandlers
  /** Does the work; where it was asked something meanwhile, that is what became of it. */
  during<Result>(tool: string, work: () => Promise<Result>): Promise<Result>
}

export function createUnanswered(): Unanswered {
  let asked: string | undefined
  const refuse = ({ message }: { readonly message: string }): never => {
    asked ??= message
    throw new RpcError(METHOD_NOT_FOUND, 'Nobody can be asked here')
  }
  return {
    handlers: { form: refuse, url: refuse },
    async during(tool, work) {
      const [outcome] = await Promise.allSettled([work()])
      if (asked !== undefined) throw toDenied(tool, asked)
      if (outcome.status === 'rejected') throw outcome.reason
      return outcome.value
    },
  }
}

function toDenied(tool: string, question: string): CliError {
  const what = `${toLine(tool)} has a question, and nobody can be asked here: “${toLine(question, 500)}”`
  return new CliError('denied', what, 'Run it in a terminal to answer.')
}
