/**
 * What a failed check says, in words that a language model can act on. Every keyword makes its issues here, so that
 * names and values from the outside are quoted and shortened in one place.
 */

export interface Issue {
  /** Where in the value, from its root. */
  readonly path: (string | number)[]
  readonly message: string
  /** The JSON Schema keyword that failed, `limit` for a bound of ours, or the name of the schema library. */
  readonly keyword: string
  /** The property that should be there, where that is what is wrong. */
  readonly missing?: string
}

/** One line for up to ten issues: `city: expected a string, got a number; unknown property "town"`. */
export function formatIssues(issues: readonly Issue[]): string {
  const shown = issues.slice(0, MOST_SHOWN).map(formatIssue)
  if (issues.length > MOST_SHOWN) shown.push(`and ${issues.length - MOST_SHOWN} more`)
  return shown.join('; ')
}

/** The dotted name of what an issue is about: `address.city`, also when `city` is what is missing. */
export function subjectOf({ path, missing }: Issue): string {
  return (missing === undefined ? path : [...path, missing]).join('.')
}

const MOST_SHOWN = 10

function formatIssue({ path, message }: Issue): string {
  const where = formatPath(path)
  // Some libraries put the path into the message themselves.
  return where === '' || message.startsWith(where) ? message : `${where}: ${message}`
}

function formatPath(path: readonly (string | number)[]): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else if (/^[\w$-]{1,64}$/.test(key)) text += text === '' ? key : `.${key}`
    else text += `[${quote(key)}]`
  }
  return text
}

/** A name or value as JSON, cut to a length that cannot flood a log or a prompt. */
export function quote(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(shorten(value))
  if (typeof value === 'object' && value !== null) return nameOf(value)
  return String(value)
}

export function shorten(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}...` : text
}

/** What a value is, with its article: `a string`, `null`, `an array`. */
export function nameOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'number') return Number.isFinite(value) ? 'a number' : String(value)
  return typeof value === 'undefined' ? 'nothing' : `a ${typeof value}`
}

/** `"c", "f", "k"`; long lists end in an ellipsis. */
export function listOf(values: readonly unknown[], show: (value: unknown) => string = quote): string {
  const shown = values.slice(0, 20).map(show)
  return values.length > 20 ? `${shown.join(', ')}, ...` : shown.join(', ')
}
