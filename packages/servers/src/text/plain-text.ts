/**
 * Text from elsewhere on its way to a model or a person: what a person would not see but a model or a terminal would
 * (control characters, escape sequences, direction overrides, invisible and tag characters) is taken out, or spelled out
 * where a text must stay what it is (sec-125). Needs no package, because worker threads use it too.
 */

/** The text as a person would see it. For what services, pages and programs answer. */
export function toPlainText(text: string): string {
  // Most text has nothing of the kind, and one look is cheaper than a copy.
  if (!FOREIGN.test(text) || !SUSPECT.test(text)) return text
  return text.replace(ESCAPE_SEQUENCE, '').replace(/\r\n?/g, '\n').replace(INVISIBLE, '').replace(JOINER_RUN, '$1')
}

/** The text with the same characters as `\u{202E}`. For names and values, which are not to lose anything. */
export function spellHidden(text: string): string {
  if (!FOREIGN.test(text)) return text
  return text
    .replace(INVISIBLE, (character) => (character === '\r' ? character : spell(character)))
    .replace(JOINER_RUN, (run, first: string) => first + Array.from(run.slice(1), spell).join(''))
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

/** At most this many characters, cut at a whole one, with a mark where something is missing. */
export function toExcerpt(text: string, length: number): string {
  if (text.length <= length) return text
  const end = isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length
  return `${text.slice(0, end)}…`
}

const MAX_DEPTH = 100

function spell(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16).toUpperCase()}}`
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

/** What is never seen, as first and last code point. */
const UNSEEN: readonly (readonly [number, number])[] = [
  // Controls, except tab and line feed.
  [0x00, 0x08],
  [0x0b, 0x1f],
  [0x7f, 0x9f],
  // Soft hyphen, fillers and other marks without a shape.
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x3164, 0x3164],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  // Zero width, direction marks and overrides, invisible operators.
  [0x61c, 0x61c],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0xfeff, 0xfeff],
  // Shorthand and music format controls, tags, supplementary variation selectors.
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
]

/** Joiners and variation selectors shape real scripts and emoji, one at a time; a run of them carries something else. */
const JOINERS: readonly (readonly [number, number])[] = [
  [0x200c, 0x200d],
  [0xfe00, 0xfe0f],
]

const INVISIBLE = new RegExp(`[${classOf(UNSEEN)}]`, 'gu')
const JOINER_RUN = new RegExp(`([${classOf(JOINERS)}])[${classOf(JOINERS)}]+`, 'gu')
/** Anything but letters, digits and signs of ASCII, which is most text, with tabs and line feeds. */
const FOREIGN = /[^\t\n -~]/
const SUSPECT = new RegExp(`[${classOf(UNSEEN)}${classOf(JOINERS)}]`, 'u')

/** Escape sequences of terminals: CSI, OSC up to its end, and the short ones; each part is bounded. */
const ESCAPE_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]|\x1b\][^\x07\x1b]{0,1024}(?:\x07|\x1b\\)|\x1b[@-Z\\^_]/g

function classOf(ranges: readonly (readonly [number, number])[]): string {
  return ranges.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join('')
}
