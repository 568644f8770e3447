/** The `WWW-Authenticate` header that tells a client what to bring (RFC 6750, RFC 9728, RFC 9449). Written, not read. */

export interface BearerChallenge {
  readonly scheme: 'Bearer' | 'DPoP'
  readonly error?: string
  /** Fixed words of ours; never anything from the request. */
  readonly description?: string
  readonly scopes?: readonly string[]
  readonly resourceMetadata?: string
  readonly algorithms?: readonly string[]
}

export function writeChallenge(challenge: BearerChallenge): string {
  const { scheme, error, description, scopes, resourceMetadata, algorithms } = challenge
  const parameters = [
    error !== undefined && `error="${quote(error)}"`,
    description !== undefined && `error_description="${quote(description)}"`,
    scopes !== undefined && scopes.length > 0 && `scope="${quote(scopes.join(' '))}"`,
    resourceMetadata !== undefined && `resource_metadata="${quote(resourceMetadata)}"`,
    algorithms !== undefined && `algs="${quote(algorithms.join(' '))}"`,
  ].filter((parameter) => parameter !== false)
  return parameters.length === 0 ? scheme : `${scheme} ${parameters.join(', ')}`
}

/** One scope as RFC 6749 (3.3) spells it: visible characters without quote and backslash. */
export function isScopeToken(scope: string): boolean {
  return /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)
}

function quote(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')
}
