/**
 * The one table of characters that a person does not see, but a terminal, a model or a program acts on: controls,
 * direction marks, invisible ones, tags, halves of surrogate pairs. Whatever cleans text takes it from here, the page of
 * the workbench too: it runs in a browser as it is.
 */

/**
 * How strict: `text` leaves lines, and what scripts and emoji need in its place; `lines` shows everything but lines and
 * tabs that is not plainly seen, odd spaces and unassigned characters included; `word` shows those as well.
 */
export type Strictness = 'text' | 'lines' | 'word'

/**
 * Replaces each character of a text that a person does not see; several that spell something together (tags, selectors)
 * are replaced as one.
 *
 * @example
 * ```ts
 * import { replaceHidden } from '@portico/host/text'
 *
 * replaceHidden('pay\u200bpal', () => '') // 'paypal'
 * ```
 */
export function replaceHidden(
  text: string,
  replace: (hidden: string) => string,
  strictness: Strictness = 'text',
): string {
  // Most text has nothing of the kind, and one look is cheaper than a copy.
  if (PLAIN[strictness].test(text)) return text
  if (strictness === 'text') {
    return text.replace(HIDDEN, (found, offset: number) => (isInPlace(found, text, offset) ? found : replace(found)))
  }
  return text.replace(strictness === 'lines' ? UNSEEN_IN_LINES : UNSEEN, (found) => replace(found))
}

/**
 * Writes out the characters of a text that a person does not see, as `⟦U+202E⟧`. With the strictness `text`, tags are
 * shown as the letters that they spell.
 *
 * @example
 * ```ts
 * import { showHidden } from '@portico/host/text'
 *
 * showHidden('pay\u202Epal') // 'pay⟦U+202E⟧pal'
 * ```
 */
export function showHidden(text: string, strictness: Strictness = 'text'): string {
  const show = strictness === 'text' ? toCodes : (hidden: string) => `⟦${toCode(hidden.codePointAt(0) ?? 0)}⟧`
  return replaceHidden(text, show, strictness)
}

/** Hidden characters by their codes. */
export function toCodes(hidden: string): string {
  const points = [...hidden].map((one) => one.codePointAt(0) ?? 0)
  const isTags = points.every((point) => point >= 0xe0020 && point < 0xe007f)
  if (isTags) return `⟦tags: ${String.fromCodePoint(...points.map((point) => point - 0xe0000))}⟧`
  if (points.length <= MAX_CODES) return points.map((point) => `⟦${toCode(point)}⟧`).join('')
  const first = points.slice(0, MAX_CODES).map(toCode).join(' ')
  return `⟦${first} and ${points.length - MAX_CODES} more⟧`
}

/** `U+202E`. */
export function toCode(point: number): string {
  return `U+${point.toString(16).toUpperCase().padStart(4, '0')}`
}

const MAX_CODES = 8

/** Tags and selectors in runs; a lone carriage return overwrites the line on a terminal. */
const HIDDEN =
  /[\u{E0000}-\u{E007F}]+|[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]+|\r(?!\n)|(?![\t\n\r])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u{FFF9}-\u{FFFB}]/gu

/** Ignorable ones are letters and marks that are drawn as nothing; of the spaces only the plain one is what it seems. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu
const UNSEEN_IN_LINES = /(?![\t\n\r])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu

const PLAIN: { readonly [strictness in Strictness]: RegExp } = {
  text: /^[\t\n -~]*$/,
  lines: /^[\t\n\r -~]*$/,
  word: /^[ -~]*$/,
}

/** The flags of England, Scotland and Wales are spelled in tags. */
const FLAG_TAGS = new Set(
  ['gbeng', 'gbsct', 'gbwls'].map(
    (name) => `${String.fromCodePoint(...[...name].map((one) => 0xe0000 + one.charCodeAt(0)))}\u{E007F}`,
  ),
)

const BEFORE_JOINER =
  /(?:\u{FE0F}|[\u{1F3FB}-\u{1F3FF}]|[\p{Extended_Pictographic}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Khmer}\p{Script=Myanmar}])$/u
const AFTER_JOINER =
  /^[\p{Extended_Pictographic}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Whether a character does here what it is for. */
function isInPlace(found: string, text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 2), offset)
  if (found === '\u200C' || found === '\u200D') {
    const after = text.slice(offset + 1, offset + 3)
    return BEFORE_JOINER.test(before) && AFTER_JOINER.test(after)
  }
  // One selector after a character that has two looks; a second one spells something.
  if (found === '\uFE0F' || found === '\uFE0E') return /[\p{Emoji}\p{Extended_Pictographic}]$/u.test(before)
  return FLAG_TAGS.has(found) && before === '\u{1F3F4}'
}
