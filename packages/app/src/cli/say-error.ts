/** The line that says what went wrong, and the one that says what to do: one place, so that neither repeats a password. */

import type { Io } from './terminal/io.ts'

export function sayError(message: string, remedy: string | undefined, io: Pick<Io, 'say' | 'paint'>): void {
  io.say(withoutCredentials(`${io.paint.red('error')}: ${message}${remedy === undefined ? '' : `\n  ${remedy}`}`))
}

/** A text without what stands before the host of an address, and without the values of its secret parameters. */
export function withoutCredentials(text: string): string {
  return text.replace(USER_INFO, '$1…@').replace(SECRET_PARAMETER, '$1…')
}

/** A password may have `@`, `:` and `/` in it where somebody forgot to encode them; digits and a slash are a port. */
const USER_INFO = /([a-z][a-z\d+.-]{0,30}:\/\/)(?:[^\s/@:]*:(?!\d+\/)\S*|[^\s/@:]+)@/gi

const SECRET_PARAMETER =
  /([?&#;](?:[\w-]{0,30}(?:token|secret|password|passwd|api[-_]?key|signature)|code|sig|key|auth)=)[^&#\s"'`]+/gi
