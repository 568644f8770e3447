/** A client certificate that TLS has verified, in the words of the request head. Node only. */

import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { PeerCertificate } from '../session/exchange.ts'

/** Undefined on plain connections, without a certificate, and when its chain was not verified. */
export function peerCertificateOf(socket: Socket): PeerCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  const certificate = socket.getPeerCertificate()
  // Node gives an empty object where the client showed none.
  if (certificate?.fingerprint256 === undefined) return undefined
  return {
    subject: toName(certificate.subject),
    issuer: toName(certificate.issuer),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    names: certificate.subjectaltname?.split(', ') ?? [],
  }
}

function toName(parts: object): string {
  return Object.entries(parts)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join(', ')
}
