/** The last line of defence: free text (an error's message, a stack, a URI) may quote what must not be kept. */

import { replaceWebTokens } from '../../text/web-tokens.ts'

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Credentials by their scheme, as in headers.
  [/\b(bearer|basic|dpop)\s+[A-Za-z0-9+/=._~-]{6,}/gi, '$1 [secret]'],
  // `name=value`, `"name": "value"` and the like.
  [
    /((?:password|passwd|secret|token|api[_-]?key|authorization|cookie|session[_-]?id|code_verifier|client_secret)["']?\s*[:=]\s*["']?)[^\s"'&,;})]+/gi,
    '$1[secret]',
  ],
  // User information in a URL.
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@:]+(?::[^\s/@]*)?@/gi, '$1[secret]@'],
]

const LONGEST = 8_192

export function withoutSecrets(text: string): string {
  const bare = replaceWebTokens(text.slice(0, LONGEST), '[secret]', [8, 1])
  return PATTERNS.reduce((clean, [pattern, shown]) => clean.replace(pattern, shown), bare)
}
