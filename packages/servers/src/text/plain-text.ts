/**
 * Text from elsewhere on its way to a model or a person: what a person would not see but a model or a terminal would
 * (control characters, escape sequences, direction overrides, invisible and tag characters) is taken out, or spelled out
 * where a text must stay what it is (sec-125). Needs no package, because worker threads use it too.
 */

import { replaceHidden } from '@portico/sdk/internal-text'

/** The text as a person would see it. For what services, pages and programs answer. */
export function toPlainText(text: string): string {
  // Most text has nothing of the kind, and one look is cheaper than a copy.
  if (PLAIN.test(text)) return text
  return replaceHidden(text.replace(ESCAPE_SEQUENCE, '').replace(/\r\n?/g, '\n'), () => '')
}

/**
 * The text with the same characters as `\u{202E}`. For names and values, which are not to lose anything. A carriage return that
 * ends no line is one of them: a terminal would write what follows over what stands before.
 */
export function spellHidden(text: string): string {
  return replaceHidden(text, (hidden) => Array.from(hidden, spell).join(''))
}

/** The same on one line: a name or a subject must not be able to make lines of its own in a question. */
export function spellLine(text: string): string {
  return spellHidden(text).replace(/[\r\n]/g, spell)
}

/** The same for every string of a JSON value, names of members included. Depth is bounded by the parser's own. */
export function toPlainJson(value: unknown, change: (text: string) => string = toPlainText, depth = 0): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) return '[nested too deeply]'
  if (Array.isArray(value)) return value.map((item) => toPlainJson(item, change, depth + 1))
  // `fromEntries` defines members, so that "__proto__" stays an ordinary name.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [change(key), toPlainJson(item, change, depth + 1)]),
  )
}

const MAX_DEPTH = 100

function spell(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`
}

/** Letters, digits and signs of ASCII, which is most text, with tabs and line feeds. */
const PLAIN = /^[\t\n -~]*$/

/** Escape sequences of terminals: CSI, OSC up to its end, and the short ones; each part is bounded. */
const ESCAPE_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b]{0,1024}(?:\x07|\x1b\\)|\x1b[@-Z\\^_]/g
