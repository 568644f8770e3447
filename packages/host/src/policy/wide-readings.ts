/**
 * What a careless server may take a text for: what it quotes or holds as JSON, the paths in it, the number it writes.
 * Prohibitions look at all of these readings; permissions look at none, and refuse texts that have more than one.
 */

const MAX_ROUNDS = 4
const MAX_READINGS = 1_000
const MAX_NUMBER = 100

/** White space of any kind, written or encoded, as one space. */
export function withPlainSpaces(text: string): string {
  return text.replace(/(?:\s|%(?:25)*(?:0[9a-d]|20|85|a0))+/gi, ' ')
}

/** The text, and what is in it where it is quoted or JSON. Undefined where there is too much to look at. */
export function unpacked(text: string): unknown[] | undefined {
  const found: unknown[] = []
  let open: unknown[] = [text]
  for (let round = 0; open.length > 0; round++) {
    if (found.length + open.length > MAX_READINGS || round > MAX_ROUNDS) return undefined
    found.push(...open)
    open = open.flatMap((one) => (typeof one === 'string' ? inside(one) : []))
  }
  return found
}

function inside(text: string): unknown[] {
  const trimmed = text.trim()
  if (/^[[{"]/.test(trimmed)) {
    try {
      return leavesIn(JSON.parse(trimmed))
    } catch {
      // Quoted, but not as JSON.
    }
  }
  const opened = trimmed.replace(/^["'`“”‘’«»]+/, '')
  const quoted = opened.replace(/(?<!["'`“”‘’«»])["'`“”‘’«»]+$/, '')
  return opened === trimmed || quoted === opened ? [] : [quoted]
}

function leavesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [value]
  return Object.values(value).flatMap(leavesIn)
}

const PATH_START = /(?<=^|[\s,;:|="'`(<[{@&?])(?:\/\/[^/\\\s]*(?=\/))?(?=[\\/~]|[A-Za-z]:[\\/])/g

/** Every place in a text where a path can begin: after a scheme and a host, an option's name, another path. */
export function pathsIn(text: string): string[] | undefined {
  const starts = [...text.matchAll(PATH_START)].slice(0, MAX_READINGS + 1)
  if (starts.length > MAX_READINGS) return undefined
  // What follows a separator may belong to the path or to something else.
  return starts.flatMap(({ index, 0: host }) => [text.slice(index), text.slice(index + host.length)])
}

/** Whether a text can be taken for more than one path. */
export function isManyPaths(text: string): boolean {
  if (/[\p{Cc}\u2028\u2029]/u.test(text)) return true
  const rest = text.replace(/^(?:file:\/*)?(?:[A-Za-z]:)?/i, '')
  return /[\s,;:|="'`<>&](?:[\\/~]|\.\.?(?:[\\/]|$)|[A-Za-z][A-Za-z0-9+.-]*:[\\/])/.test(rest)
}

const SCALES: { readonly [unit: string]: number } = { k: 1, m: 2, g: 3, b: 3, t: 4, p: 5 }
const NUMBER = /^([^\p{N}+-]{0,5})([+-]?)\s*(\d[\d_'’٬٫,.\s]*(?:e[+-]?\d+)?)\s*([^\p{N}]{0,20})$/u

/** The numbers that a text can be read as: with separators, units, other digits. */
export function numbersIn(text: string): number[] {
  const plain = text.length > MAX_NUMBER ? '' : withLatinDigits(text).trim().toLowerCase()
  if (plain === '') return []
  if (/^[+-]?inf(?:inity)?$/.test(plain)) return [plain.startsWith('-') ? -Infinity : Infinity]
  const found = [Number(plain)]
  const [, , sign = '', digits, unit = ''] = NUMBER.exec(plain) ?? []
  if (digits !== undefined) {
    const bare = digits
      .replace(/[_'’\s]/g, '')
      .replaceAll('٬', ',')
      .replaceAll('٫', '.')
    const spelled = [
      bare,
      bare.replaceAll(',', ''),
      bare.replaceAll('.', '').replace(',', '.'),
      bare.replace(/[,.]/g, ''),
    ]
    const power = SCALES[unit.charAt(0)] ?? 0
    for (const one of spelled.map((digit) => Number(sign + digit.replace(/[,.]+$/, '')))) {
      found.push(one, one * 1_000 ** power, one * 1_024 ** power)
    }
  }
  return found.filter((one) => !Number.isNaN(one))
}

/** Digits of every script stand in rows of ten that begin at a code ending in 0 or in 6. */
function withLatinDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0
    const row = code - (code % 16)
    return String(/\p{Nd}/u.test(String.fromCodePoint(row)) ? code - row : code - row - 6)
  })
}
