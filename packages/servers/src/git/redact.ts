/**
 * Takes well-known secrets out of what git shows: credentials in URLs, private keys, tokens that say by their first letters
 * what they are. A net with holes: a password that looks like any word passes through.
 */

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:'"]{1,200}(?::[^\s/@'"]{0,200})?@/gi, '$1[redacted]@'],
  [/\bgh[pousr]_[A-Za-z0-9]{20,255}/g, '[redacted]'],
  [/\bgithub_pat_[A-Za-z0-9_]{20,255}/g, '[redacted]'],
  [/(?<![A-Za-z0-9_-])glpat-[A-Za-z0-9_-]{16,255}/g, '[redacted]'],
  [/(?<![A-Za-z0-9_-])xox[abeoprs]-[A-Za-z0-9-]{10,255}/g, '[redacted]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, '[redacted]'],
  [/(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,255}/g, '[redacted]'],
  [/\bsk_live_[A-Za-z0-9]{16,255}/g, '[redacted]'],
  [/\bAIza[A-Za-z0-9_-]{35}/g, '[redacted]'],
  [/\bnpm_[A-Za-z0-9]{36}\b/g, '[redacted]'],
  [/(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}/g, '[redacted]'],
]

export function redact(text: string): string {
  return PATTERNS.reduce((clean, [pattern, shown]) => clean.replace(pattern, shown), withoutKeys(text))
}

/** Private keys from their first line to their last, or to the end where that is missing. */
function withoutKeys(text: string): string {
  const begins = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----/g
  let clean = ''
  let at = 0
  for (let found = begins.exec(text); found !== null; found = begins.exec(text)) {
    clean += `${text.slice(at, begins.lastIndex)}[redacted]`
    const end = text.indexOf('-----END', begins.lastIndex)
    at = end === -1 ? text.length : end
    begins.lastIndex = at
  }
  return clean + text.slice(at)
}
