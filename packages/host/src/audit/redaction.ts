/**
 * What must not be written down, found by the name of a key and by the look of a value. Applied to every entry before
 * it reaches the log (`log.ts`), so that nothing has to be taken out of a chain that cannot be changed.
 */

import { replaceWebTokens } from '@portico/sdk/internal-text'
import { toDigest } from './canonical.ts'

/** What counts as a secret besides what is known to be one. */
export interface RedactionOptions {
  /** Names of members whose values are secret, besides those that are known: matched whole, in any case. */
  readonly keys?: readonly string[]
  /** Secrets by value, such as those of the secret store: taken out wherever they occur. Shorter than 6 are ignored. */
  readonly values?: () => Iterable<string>
}

/** Returns a copy of a value without the secrets in it. */
export type Redactor = (value: unknown) => unknown

const REDACTED = '[redacted]'

/**
 * Makes a function that copies a value without its secrets, bounded in size and depth. Secrets are found by the names
 * of members (`password`, `token` and the like, and those you add) and by their values.
 *
 * @example
 * ```ts
 * import { createRedactor } from '@portico/host/audit'
 *
 * const redact = createRedactor({ keys: ['patientId'] })
 * redact({ patientId: '1234567', city: 'Oslo' }) // { patientId: '[redacted]', city: 'Oslo' }
 * ```
 */
export function createRedactor(options: RedactionOptions = {}): Redactor {
  const names = new Set((options.keys ?? []).map((key) => key.toLowerCase()))
  const isSecret = remembering((key) => SECRET_KEY.test(key) || names.has(key.toLowerCase()))
  return (value) => {
    const secrets = [...(options.values?.() ?? [])].filter((secret) => secret.length >= MIN_SECRET)
    // Of two secrets of which one holds the other, the longer goes first.
    if (secrets.length > 1) secrets.sort((a, b) => b.length - a.length)
    return redact(value, { isSecret, secrets, left: MAX_VALUES, chars: MAX_TOTAL_CHARS }, 0)
  }
}

/** Takes secrets out of one text by their look alone. */
export function redactText(text: string): string {
  if (!isSuspicious(text)) return text
  let clean = replaceWebTokens(text, REDACTED, [8, 2])
  for (const [pattern, replacement] of SECRET_VALUES) clean = clean.replace(pattern, replacement)
  return clean
}

interface Work {
  readonly isSecret: (key: string) => boolean
  readonly secrets: readonly string[]
  left: number
  chars: number
}

function redact(value: unknown, work: Work, depth: number): unknown {
  if (--work.left < 0 || work.chars < 0 || depth > MAX_DEPTH) return '[too much]'
  if (typeof value === 'string') return redactWith(value, work)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.slice(0, MAX_VALUES).map((one) => redact(one, work, depth + 1))
  return redactMembers(value as { readonly [key: string]: unknown }, work, depth + 1)
}

function redactMembers(value: { readonly [key: string]: unknown }, work: Work, depth: number): object {
  const copy: { [key: string]: unknown } = {}
  for (const key of Object.keys(value).slice(0, MAX_VALUES)) {
    const member = value[key]
    if (member === undefined) define(copy, key, undefined)
    else if (key === 'arguments') copy.argumentDigest = toDigest(member)
    else define(copy, redactWith(key, work), work.isSecret(key) ? REDACTED : redact(member, work, depth))
  }
  return copy
}

/** `__proto__` is a key like any other. */
function define(copy: { [key: string]: unknown }, key: string, value: unknown): void {
  if (key !== '__proto__') copy[key] = value
  else Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true })
}

/** The same question about short texts, which come again and again: names of members, servers, tools and reasons. */
function remembering(test: (text: string) => boolean): (text: string) => boolean {
  const unsuspected = new Set<string>()
  return (text) => {
    if (unsuspected.has(text)) return false
    if (test(text)) return true
    if (text.length > MAX_REMEMBERED) return false
    // Only what holds no secret is remembered.
    if (unsuspected.size >= MAX_VALUES) unsuspected.clear()
    unsuspected.add(text)
    return false
  }
}

function redactWith(text: string, work: Work): string {
  // What is far too long is cut before it is searched, well beyond what is kept.
  let clean = text.length > MAX_SEARCHED ? text.slice(0, MAX_SEARCHED) : text
  for (const secret of work.secrets) clean = clean.replaceAll(secret, REDACTED)
  clean = redactText(clean)
  // Cut last: a secret that is cut in two would no longer look like one.
  if (clean.length > MAX_CHARS) clean = `${clean.slice(0, MAX_CHARS)}… (${text.length} characters)`
  work.chars -= clean.length
  return clean
}

const MIN_SECRET = 6
const MAX_VALUES = 500
const MAX_REMEMBERED = 128
const MAX_DEPTH = 12
const MAX_CHARS = 2_000
const MAX_SEARCHED = 20_000
const MAX_TOTAL_CHARS = 50_000

const SECRET_KEY =
  /pass(?:word|wd|phrase|code)?$|^pwd$|secret|token$|api[-_]?key|access[-_]?key|private[-_]?key|^auth(?:orization)?$|cookie|credential|signature|^otp$|^cvv$|^pin$/i

/** What every one of the patterns below needs somewhere: most texts have nothing of it, and are done with one look. */
const SUSPICIOUS =
  /[=@]|-----B|bearer|basic|dpop|eyj|[spr]k[-_]|gh[pousr]_|github_|glpat|xox|akia|asia|aiza|npm_|passw|secret|token|key/i

const isSuspicious = remembering((text) => SUSPICIOUS.test(text))

/** Every pattern is anchored by a literal start and repeats one class only, so that no text makes it slow. */
const SECRET_VALUES: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g, REDACTED],
  [/\b(bearer|basic|dpop) +[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  [/\b(?:sk|pk|rk)[-_][\w-]{16,200}/g, REDACTED],
  [/\bgh[pousr]_[A-Za-z0-9]{20,255}/g, REDACTED],
  [/\bgithub_pat_\w{20,255}/g, REDACTED],
  [/\bglpat-[\w-]{16,100}/g, REDACTED],
  [/\bxox[abeoprs]-[\w-]{10,200}/g, REDACTED],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, REDACTED],
  [/\bAIza[\w-]{30,60}/g, REDACTED],
  [/\bnpm_[A-Za-z0-9]{30,60}/g, REDACTED],
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}@/gi, `$1${REDACTED}@`],
  [
    /([?&#;](?:[\w-]{0,30}(?:token|secret|password|api[-_]?key|signature)|code|sig|key|auth)=)[^&#\s]{1,4000}/gi,
    `$1${REDACTED}`,
  ],
  [
    /\b((?:[\w-]{0,30}(?:password|passwd|secret|token|api[-_]?key))["']?\s{0,4}[:=]\s{0,4})["']?[^\s"',;&]{4,400}/gi,
    `$1${REDACTED}`,
  ],
]
