/**
 * From a client certificate that TLS has verified to a principal. The certificate's authority vouches for its names;
 * which of them stands for the client, and what it may do, is the operator's choice.
 */

import type { Claims } from './access-scopes.ts'
import { createPrincipal, type Principal } from './principal.ts'

/** The verified certificate, as transports describe it. */
export interface ClientCertificate {
  readonly subject: string
  readonly issuer: string
  /** SHA-256 over the certificate, lower-case hex. */
  readonly fingerprint: string
  /** Alternative names with their kind: `DNS:…`, `URI:…`, `email:…`. */
  readonly names: readonly string[]
}

/** Which client certificates are taken, and whom each stands for. */
export interface CertificateRules {
  /**
   * What stands for the client. `subject` (the default) and `name`, the first alternative name, outlive a renewal; a
   * `fingerprint` names one certificate alone. A function returning undefined turns the client away.
   */
  readonly identity?: 'subject' | 'name' | 'fingerprint' | ((certificate: ClientCertificate) => string | undefined)
  /** The scopes that the client holds. None by default: it can then use only what needs no scope. */
  readonly scopes?: readonly string[] | ((certificate: ClientCertificate) => Iterable<string>)
}

/**
 * The principal that a client certificate stands for; undefined when the rules turn the certificate away.
 *
 * @example
 * ```ts
 * import { certificatePrincipal } from '@portico/sdk/bearer'
 *
 * const certificate = { subject: 'CN=build', issuer: 'CN=Our CA', fingerprint: 'ab'.repeat(32), names: ['DNS:build.local'] }
 * const principal = certificatePrincipal(certificate, { identity: 'name', scopes: ['builds:write'] })
 * console.log(principal?.id) // certificate DNS:build.local by CN=Our CA
 * ```
 */
export function certificatePrincipal(
  certificate: ClientCertificate,
  { identity = 'subject', scopes = [] }: CertificateRules = {},
): Principal | undefined {
  const name = typeof identity === 'function' ? identity(certificate) : standardIdentity(certificate, identity)
  if (name === undefined || name === '') return undefined
  const granted = typeof scopes === 'function' ? scopes(certificate) : scopes
  const claims: Claims = { certificate: { ...certificate, names: [...certificate.names] } }
  return createPrincipal(`certificate ${name}`, granted, claims)
}

/** Whether a token's `x5t#S256` (RFC 8705) is this certificate: the same digest, in another alphabet. */
export function isBoundTo(thumbprint: string, certificate: ClientCertificate | undefined): boolean {
  return certificate !== undefined && toHex(thumbprint) === certificate.fingerprint
}

function standardIdentity(certificate: ClientCertificate, by: 'subject' | 'name' | 'fingerprint'): string | undefined {
  if (by === 'fingerprint') return certificate.fingerprint
  // Names are unique within their authority alone, and several authorities may be trusted.
  const name = by === 'subject' ? certificate.subject : certificate.names[0]
  return name === undefined || name === '' ? undefined : `${name} by ${certificate.issuer}`
}

function toHex(base64url: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{43}$/.test(base64url)) return undefined
  const bytes = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Array.from(bytes, (char) => char.charCodeAt(0).toString(16).padStart(2, '0')).join('')
}
