/** Client certificates as the way in, alone: whoever TLS has verified and the rules know becomes a principal. */

import { type CertificateRules, certificatePrincipal } from '../../auth/certificate.ts'
import type { Protection } from './authorization.ts'
import { NO_CERTIFICATE, UNKNOWN_CERTIFICATE } from './refusals.ts'

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
      return certificatePrincipal(peerCertificate, rules) ?? UNKNOWN_CERTIFICATE
    },
  }
}
