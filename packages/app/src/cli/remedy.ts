/** What to do, in one sentence. Options are named here and nowhere else in files that several commands share. */

import type { Io } from './terminal/io.ts'

/** What can be done by an option, where the command that was typed takes it: `takes` is asked, so that no remedy has to know. */
export function byOption(
  option: string,
  { takes }: Pick<Io, 'takes'>,
  words: (flag: string) => string,
): string | undefined {
  return takes(option) ? words(`--${option}`) : undefined
}

/** The ways there are as a sentence: `Do this, do that, or do the other.` */
export function toRemedy(...ways: readonly (string | undefined)[]): string | undefined {
  const open = ways.filter((way) => way !== undefined)
  const last = open.at(-1)
  if (last === undefined) return undefined
  const list = open.length < 3 ? open.join(', or ') : `${open.slice(0, -1).join(', ')}, or ${last}`
  return `${list.charAt(0).toUpperCase()}${list.slice(1)}.`
}
