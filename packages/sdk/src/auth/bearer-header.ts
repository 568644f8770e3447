/** The `Authorization` header of a request, read: which scheme it uses and the token it carries. */

type PresentedToken =
  | { readonly kind: 'token'; readonly scheme: 'Bearer' | 'DPoP'; readonly token: string }
  /** No credentials of a kind that is used here. */
  | { readonly kind: 'none' }
  | { readonly kind: 'malformed'; readonly reason: string }

/** Longer than any token in use; what is longer is not looked at. */
const MAX_LENGTH = 16_384

/** Only the header counts: a token in the query or the body is none (OAuth 2.1, 5.1). */
export function readAuthorization(header: string | undefined): PresentedToken {
  if (header === undefined) return { kind: 'none' }
  const scheme = /^(bearer|dpop)(?: |$)/i.exec(header)?.[1]
  if (scheme === undefined) return { kind: 'none' }
  const token = header.slice(scheme.length).trim()
  if (token.length > MAX_LENGTH) return { kind: 'malformed', reason: 'The token is too long' }
  // The characters of RFC 6750's `b64token`; also keeps joined headers of two credentials out.
  if (!/^[A-Za-z0-9\-._~+/]+=*$/.test(token))
    return { kind: 'malformed', reason: 'The Authorization header is malformed' }
  return { kind: 'token', scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', token }
}
