/**
 * Text made comparable: case, spaces, punctuation and widths fall away, what is encoded is also looked at decoded, and
 * what remains is cut into overlapping pieces of eight characters whose hashes are kept. `provenance.ts` asks whether
 * two texts share pieces; neither text is kept.
 */

/** Pieces of this length; what is shorter is not told apart from chance. */
export const PIECE = 8

/** Letters and digits alone, in lower case. */
export function normalise(text: string): string {
  return normalisePlain(text) ?? normaliseAny(text)
}

/** Most text is ASCII, for which a table does; undefined for any other. */
function normalisePlain(text: string): string | undefined {
  const kept = Buffer.allocUnsafe(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code > 127) return undefined
    const plain = PLAIN[code]!
    if (plain !== 0) kept[length++] = plain
  }
  return kept.toString('latin1', 0, length)
}

/** The lower-case letter or digit for a character of ASCII, or zero. */
const PLAIN = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase()
  return /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0
})

function normaliseAny(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u0370-\u052f]/g, (letter) => LOOK_ALIKES.get(letter) ?? letter)
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Letters of other scripts that are drawn like Latin ones: Cyrillic, then Greek. */
const LOOK_ALIKES = new Map(
  Array.from(
    'аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwвbкkмmнhтtзzαaβbεeηnιiκkνvοoρpτtυuχxγyζz'.matchAll(/(.)(.)/gu),
    ([, one, latin]) => [one, latin],
  ),
)

/** The hash of every piece, in order. */
export function piecesOf(normalised: string): Uint32Array {
  const hashes = new Uint32Array(Math.max(0, normalised.length - PIECE + 1))
  let hash = 0
  for (let at = 0; at < normalised.length; at++) {
    hash = (Math.imul(hash, BASE) + normalised.charCodeAt(at)) | 0
    if (at >= PIECE) hash = (hash - Math.imul(normalised.charCodeAt(at - PIECE), BASE_TO_PIECE)) | 0
    if (at >= PIECE - 1) hashes[at - PIECE + 1] = mix(hash)
  }
  return hashes
}

const BASE = 1_000_003
const BASE_TO_PIECE = powerOf(BASE, PIECE)

function powerOf(base: number, exponent: number): number {
  let power = 1
  for (let step = 0; step < exponent; step++) power = Math.imul(power, base)
  return power
}

/** Words that carry more than their letters: identifiers, numbers, addresses. They are telling even when short. */
export function* tokensOf(text: string): Generator<number, void> {
  const joined = text.replace(/(\d)[,'_ \u00a0](?=\d{3}(?!\d))/g, '$1')
  for (const [word] of joined.matchAll(/[\p{L}\p{N}][\p{L}\p{N}._@+-]{4,200}/gu)) {
    const token = normalise(word)
    const isTelling = /\d/.test(token) ? token.length >= PIECE || /^\d{5,}$/.test(token) : word.includes('@')
    if (isTelling) yield hashOf(token)
  }
}

function hashOf(token: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < token.length; at++) hash = Math.imul(hash ^ token.charCodeAt(at), 0x01000193)
  return mix(hash ^ 0x5bd1e995)
}

function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

const MAX_DEPTH = 2

/** The text, and whatever it holds in base64, hexadecimal, percent or `\u` encoding, twice over. */
export function* readingsOf(text: string, depth = 0): Generator<string, void> {
  yield text
  if (depth >= MAX_DEPTH || text.length < PIECE) return
  for (const decoded of decodingsOf(text)) yield* readingsOf(decoded, depth + 1)
}

/** What a text holds in base64, hexadecimal, percent or `\u` encoding. */
export function* decodingsOf(text: string): Generator<string, void> {
  if (/%[0-9a-f]{2}/i.test(text)) yield text.replace(/(?:%[0-9a-f]{2})+/gi, decodePercent)
  if (/\\u[0-9a-f]{4}/i.test(text)) {
    yield text.replace(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  }
  // Encoded text is often broken into lines.
  const packed = text.replace(/\s+/g, '')
  const whole = /^[A-Za-z0-9+/_-]+={0,2}$/.test(packed) ? [packed] : []
  for (const word of whole.length > 0 ? whole : wordsOf(text)) {
    if (/^(?:[0-9a-f]{2})+$/i.test(word)) yield* readable(Buffer.from(word, 'hex'))
    yield* readable(Buffer.from(word, 'base64'))
  }
}

function wordsOf(text: string): string[] {
  return text.match(/[A-Za-z0-9+/_-]{11,}={0,2}/g) ?? []
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Bytes that are text; what looks like noise was not encoded text. */
export function* readable(bytes: Buffer): Generator<string, void> {
  if (bytes.length < PIECE) return
  try {
    const text = decoder.decode(bytes)
    // Noise that happens to be UTF-8 has control characters in it.
    if (!/(?![\t\n\r])\p{Cc}/u.test(text)) yield text
  } catch {
    return
  }
}

function decodePercent(run: string): string {
  try {
    return decodeURIComponent(run)
  } catch {
    return run
  }
}
