/** Client certificates as the way in, alone: whoever TLS has verified and the rules know becomes a principal. */

import { type CertificateRules, certificatePrincipal } from '../../auth/certificate.ts'
import type { Protection } from './authorization.ts'
import type { Refusal } from './http-refusal.ts'

/** No scheme exists for certificates, so there is nothing to challenge with: the connection itself lacks something. */
const NO_CERTIFICATE: Refusal = { status: 403, message: 'A verified client certificate is required' }
const UNKNOWN: Refusal = { status: 403, message: 'The client certificate is not known here' }

/** Lets in whoever shows a client certificate that the rules take. */
export function requireCertificate(rules: CertificateRules = {}): Protection {
  return {
    authenticate({ peerCertificate }) {
      if (peerCertificate === undefined) return NO_CERTIFICATE
      return certificatePrincipal(peerCertificate, rules) ?? UNKNOWN
    },
  }
}
