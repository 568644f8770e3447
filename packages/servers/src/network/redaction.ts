/**
 * Keeps the credentials of a server out of what it answers: services echo headers, errors quote URLs. Made once from the
 * secrets that are in use. Every text that services sent to `openapi`, `graphql` and the vendors' servers passes through it, and so do
 * the errors of `mongo`.
 */

import { toExcerpt } from '../text/cut.ts'
import { toPlainJson, toPlainText } from '../text/plain-text.ts'

export interface Redactor {
  /** Plain text without secrets. */
  text(text: string): string
  /** The same of at most so many characters: cut first, a secret across the cut would show its beginning. */
  excerpt(text: string, length: number): string
  json(value: unknown): unknown
  /** Adds a secret that was got later, as an access token is. */
  add(secret: string): void
}

export function createRedactor(secrets: readonly string[] = []): Redactor {
  const hidden = new Set<string>()
  const text = (given: string): string => {
    let clean = toPlainText(given)
    for (const secret of hidden) if (clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED)
    return clean
  }
  const redactor: Redactor = {
    text,
    excerpt: (given, length) => toExcerpt(text(given), length),
    json: (value) => toPlainJson(value, text),
    add(secret) {
      // What is shorter would blot out ordinary words, and is no secret.
      if (secret.length < MIN_LENGTH) return
      for (const spelling of spellings(secret)) if (spelling.length >= MIN_LENGTH) hidden.add(spelling)
    },
  }
  for (const secret of secrets) redactor.add(secret)
  return redactor
}

const REDACTED = '[redacted]'
const MIN_LENGTH = 4

/** As it is, and as it travels: in URLs, in JSON text, and in Base64 whole or as part of something longer. */
function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const shifted = [0, 1, 2].map((shift) => {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
    // Characters at the edges depend on the neighbours; the ones between do not.
    return encoded.slice(Math.ceil((shift * 8) / 6), encoded.length - ((bytes.length + shift) % 3 === 0 ? 0 : 1))
  })
  const urlSafe = shifted.map((encoded) => encoded.replaceAll('+', '-').replaceAll('/', '_'))
  const inForms = new URLSearchParams({ s: secret }).toString().slice(2)
  const inJson = JSON.stringify(secret).slice(1, -1)
  return [secret, encodeURIComponent(secret), inForms, inJson, ...shifted, ...urlSafe]
}
