/** JSON web tokens in a text that anybody may have written: found in one pass, however the text is made. */

/** Everything that a token can be part of; it is matched whole, so that no part of it is looked at twice. */
const RUNS = /[\w.-]+/g
const START = /\beyJ/

/**
 * Replaces each token by another text. A token has as many parts as there are numbers in `least`, each with at least so many
 * characters (of the first, after its `eyJ`); a third part belongs to it in any case.
 */
export function replaceWebTokens(text: string, shown: string, least: readonly number[]): string {
  if (!text.includes('eyJ')) return text
  return text.replace(RUNS, (run) => (run.includes('eyJ') ? replaceInRun(run, shown, least) : run))
}

function replaceInRun(run: string, shown: string, least: readonly number[]): string {
  const parts = run.split('.')
  const kept: string[] = []
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? ''
    const start = START.exec(part)?.index
    const isToken =
      start !== undefined &&
      least.every((length, number) => {
        const characters = number === 0 ? part.length - start - 3 : (parts[at + number]?.length ?? -1)
        return characters >= length
      })
    kept.push(isToken ? part.slice(0, start) + shown : part)
    if (isToken) at += Math.min(2, parts.length - 1 - at)
  }
  return kept.join('.')
}
