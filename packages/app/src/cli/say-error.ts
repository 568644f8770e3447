/**
 * The line that says what went wrong, and the one that says what to do: one place, so that neither repeats a password. What a server
 * said may be in them, however long it is and however it is made: every pattern here takes one pass.
 */

import { replaceUserInfo } from '@portico/sdk/internal-text'
import { wrapWords } from './parse/wrap-words.ts'
import { saidColumns } from './screen-size.ts'
import type { Io } from './terminal/io.ts'
import { toPlain } from './terminal/plain-text.ts'
import { forReader } from './terminal/reader.ts'

const MAX_CHARS = 2_000

export function sayError(
  message: string,
  remedy: string | undefined,
  io: Pick<Io, 'say' | 'paint'> & Partial<Pick<Io, 'stderr' | 'env'>>,
): void {
  const columns = saidColumns(io)
  const text = `error: ${shorten(message)}${remedy === undefined ? '' : `\n  ${shorten(remedy)}`}`
  const lines = columns === undefined ? text : wrapWords(forReader(text, io.env ?? {}), columns)
  io.say(lines.replace(/^error/, io.paint.red('error')))
}

/** Cut last: an address that is cut before its `@` would show its password. */
function shorten(text: string): string {
  // Our own colours are put around it later: those in it are somebody else's.
  const clean = withoutCredentials(toPlain(text))
  return clean.length > MAX_CHARS ? `${clean.slice(0, MAX_CHARS)}… (${text.length} characters)` : clean
}

/** A text without what stands before the host of an address, and without the values of its secret parameters. */
export function withoutCredentials(text: string): string {
  return replaceUserInfo(text, () => '…').replace(SECRET_PARAMETER, '$1…')
}

const SECRET_PARAMETER =
  /([?&#;](?:[\w-]{0,30}(?:token|secret|password|passwd|api[-_]?key|signature)|code|sig|key|auth)=)[^&#\s"'`]+/gi
