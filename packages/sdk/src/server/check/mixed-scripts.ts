/**
 * Names that are not what they seem: a Cyrillic letter inside a Latin word, a whole word in letters that look like Latin
 * ones, letters that only are another drawing of plain ones. People and models read them as the name that they imitate.
 */

/** The letters of a name that look like letters of another alphabet. */
export interface MixedScripts {
  /**
   * The alphabets that a word mixes, or the one whose letters imitate Latin ones. `Styled` stands for letters that are
   * plain ones drawn differently, such as mathematical bold.
   */
  readonly scripts: readonly string[]
  /** The letters that are not what they seem, each once. */
  readonly letters: readonly string[]
}

/**
 * The letters of a name that look like letters of another alphabet; undefined where there are none. Words of different
 * alphabets side by side are no finding, nor are the scripts that Japanese and Korean mix.
 *
 * @example
 * ```ts
 * import { mixedScripts } from '@portico/sdk/lint'
 *
 * mixedScripts('s\u0435nd_email') // { scripts: ['Latin', 'Cyrillic'], letters: ['\u0435'] }
 * mixedScripts('read_файл') // undefined
 * ```
 */
export function mixedScripts(name: string): MixedScripts | undefined {
  if (PLAIN.test(name)) return undefined
  const scripts = new Set<string>()
  const letters = new Set<string>()
  for (const word of name.slice(0, MAX_CHARS).split(BETWEEN_WORDS)) {
    const found = oddIn(word)
    for (const script of found.scripts) scripts.add(script)
    for (const letter of found.letters) letters.add(letter)
  }
  return letters.size === 0 ? undefined : { scripts: [...scripts], letters: [...letters] }
}

const PLAIN = /^[ -~]*$/
const MAX_CHARS = 4_096
const BETWEEN_WORDS = /[^\p{L}\p{M}]+/u
const NOTHING: MixedScripts = { scripts: [], letters: [] }

const SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Armenian',
  'Hebrew',
  'Arabic',
  'Cherokee',
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
].map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const)
const NO_SCRIPT = /[\p{Script=Common}\p{Script=Inherited}]/u
const EAST_ASIAN = new Set(['Han', 'Hiragana', 'Katakana', 'Hangul', 'Latin'])

/** Letters that most type faces draw like Latin ones. */
const LOOKALIKES = new Set('асеорхуѕіјԛԝһӏԁкмтАВЕКМНОРСТУХЅІЈԚԜԌαικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧոսօցհ')

function oddIn(word: string): MixedScripts {
  const byScript = new Map<string, string[]>()
  for (const letter of word) {
    const script = scriptOf(letter)
    if (script !== undefined) byScript.set(script, [...(byScript.get(script) ?? []), letter])
  }
  const scripts = [...byScript.keys()].sort((a, b) => orderOf(a) - orderOf(b))
  const [only] = scripts
  if (scripts.length === 1 && only !== undefined) {
    const letters = byScript.get(only) ?? []
    const isImitation = only === STYLED || (letters.length > 1 && letters.every((one) => LOOKALIKES.has(one)))
    return isImitation ? { scripts, letters } : NOTHING
  }
  if (scripts.every((script) => EAST_ASIAN.has(script))) return NOTHING
  // The first in order is what the word is read as: Latin, wherever it has such letters.
  return { scripts, letters: [...byScript].flatMap(([script, letters]) => (script === only ? [] : letters)) }
}

const STYLED = 'Styled'

function scriptOf(letter: string): string | undefined {
  if (letter > '\u007f' && /^[ -~]+$/.test(letter.normalize('NFKC'))) return STYLED
  const known = SCRIPTS.find(([, pattern]) => pattern.test(letter))
  return known?.[0] ?? (NO_SCRIPT.test(letter) ? undefined : 'another')
}

function orderOf(script: string): number {
  const at = SCRIPTS.findIndex(([name]) => name === script)
  return at === -1 ? SCRIPTS.length : at
}
