/** Client certificates as the way in, alone: whoever TLS has verified and the rules know becomes a principal. */

import { type CertificateRules, certificatePrincipal } from '../../auth/certificate.ts'
import type { Protection } from './authorization.ts'
import type { Refusal } from './http-refusal.ts'

/** No scheme exists for certificates, so there is nothing to challenge with: the connection itself lacks something. */
const NO_CERTIFICATE: Refusal = { status: 403, message: 'A verified client certificate is required' }
const UNKNOWN: Refusal = { status: 403, message: 'The client certificate is not known here' }

/**
 * Protects a server by client certificates: lets in whoever shows one that TLS has verified and the rules accept. Pass
 * the result as `auth` to `serveHttp`, with `tls.clientCertificate` switched on.
 *
 * @example
 * ```ts
 * import { requireCertificate } from '@portico/sdk/bearer'
 * import { serveHttp } from '@portico/sdk/http'
 * import { readFileSync } from 'node:fs'
 *
 * const pem = (name: string) => readFileSync(`${name}.pem`)
 * const tls = { cert: pem('server'), key: pem('server-key'), ca: pem('clients-ca'), clientCertificate: 'required' } as const
 * await serveHttp(server, { tls, auth: requireCertificate({ scopes: ['notes:read'] }) })
 * ```
 */
export function requireCertificate(rules: CertificateRules = {}): Protection {
  return {
    authenticate({ peerCertificate }) {
      if (peerCertificate === undefined) return NO_CERTIFICATE
      return certificatePrincipal(peerCertificate, rules) ?? UNKNOWN
    },
  }
}
